/* Warnings about names that have no value where they are used. They name the cell that sets the
 * name later. */
#include "ir/analysis/names_report.h"

#include "base/suggest.h"
#include "lex/flow.h"
#include "notebook/notebook.h"

/* Where a name is set. */
struct setter {
	const struct block *block;
	unsigned line;    /* of its cell */
	bool is_compiled; /* its cell is part of the program */
};

struct setters {
	struct arena *arena;
	struct name_set wanted;
	VECTOR(struct setter) list; /* the first setter of each name; BLOCK NULL: none known */
	bool compiled;              /* the cells that are being read are part of the program */
	struct flow_reader *reader;
	flow_events events;
};

/* ---- where names are set ---- */

static void take_setter(struct setters *setters, const struct block *block,
                        const struct lexed_cell *lexed, struct slice name)
{
	if (!name_set_has(&setters->wanted, name))
		return;
	struct setter *setter = &setters->list.items[name_set_add(&setters->wanted, name)];
	if (setter->block != NULL)
		return;
	uint32_t offset = (uint32_t)(name.ptr - lexed->text.ptr);
	*setter = (struct setter){block, lexed_location(lexed, offset, (uint32_t)name.len).line,
	                          setters->compiled};
}

static void read_cell(struct setters *setters, const struct block *block,
                      const struct lexed_cell *lexed)
{
	setters->events.count = 0;
	flow_read(setters->reader, lexed, &setters->events);
	for (size_t i = 0; i < setters->events.count; i++) {
		const struct flow_event *event = &setters->events.items[i];
		if (event->kind == FLOW_BIND || event->kind == FLOW_GLOBAL)
			take_setter(setters, block, lexed, event->name);
	}
	for (size_t i = 0; i < lexed->magics.count; i++) {
		struct slice target = lexed->magics.items[i].target;
		if (lexed->magics.items[i].assigned)
			take_setter(setters, block, lexed, slice_trim(target));
	}
}

static void read_compiled(struct block *block, void *data)
{
	if (block_is_code(block))
		read_cell(data, block, block->lexed);
}

/* A cell that is a comment in the script has not been lexed before. */
static void read_left_out(struct block *block, void *data)
{
	struct setters *setters = data;
	struct cell cell = {.type = CELL_CODE, .number = block->cell, .source = block->source};
	struct diags unheard;
	struct lexed_cell *lexed = ARENA_NEW(setters->arena, struct lexed_cell);
	if (block_is_code(block)) {
		read_cell(setters, block, block->lexed);
	} else if (block->kind == BLOCK_COMMENT) {
		diags_init(&unheard, setters->arena);
		lex_cell(setters->arena, &cell, &unheard, lexed);
		read_cell(setters, block, lexed);
	}
}

static void find_setters(struct setters *setters, const struct pass_context *context,
                         const struct program *program, const unset_name_list *names)
{
	block_list blocks = program->blocks;
	*setters = (struct setters){.arena = context->arena,
	                            .compiled = true,
	                            .reader = flow_reader_new(context->arena)};
	name_set_init(&setters->wanted, context->arena);
	for (size_t i = 0; i < names->count; i++) {
		size_t index = name_set_add(&setters->wanted, names->items[i].name);
		if (index == setters->list.count)
			vec_push(context->arena, &setters->list, (struct setter){0});
	}
	blocks_walk(&blocks, read_compiled, setters);
	setters->compiled = false;
	blocks = context->ir->blocks;
	blocks_walk(&blocks, read_left_out, setters);
}

/* ---- messages ---- */

static void report_setter(struct pass_context *context, const struct unset_name *unset,
                          const struct setter *setter)
{
	struct diags *diags = context->diags;
	struct slice title = block_title(context->arena, setter->block);
	if (!setter->is_compiled) {
		diag_add(diags, DIAG_UNDEFINED_NAME, unset->where,
		         "only %.*s defines '%.*s', but that cell is left out of the script",
		         SLICE_ARG(title), SLICE_ARG(unset->name));
	} else if (setter->block == unset->block) {
		diag_add(diags, DIAG_UNDEFINED_NAME, unset->where,
		         "'%.*s' is used before line %u of the cell defines it",
		         SLICE_ARG(unset->name), setter->line);
	} else {
		diag_add(diags, DIAG_UNDEFINED_NAME, unset->where,
		         "'%.*s' is used before %.*s defines it", SLICE_ARG(unset->name),
		         SLICE_ARG(title));
		diag_hint(diags, DIAG_UNDEFINED_NAME, "move the definition before this cell");
	}
}

/* Returns Python 3's replacement for Python 2's NAME, or NULL. *KNOWN: Python 2 has the name. */
static const char *name_of_today(struct slice name, bool *known)
{
	static const struct {
		struct slice name;
		const char *today;
	} rows[] = {
#define PROVIDED(name)
#define PYTHON_2(name, today) {SLICE_INIT(name), today},
#include "ir/analysis/provided_names.def"
#undef PROVIDED
#undef PYTHON_2
	};
	*known = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !*known; i++) {
		*known = slice_eq(rows[i].name, name);
		if (*known)
			return rows[i].today[0] != '\0' ? rows[i].today : NULL;
	}
	return NULL;
}

static void report_unknown(struct pass_context *context, const struct unset_name *unset,
                           const struct name_set *set)
{
	enum { SHORTEST = 4 }; /* shorter names get no suggestion */
	bool is_python_2;
	const char *today = name_of_today(unset->name, &is_python_2);
	diag_add(context->diags, DIAG_UNDEFINED_NAME, unset->where,
	         is_python_2 ? "'%.*s' exists only in Python 2" : "no cell defines '%.*s'",
	         SLICE_ARG(unset->name));
	if (is_python_2 && today != NULL)
		diag_hint(context->diags, DIAG_UNDEFINED_NAME, "use %s", today);
	if (is_python_2)
		return;
	struct slice near = suggest(unset->name, set->names.items, set->names.count);
	if (near.len > 0 && unset->name.len >= SHORTEST)
		diag_hint(context->diags, DIAG_UNDEFINED_NAME, "did you mean '%.*s'?",
		          SLICE_ARG(near));
}

static struct slice deleter_title(struct arena *arena, const struct unset_name *unset)
{
	return unset->deleted_in == unset->block ? SLICE("the cell")
	                                         : block_title(arena, unset->deleted_in);
}

void names_report(struct pass_context *context, const struct program *program,
                  const unset_name_list *names, struct name_set *set)
{
	enum { SUGGESTIONS_MAX = 20 }; /* each compares with all names */
	static const struct name_set none = {0};
	struct setters setters;
	size_t suggestions = 0;
	find_setters(&setters, context, program, names);
	for (size_t i = 0; i < setters.list.count; i++) {
		if (setters.list.items[i].block != NULL)
			name_set_add(set, setters.wanted.names.items[i]);
	}
	for (size_t i = 0; i < names->count; i++) {
		const struct unset_name *unset = &names->items[i];
		const struct setter *setter =
		        &setters.list.items[name_set_add(&setters.wanted, unset->name)];
		if (unset->deleted_in != NULL)
			diag_add(context->diags, DIAG_UNDEFINED_NAME, unset->where,
			         "'%.*s' is used after %.*s deletes it", SLICE_ARG(unset->name),
			         SLICE_ARG(deleter_title(context->arena, unset)));
		else if (setter->block != NULL)
			report_setter(context, unset, setter);
		else
			report_unknown(context, unset,
			               suggestions++ < SUGGESTIONS_MAX ? set : &none);
	}
}
