/* Warns about names that a cell uses before any cell has defined them, as in a notebook that was
 * saved after its cells ran in another order. The search visits the blocks in the order in which
 * the script runs them. It ends at code that may define any name (a star import, exec(), a magic
 * that IPython runs), so that a reported name certainly has no value. */
#include "ir/analysis/names_report.h"
#include "ir/build/builder.h"
#include "ir/build/magic_meaning.h"
#include "ir/lower/jumper_arguments.h"
#include "lex/flow.h"
#include "lex/magic_table.h"
#include "notebook/notebook.h"

enum name_state {
	NAME_UNSET, /* new to the search */
	NAME_SET,
	NAME_SHARED, /* a function may set it again after `del` */
	NAME_DELETED,
	NAME_REPORTED,
};

struct known_name {
	enum name_state state;
	const struct block *deleted_in;
};

struct search {
	struct pass_context *context;
	struct program *program;
	struct name_set names;
	VECTOR(struct known_name) known; /* for each of the names */
	unset_name_list unset;
	struct flow_reader *reader;
	flow_events events; /* of the blocks being visited, the innermost last */
	bool ended;         /* any name may have a value */
};

static void search_blocks(struct search *search, const block_list *blocks);

/* ---- names ---- */

static bool is_provided(struct slice name)
{
	static const struct slice provided[] = {
#define PROVIDED(name) SLICE_INIT(name),
#define PYTHON_2(name, today)
#include "ir/analysis/provided_names.def"
#undef PROVIDED
#undef PYTHON_2
	};
	return slice_is_one_of(name, provided, sizeof provided / sizeof *provided);
}

/* True for names of IPython's history, "_", "_i3", "_oh", for Python's own names, "__name__", and
 * for names with letters beyond ASCII, which Python normalizes before it compares them. */
static bool is_special(struct slice name)
{
	static const struct slice history[] = {SLICE_INIT("_oh"), SLICE_INIT("_ih"),
	                                       SLICE_INIT("_dh"), SLICE_INIT("_sh"),
	                                       SLICE_INIT("_exit_code")};
	bool is_numbered = name.ptr[0] == '_';
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char)name.ptr[i] >= 0x80)
			return true;
		is_numbered &=
		        name.ptr[i] == '_' || name.ptr[i] == 'i' || ascii_is_digit(name.ptr[i]);
	}
	return is_numbered || slice_is_one_of(name, history, sizeof history / sizeof *history) ||
	       (slice_starts_with(name, SLICE("__")) && slice_ends_with(name, SLICE("__"))) ||
	       slice_starts_with(name, SLICE("_nbscorep"));
}

static struct known_name *know(struct search *search, struct slice name)
{
	size_t index = name_set_add(&search->names, name);
	if (index == search->known.count)
		vec_push(search->context->arena, &search->known,
		         (struct known_name){NAME_UNSET, NULL});
	return &search->known.items[index];
}

static void set_name(struct search *search, struct slice name, enum name_state state)
{
	struct known_name *known = know(search, name);
	if (known->state != NAME_SHARED)
		known->state = state;
}

static void delete_name(struct search *search, struct slice name, const struct block *block)
{
	struct known_name *known = know(search, name);
	if (known->state == NAME_SET)
		*known = (struct known_name){NAME_DELETED, block};
}

/* Returns the place of NAME in the text of BLOCK, or else MAGIC, which must not be NULL then. */
static struct location name_location(const struct block *block, struct slice name,
                                     const struct location *magic)
{
	uintptr_t text = (uintptr_t)block->code.text.ptr, at = (uintptr_t)name.ptr;
	if (magic != NULL && (at < text || at >= text + block->code.text.len))
		return *magic;
	return block_location(block, (uint32_t)(at - text), (uint32_t)name.len);
}

/* MAGIC: as in name_location(). */
static void use_name(struct search *search, const struct block *block, struct slice name,
                     const struct location *magic)
{
	struct known_name *known = know(search, name);
	if (known->state == NAME_SET || known->state == NAME_SHARED ||
	    known->state == NAME_REPORTED)
		return;
	if (known->state == NAME_UNSET && (is_provided(name) || is_special(name))) {
		known->state = NAME_SET;
		return;
	}
	struct unset_name found = {.name = name,
	                           .block = block,
	                           .deleted_in = known->deleted_in,
	                           .where = name_location(block, name, magic)};
	known->state = NAME_REPORTED;
	vec_push(search->context->arena, &search->unset, found);
}

/* ---- magics ---- */

/* True for magics of IPython and JUmPER that may set names that are not in their line. */
static bool sets_any_name(const struct magic *magic)
{
	static const struct slice names[] = {
	        SLICE_INIT("run"),
	        SLICE_INIT("pylab"),
	        SLICE_INIT("perfmonitor_export_perfdata"),
	        SLICE_INIT("perfmonitor_load_perfdata"),
	        SLICE_INIT("perfmonitor_export_cell_history"),
	        SLICE_INIT("perfmonitor_load_cell_history"),
	        SLICE_INIT("import_session"),
	};
	bool is_escape = magic->kind != MAGIC_LINE && magic->kind != MAGIC_CELL;
	if (jumper_other_kernel(magic).len > 0) /* an error: the following cells are not Python */
		return true;
	if (is_escape || magic_means_nothing(magic))
		return false;
	if (magic->row == NULL || slice_is_one_of(magic->name, names, sizeof names / sizeof *names))
		return true;
	return magic->row->action == ACTION_IPYTHON || magic->row->action == ACTION_DROP ||
	       magic->row->action == ACTION_INCLUDE;
}

static void set_words(struct search *search, struct slice text)
{
	for (struct slice name; slice_next_name(&text, &name);)
		set_name(search, name, NAME_SET);
}

static void take_events(struct search *search, const struct block *block, size_t from,
                        const struct location *magic);

/* Visits CODE in the line of the magic at WHERE. */
static void search_code(struct search *search, const struct block *block, struct slice code,
                        struct location where, bool is_certain)
{
	struct arena *arena = search->context->arena;
	struct cell cell = {.type = CELL_CODE, .source = code};
	struct lexed_cell lexed;
	struct diags unheard;
	size_t from = search->events.count;
	diags_init(&unheard, arena);
	lex_cell(arena, &cell, &unheard, &lexed);
	flow_read(search->reader, &lexed, &search->events);
	for (size_t i = from; !is_certain && i < search->events.count; i++) {
		if (search->events.items[i].kind == FLOW_USE)
			search->events.items[i].kind = FLOW_NOTHING;
	}
	search->ended |= lexed.magics.count > 0;
	take_events(search, block, from, &where);
}

static void search_magic(struct search *search, const struct block *block,
                         const struct magic *magic, bool is_certain)
{
	struct slice code;
	struct location where = magic->kind == MAGIC_CELL
	                                ? lexed_head_location(block->lexed, magic)
	                                : block_location(block, magic->offset, magic->len);
	if (magic->assigned)
		set_words(search, magic->target);
	bool takes_none = magic->kind == MAGIC_CELL && slice_eq(magic->name, SLICE("time"));
	if (sets_any_name(magic))
		search->ended = true;
	else if (magic_runs_code(magic, &code) && !takes_none)
		search_code(search, block, code, where, is_certain);
	else if (magic->kind == MAGIC_CELL)
		set_words(search, magic->args); /* %%capture out, %%bash --out x */
}

/* Returns the inclusion of magic number MAGIC, or NULL. The list is in the order of magics. */
static const struct include *find_include(const struct block *block, uint32_t magic)
{
	size_t low = 0, high = block->includes.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (block->includes.items[middle].magic < magic)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < block->includes.count && block->includes.items[low].magic == magic;
	return found ? &block->includes.items[low] : NULL;
}

/* Visits magic number INDEX of the block. */
static void search_line(struct search *search, const struct block *block, uint32_t index,
                        bool is_certain)
{
	const struct include *include = find_include(block, index);
	if (include != NULL && is_certain && include->blocks.count > 0)
		search_blocks(search, &include->blocks);
	else
		search_magic(search, block, &block->lexed->magics.items[index], is_certain);
}

/* ---- blocks ---- */

static void take_event(struct search *search, const struct block *block,
                       const struct flow_event *event, const struct location *magic)
{
	switch (event->kind) {
	case FLOW_NOTHING:
		break;
	case FLOW_USE:
		use_name(search, block, event->name, magic);
		break;
	case FLOW_BIND:
		set_name(search, event->name, NAME_SET);
		break;
	case FLOW_GLOBAL:
		set_name(search, event->name, NAME_SHARED);
		break;
	case FLOW_DELETE:
		delete_name(search, event->name, block);
		break;
	case FLOW_MAGIC:
	case FLOW_MAGIC_PERHAPS:
		search_line(search, block, event->index, event->kind == FLOW_MAGIC);
		break;
	case FLOW_ANY:
	case FLOW_END:
		search->ended = true;
		break;
	}
}

/* Visits the events from number FROM on and removes them from the list. */
static void take_events(struct search *search, const struct block *block, size_t from,
                        const struct location *magic)
{
	size_t count = search->events.count;
	for (size_t i = from; i < count && !search->ended; i++) {
		struct flow_event event = search->events.items[i];
		take_event(search, block, &event, magic);
	}
	search->events.count = from;
}

/* In a cell that may raise an error, nothing is certain. */
static void soften(flow_events *events, size_t from)
{
	for (size_t i = from; i < events->count; i++) {
		enum flow_kind kind = events->items[i].kind;
		if (kind == FLOW_USE || kind == FLOW_DELETE || kind == FLOW_END)
			events->items[i].kind = FLOW_NOTHING;
		else if (kind == FLOW_MAGIC)
			events->items[i].kind = FLOW_MAGIC_PERHAPS;
	}
}

static void search_cell(struct search *search, const struct block *block)
{
	const struct lexed_cell *lexed = block->lexed;
	size_t from = search->events.count;
	for (size_t i = 0; i < lexed->cell_magics.count; i++)
		search_magic(search, block, &lexed->cell_magics.items[i], !block->may_raise);
	if (search->ended || !block_is_code(block))
		return;
	flow_read(search->reader, lexed, &search->events);
	if (block->may_raise)
		soften(&search->events, from);
	take_events(search, block, from, NULL);
}

static void search_block(struct search *search, const struct block *block)
{
	for (size_t i = 0; i < block->values.count; i++)
		set_name(search, block->values.items[i].name, NAME_SET);
	if (block->kind == BLOCK_PARAMETERS && search->program->takes_any_parameter)
		search->ended = true;
	if (block_is_code(block) || block->kind == BLOCK_FOREIGN)
		search_cell(search, block);
	search_blocks(search, &block->blocks);
}

static void search_blocks(struct search *search, const block_list *blocks)
{
	for (size_t i = 0; i < blocks->count && !search->ended; i++)
		search_block(search, &blocks->items[i]);
}

/* Sets SET to the names that have or had a value. */
static void find_set_names(const struct search *search, struct name_set *set)
{
	name_set_init(set, search->context->arena);
	for (size_t i = 0; i < search->known.count; i++) {
		enum name_state state = search->known.items[i].state;
		if (state != NAME_UNSET && state != NAME_REPORTED)
			name_set_add(set, search->names.names.items[i]);
	}
}

void pass_names(struct pass_context *context)
{
	if (context->diags->severity[DIAG_UNDEFINED_NAME] == SEVERITY_IGNORED)
		return;
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct search search = {.context = context,
		                        .program = &context->ir->programs.items[i],
		                        .reader = flow_reader_new(context->arena)};
		struct name_set set;
		name_set_init(&search.names, context->arena);
		search_blocks(&search, &search.program->blocks);
		if (search.unset.count == 0)
			continue;
		find_set_names(&search, &set);
		names_report(context, search.program, &search.unset, &set);
	}
}
