/* Binding arguments that the code of a notebook needs, added where it gives none of their option. */
#include "ir/settings.h"

#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct need {
	struct slice option, argument;
	enum diag_kind kind;
	const char *why;
};

/* facts: bindings, "Starting": without --thread a thread that starts while the instrumenter is on
 * ends the measurement; with it, threads and processes work. */
static const struct need threads = {SLICE_INIT("--thread"), SLICE_INIT("--thread=pthread"),
                                    DIAG_ARGS_THREAD, "may start threads"};

/* Without it each rank would be a measurement of its own, all in one experiment directory. */
static const struct need mpi = {SLICE_INIT("--mpp"), SLICE_INIT("--mpp=mpi"), DIAG_ARGS_MPI,
                                "may talk to other ranks"};

static bool starts_threads(struct slice module)
{
	static const struct slice modules[] = {
#define STARTS_THREADS_IMPORT(module) SLICE_INIT(module),
#define STARTS_THREADS_NAME(name, module)
#include "ir/threads.def"
#undef STARTS_THREADS_IMPORT
#undef STARTS_THREADS_NAME
	};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules);
}

/* Modules that draw with matplotlib when they are told to. */
static bool may_draw(struct slice module)
{
	static const struct slice modules[] = {
	        SLICE_INIT("pandas"),      SLICE_INIT("geopandas"), SLICE_INIT("networkx"),
	        SLICE_INIT("skimage"),     SLICE_INIT("sympy"),     SLICE_INIT("shap"),
	        SLICE_INIT("statsmodels"),
	};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules);
}

/* matplotlib has a Timer while it makes its first list of fonts. */
static bool draws(const struct program *program, struct slice module)
{
	return module_draws(module) || (program->has_figures && may_draw(module));
}

static const struct name {
	struct slice name, module;
} names[] = {
#define STARTS_THREADS_IMPORT(module)
#define STARTS_THREADS_NAME(name, module) {SLICE_INIT(name), SLICE_INIT(module)},
#include "ir/threads.def"
#undef STARTS_THREADS_IMPORT
#undef STARTS_THREADS_NAME
};

enum { NAME_COUNT = sizeof names / sizeof *names };

/* The row of NAME, or NAME_COUNT. */
static size_t find_name(struct slice name)
{
	size_t row = 0;
	while (row < NAME_COUNT && !slice_eq(name, names[row].name))
		row++;
	return row;
}

bool settings_have_argument(const struct program *program, struct slice option)
{
	for (size_t i = 0; i < program->arguments.count; i++) {
		if (slice_starts_with(program->arguments.items[i].text, option))
			return true;
	}
	return false;
}

struct adder {
	struct pass_context *context;
	struct program *program;
	struct name_filter wanted; /* those of threads.def */
	bool knows_imports;
	bool imported[NAME_COUNT]; /* then: the module of each row */
};

static void add_imports(struct adder *adder, const struct lexed_cell *cell)
{
	syntax_slices modules = {0};
	syntax_imported_modules(adder->context->arena, cell, &modules);
	for (size_t i = 0; i < NAME_COUNT; i++)
		adder->imported[i] |=
		        slice_is_one_of(names[i].module, modules.items, modules.count);
}

static void find_imports(struct block *block, void *data)
{
	struct adder *adder = data;
	if (block_is_code(block))
		add_imports(adder, block->lexed);
}

static void find_all_imports(struct adder *adder)
{
	blocks_walk(&adder->program->blocks, find_imports, adder);
	for (size_t i = 0; i < adder->program->others.count; i++)
		add_imports(adder, adder->program->others.items[i].lexed);
}

/* Few notebooks have such names, so all are looked through for the first one. */
static bool imports_module_of(struct adder *adder, size_t row)
{
	if (names[row].module.len == 0)
		return true;
	if (!adder->knows_imports)
		find_all_imports(adder);
	adder->knows_imports = true;
	return adder->imported[row];
}

/* The code of a block, or other code. */
struct place {
	const struct block *block; /* NULL: other code */
	const struct other_code *other;
	const struct lexed_cell *cell;
};

/* WHAT is a part of the text at PLACE. */
static void add(struct adder *adder, const struct place *place, const struct need *need,
                struct slice what)
{
	const struct block *block = place->block;
	struct location where;
	if (settings_have_argument(adder->program, need->option))
		return;
	if (block != NULL || place->other->file.len == 0) {
		where = block == NULL
		                ? place->other->where
		                : block_location(block, (uint32_t)(what.ptr - block->code.text.ptr),
		                                 (uint32_t)what.len);
		diag_add(adder->context->diags, need->kind, where,
		         "'%.*s' %s; the run script has %.*s for them", SLICE_ARG(what), need->why,
		         SLICE_ARG(need->argument));
	} else {
		where = place->other->where;
		diag_add(adder->context->diags, need->kind, where,
		         "'%.*s' in '%.*s' %s; the run script has %.*s for them", SLICE_ARG(what),
		         SLICE_ARG(place->other->file), need->why, SLICE_ARG(need->argument));
	}
	struct argument argument = {.text = need->argument, .where = where};
	vec_push(adder->context->arena, &adder->program->arguments, argument);
}

static void look_at_names(struct adder *adder, const struct place *place)
{
	const struct lexed_cell *cell = place->cell;
	bool is_definition = false;
	if (!name_filters_may_meet(&cell->names, &adder->wanted) ||
	    settings_have_argument(adder->program, threads.option))
		return;
	for (size_t i = 0; i < cell->tokens.count; i++) {
		struct slice text = token_text(cell, &cell->tokens.items[i]);
		if (cell->tokens.items[i].kind != TOKEN_NAME)
			continue;
		size_t row = is_definition ? NAME_COUNT : find_name(text);
		if (row < NAME_COUNT && imports_module_of(adder, row))
			add(adder, place, &threads, text);
		is_definition = slice_eq(text, SLICE("def"));
	}
}

static void look_at(struct adder *adder, const struct place *place)
{
	syntax_slices modules = {0};
	syntax_imported_modules(adder->context->arena, place->cell, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		if (starts_threads(modules.items[i]) || draws(adder->program, modules.items[i]))
			add(adder, place, &threads, modules.items[i]);
		else if (slice_eq(modules.items[i], SLICE("mpi4py")))
			add(adder, place, &mpi, modules.items[i]);
	}
	look_at_names(adder, place);
}

static void look_at_block(struct block *block, void *data)
{
	if (block_is_code(block))
		look_at(data, &(struct place){.block = block, .cell = block->lexed});
}

void settings_add_arguments(struct pass_context *context, struct program *program)
{
	struct adder adder = {.context = context, .program = program};
	for (size_t i = 0; i < NAME_COUNT; i++)
		name_filter_add(&adder.wanted, names[i].name);
	blocks_walk(&program->blocks, look_at_block, &adder);
	for (size_t i = 0; i < program->others.count; i++) {
		const struct other_code *other = &program->others.items[i];
		look_at(&adder, &(struct place){.other = other, .cell = other->lexed});
	}
}
