/* Cells tagged "parameters" and the values given for the names that they set, as in papermill
 * (https://papermill.readthedocs.io/en/latest/usage-parameterize.html). */
#include <string.h>

#include "base/name_set.h"
#include "base/python_value.h"
#include "ir/analysis/cell_parameters.h"
#include "ir/pass.h"
#include "lex/lex.h"

/* The place for values of parameters in a program. The pointer is valid until a block is added. */
struct found {
	block_list *list; /* the list that the cell is in, or NULL */
	size_t at;        /* index of the cell, or of papermill's last injected cell after it */
};

struct search {
	struct pass_context *context;
	struct found found;
	const struct block *cell;
};

static bool is_parameters(const struct block *block)
{
	return block->sets_parameters && block->lexed != NULL && block->lexed->is_python;
}

static void report_second(struct search *search, const struct block *block)
{
	diag_add(search->context->diags, DIAG_PARAMETERS_TWICE, block_cell_location(block),
	         "cell %u is also tagged 'parameters', but only cell %u sets parameters",
	         block->cell, search->cell->cell);
}

static void search_list(struct search *search, block_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct block *block = &list->items[i];
		if (is_parameters(block) && search->cell != NULL) {
			report_second(search, block);
		} else if (is_parameters(block)) {
			search->found = (struct found){list, i};
			search->cell = block;
		} else if (block->was_injected && search->found.list == list) {
			search->found.at = i;
		}
		search_list(search, &list->items[i].blocks);
	}
}

/* Finds the cell and records the names that it sets. */
static struct found search_program(struct pass_context *context, struct program *program)
{
	struct search search = {.context = context};
	search_list(&search, &program->blocks);
	if (search.cell != NULL) {
		program->parameters_cell = search.cell->cell;
		program->takes_parameters = true;
		parameters_read(context->arena, search.cell, program);
	}
	return search.found;
}

static void make_comment(struct pass_context *context, struct block *block)
{
	diag_add(context->diags, DIAG_CELL_SKIPPED, block_cell_location(block),
	         "the cell is left out: papermill added it with values of an earlier run");
	block->kind = BLOCK_COMMENT;
	block->lexed = NULL;
	block->code = (struct code){0};
}

static void drop_injected(struct pass_context *context, block_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].was_injected && block_is_code(&list->items[i]))
			make_comment(context, &list->items[i]);
		drop_injected(context, &list->items[i].blocks);
	}
}

static void insert_block(struct arena *arena, block_list *list, size_t at,
                         const struct block *block)
{
	vec_push(arena, list, *block);
	memmove(list->items + at + 1, list->items + at,
	        (list->count - 1 - at) * sizeof *list->items);
	list->items[at] = *block;
}

/* Adds the block that sets parameters: after their cell, or else before all blocks. */
static void add_block(struct pass_context *context, struct program *program,
                      const struct found *found, const parameter_list *values)
{
	struct block block = {.kind = BLOCK_PARAMETERS, .values = *values};
	block_list *list = found->list == NULL ? &program->blocks : found->list;
	size_t at = found->list == NULL ? 0 : found->at + 1;
	block.cell = block.last_cell = program->parameters_cell > 0 ? program->parameters_cell : 1;
	insert_block(context->arena, list, at, &block);
	program->takes_parameters = true;
	program->takes_any_parameter = context->options->allow_new_parameters;
}

/* Warns if the value has another type than the default. True if it warned. */
static bool check_type(struct pass_context *context, const struct program *program,
                       const struct parameter_name *name, const struct parameter *parameter)
{
	if (parameters_agree(name->type, parameter->value))
		return false;
	diag_add(context->diags, DIAG_PARAMETER_TYPE, parameter->where,
	         "the value of parameter '%.*s' is %s, but its default in cell %u has type %.*s",
	         SLICE_ARG(name->name), value_kind_name(parameter->value->kind),
	         program->parameters_cell, SLICE_ARG(name->type));
	if (slice_eq(name->type, SLICE("str")) && value_is_scalar(parameter->value))
		diag_hint(context->diags, DIAG_PARAMETER_TYPE, "use -r to pass the value as text");
	return true;
}

/* Warns once for each parameter. NAMES begins with the parameters of PROGRAM, in their order. */
static void check_swept_types(struct pass_context *context, const struct program *program,
                              struct name_set *names)
{
	struct name_set said;
	name_set_init(&said, context->arena);
	for (size_t i = 0; i < context->options->swept_count; i++) {
		const struct parameter *parameter = &context->options->swept[i];
		size_t at = name_set_add(names, parameter->name);
		if (at < program->parameters.count && !name_set_has(&said, parameter->name) &&
		    check_type(context, program, &program->parameters.items[at], parameter))
			name_set_add(&said, parameter->name);
	}
}

static void set_values(struct pass_context *context, struct program *program,
                       const struct found *found, const struct name_set *known)
{
	const struct ir_options *options = context->options;
	parameter_list values = {0};
	struct name_set names; /* in the order of program->parameters */
	name_set_init(&names, context->arena);
	for (size_t i = 0; i < program->parameters.count; i++)
		name_set_add(&names, program->parameters.items[i].name);
	for (size_t i = 0; i < options->parameter_count; i++) {
		const struct parameter *parameter = &options->parameters[i];
		bool is_new = !name_set_has(known, parameter->name);
		size_t at = name_set_add(&names, parameter->name);
		if (at < program->parameters.count)
			(void)check_type(context, program, &program->parameters.items[at],
			                 parameter);
		else if (!is_new || !options->allow_new_parameters)
			continue;
		vec_push(context->arena, &values, *parameter);
	}
	if (values.count > 0)
		drop_injected(context, &program->blocks);
	check_swept_types(context, program, &names);
	/* A sweep may have other names. */
	bool swept = options->swept_count > 0 && options->allow_new_parameters;
	if (values.count > 0 || found->list != NULL || swept)
		add_block(context, program, found, &values);
}

void pass_parameters(struct pass_context *context)
{
	size_t count = context->ir->programs.count;
	struct found *found = arena_calloc(context->arena, count, sizeof *found);
	struct name_set known;
	name_set_init(&known, context->arena);
	for (size_t i = 0; i < count; i++) {
		struct program *program = &context->ir->programs.items[i];
		found[i] = search_program(context, program);
		for (size_t k = 0; k < program->parameters.count; k++)
			name_set_add(&known, program->parameters.items[k].name);
	}
	if (count > 0)
		parameters_check(context, &known);
	for (size_t i = 0; i < count; i++)
		set_values(context, &context->ir->programs.items[i], &found[i], &known);
}
