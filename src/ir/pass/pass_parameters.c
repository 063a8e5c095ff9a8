/* Cells tagged "parameters" and the values given for the names that they set, as in papermill
 * (https://papermill.readthedocs.io/en/latest/usage-parameterize.html). */

#include "base/value.h"
#include "ir/passes.h"
#include "lex/syntax_values.h"

/* ---- what the cell sets ---- */

/* The last assignment to a name counts. */
static void parameters_read(struct arena *arena, const struct block *block, struct program *program)
{
	syntax_assignment_list list = {0};
	struct name_set names = {.arena = arena};
	syntax_assignments(arena, block->code->lexed, &list);
	vec_each(const struct syntax_assignment, assignment, &list) {
		struct parameter_name name = {
		        .name = assignment->name,
		        .value = assignment->value,
		        .type = assignment->type,
		        .comment = assignment->comment,
		        .where = block_token_location(block, assignment->token),
		};
		/* "type: int" at the start of the comment, as papermill reads it. */
		if (slice_cut_prefix(&name.comment, SLICE("type:"))) {
			struct slice type = slice_next_word(&name.comment);
			name.comment = slice_trim(name.comment);
			name.type = type.len > 0 ? type : name.type;
		}
		if (assignment->annotation.len > 0)
			name.type = slice_unquote(assignment->annotation);
		size_t at = name_set_add(&names, name.name);
		if (at == program->parameters.names.count)
			vec_push(arena, &program->parameters.names, name);
		else
			program->parameters.names.items[at] = name;
	}
}

/* ---- given parameters ---- */

enum {
	SHOWN_MAX = 20, /* each suggestion compares with all names */
	LISTED_MAX = 8, /* of the names that the cell sets */
};

struct name_check {
	struct pass_context *context;
	const struct name_set *known; /* the names of all programs */
	bool has_cell;                /* a cell sets them */
	bool said_no_cell;
	size_t unknown;
};

/* Reports a parameter with an invalid or unknown name. Values of the command line for a notebook
 * without a cell of parameters have the same fault, which is reported once. */
static void check_name(struct name_check *check, const struct parameter *parameter)
{
	struct diags *diags = check->context->diags;
	const struct name_set *known = check->known;
	struct slice name = parameter->name;
	bool is_known = name_set_has(known, name);
	bool is_new = !is_known && !check->context->options->build.allow_new_parameters;
	const char *fault = NULL;
	if (slice_starts_with(name, SLICE("_nbscorep")) || slice_eq(name, SLICE("scorep")))
		fault = "is reserved for the script";
	else if (name.len > 4 && slice_starts_with(name, SLICE("__")) &&
	         slice_ends_with(name, SLICE("__")))
		fault = "is reserved for Python";
	else if (!is_known && !syntax_is_identifier(name))
		fault = syntax_is_keyword(name) ? "is a Python keyword"
		                                : "is not a Python identifier";
	if (fault != NULL) {
		diag_add(diags, DIAG_PARAMETER_NAME, parameter->where,
		         "'%.*s' %s, so it cannot be a parameter", SLICE_ARG(name), fault);
	} else if (is_new && !check->has_cell && (parameter->shared || !check->said_no_cell)) {
		enum diag_kind id =
		        parameter->shared ? DIAG_PARAMETER_UNUSED : DIAG_PARAMETER_UNKNOWN;
		diag_add(diags, id, parameter->where,
		         "the notebook has no cell tagged 'parameters', so '%.*s' cannot be set",
		         SLICE_ARG(name));
		if (parameter->shared)
			return;
		check->said_no_cell = true;
		diag_hint(
		        diags, id,
		        "tag the cell that sets the defaults (JupyterLab: Property Inspector, Cell "
		        "Tags), or use --allow-new-parameters");
	} else if (is_new && check->has_cell && check->unknown++ < SHOWN_MAX) {
		diag_add(diags, DIAG_PARAMETER_UNKNOWN, parameter->where,
		         "the notebook has no parameter '%.*s'", SLICE_ARG(name));
		if (diag_suggest(diags, DIAG_PARAMETER_UNKNOWN, name, known->names.items,
		                 known->names.count))
			return;
		struct strbuf list = {.arena = check->context->arena};
		for (size_t i = 0; i < known->names.count && i < LISTED_MAX; i++)
			strbuf_printf(&list, "%s%.*s", i > 0 ? ", " : "",
			              SLICE_ARG(known->names.items[i]));
		strbuf_puts(&list, known->names.count > LISTED_MAX ? ", ..." : "");
		if (known->names.count > 0)
			diag_hint(diags, DIAG_PARAMETER_UNKNOWN,
			          "the cell tagged 'parameters' sets %.*s; use "
			          "--allow-new-parameters to set other names",
			          SLICE_ARG(strbuf_slice(&list)));
		else
			diag_hint(diags, DIAG_PARAMETER_UNKNOWN,
			          "the cell tagged 'parameters' sets no names; use "
			          "--allow-new-parameters to set names");
	}
}

/* ---- the pass ---- */

/* The place for values of parameters in a program. The pointer is valid until a block is added. */
struct value_place {
	const struct block *cell; /* the cell of parameters, or NULL */
	block_list *list;         /* the list that it is in */
	size_t at; /* index of the cell, or of papermill's last injected cell after it */
};

static bool is_parameters(const struct block *block)
{
	return block_runs(block) && block->code->sets_parameters && block->code->lexed->is_python;
}

static void search_cell(struct pass_context *context, struct value_place *found, block_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct block *block = &list->items[i];
		if (is_parameters(block) && found->cell != NULL) {
			diag_add(context->diags, DIAG_PARAMETERS_TWICE, block_cell_location(block),
			         "cell %u is also tagged 'parameters', but only cell %u sets "
			         "parameters",
			         block->cell, found->cell->cell);
		} else if (is_parameters(block)) {
			*found = (struct value_place){block, list, i};
		} else if (block->was_injected && found->list == list) {
			found->at = i;
		}
		if (block_is_group(block))
			search_cell(context, found, &block->group->blocks);
	}
}

/* Warns if the value has another type than the default. True if it warned. */
static bool check_type(struct pass_context *context, const struct program *program,
                       const struct parameter_name *name, const struct parameter *parameter)
{
	static const struct {
		struct slice type;
		unsigned kinds; /* bits of enum value_kind */
	} rows[] = {
	        {SLICE_INIT("int"), 1u << VALUE_INT},
	        {SLICE_INIT("float"), 1u << VALUE_INT | 1u << VALUE_FLOAT},
	        {SLICE_INIT("complex"), 1u << VALUE_INT | 1u << VALUE_FLOAT},
	        {SLICE_INIT("bool"), 1u << VALUE_BOOL},
	        {SLICE_INIT("str"), 1u << VALUE_TEXT},
	        {SLICE_INIT("list"), 1u << VALUE_LIST},
	        {SLICE_INIT("tuple"), 1u << VALUE_LIST},
	        {SLICE_INIT("dict"), 1u << VALUE_MAP},
	};
	size_t row = 0, count = sizeof rows / sizeof *rows;
	while (row < count && !slice_eq(rows[row].type, name->type))
		row++;
	if (row == count || parameter->value->kind == VALUE_NULL ||
	    (rows[row].kinds >> parameter->value->kind & 1u))
		return false;
	diag_add(context->diags, DIAG_PARAMETER_TYPE, parameter->where,
	         "the value of parameter '%.*s' is %s, but its default in cell %u has type %.*s",
	         SLICE_ARG(name->name), value_kind_name(parameter->value->kind),
	         program->parameters.cell, SLICE_ARG(name->type));
	if (slice_eq(name->type, SLICE("str")) && value_is_scalar(parameter->value))
		diag_hint(context->diags, DIAG_PARAMETER_TYPE, "use -r to pass the value as text");
	return true;
}

static void set_values(struct pass_context *context, struct program *program,
                       const struct value_place *found, const struct name_set *known)
{
	const struct ir_options *options = context->options;
	parameter_list values = {0};
	struct name_set names = {.arena = context->arena}; /* in the order of program->parameters */
	for (size_t i = 0; i < program->parameters.names.count; i++)
		name_set_add(&names, program->parameters.names.items[i].name);
	vec_each(const struct parameter, parameter, &options->parameters) {
		bool is_new = !name_set_has(known, parameter->name);
		size_t at = name_set_add(&names, parameter->name);
		if (at < program->parameters.names.count)
			(void)check_type(context, program, &program->parameters.names.items[at],
			                 parameter);
		else if (!is_new || !options->build.allow_new_parameters)
			continue;
		vec_push(context->arena, &values, *parameter);
	}
	block_refs blocks = program_code(context->arena, program);
	for (size_t i = 0; values.count > 0 && i < blocks.count; i++) {
		struct block *block = blocks.items[i];
		if (!block->was_injected)
			continue;
		diag_add(context->diags, DIAG_CELL_SKIPPED, block_cell_location(block),
		         "the cell is left out: papermill added it with values of an earlier run");
		block->kind = BLOCK_COMMENT;
		memset(&block->left_out, 0, sizeof block->left_out);
	}
	/* Warn once for each parameter. NAMES begins with those of PROGRAM, in their order. */
	struct name_set said = {.arena = context->arena};
	vec_each(const struct parameter, parameter, &options->swept) {
		size_t at = name_set_add(&names, parameter->name);
		if (at < program->parameters.names.count && !name_set_has(&said, parameter->name) &&
		    check_type(context, program, &program->parameters.names.items[at], parameter))
			name_set_add(&said, parameter->name);
	}
	/* A sweep may have other names. */
	bool swept = options->swept.count > 0 && options->build.allow_new_parameters;
	if (values.count > 0 || found->list != NULL || swept) {
		/* After the cell of parameters, or else before all blocks. */
		struct block block = {
		        .kind = BLOCK_PARAMETERS,
		        .cell = program->parameters.cell > 0 ? program->parameters.cell : 1,
		        .values = values};
		block_list *list = found->list == NULL ? &program->blocks : found->list;
		size_t at = found->list == NULL ? 0 : found->at + 1;
		vec_push(context->arena, list, block);
		memmove(list->items + at + 1, list->items + at,
		        (list->count - 1 - at) * sizeof *list->items);
		list->items[at] = block;
		program->effects |= NEED_PARAMETERS;
		program->effects |= options->build.allow_new_parameters ? NEED_NEW_PARAMETERS : 0;
	}
}

void pass_parameters(struct pass_context *context)
{
	const struct ir_options *options = context->options;
	size_t count = context->ir->programs.count;
	if (count == 0)
		return;
	struct value_place *found = arena_calloc(context->arena, count, sizeof *found);
	struct name_set known = {.arena = context->arena}, swept = {.arena = context->arena};
	struct name_check check = {.context = context, .known = &known};
	for (size_t i = 0; i < count; i++) {
		struct program *program = &context->ir->programs.items[i];
		search_cell(context, &found[i], &program->blocks);
		if (found[i].cell != NULL) {
			check.has_cell = true;
			program->parameters.cell = found[i].cell->cell;
			program->effects |= NEED_PARAMETERS;
			parameters_read(context->arena, found[i].cell, program);
		}
		for (size_t k = 0; k < program->parameters.names.count; k++)
			name_set_add(&known, program->parameters.names.items[k].name);
	}
	for (size_t i = 0; i < options->parameters.count; i++)
		check_name(&check, &options->parameters.items[i]);
	for (size_t i = 0; i < options->swept.count; i++) {
		size_t before = swept.names.count;
		if (name_set_add(&swept, options->swept.items[i].name) == before)
			check_name(&check, &options->swept.items[i]);
	}
	if (check.unknown > SHOWN_MAX)
		diag_add(context->diags, DIAG_PARAMETER_UNKNOWN, (struct location){0},
		         "%zu more given parameter%s not exist in the notebook",
		         check.unknown - SHOWN_MAX,
		         check.unknown == SHOWN_MAX + 1 ? " does" : "s do");
	for (size_t i = 0; i < count; i++)
		set_values(context, &context->ir->programs.items[i], &found[i], &known);
}
