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

/* Modules that start threads or processes: matplotlib a Timer while it makes its first list of
 * fonts, tqdm a monitor of its bars. */
static bool starts_threads(struct slice module)
{
	static const struct slice modules[] = {
	        SLICE_INIT("threading"),   SLICE_INIT("multiprocessing"),
	        SLICE_INIT("concurrent"),  SLICE_INIT("_thread"),
	        SLICE_INIT("joblib"),      SLICE_INIT("dask"),
	        SLICE_INIT("distributed"), SLICE_INIT("matplotlib"),
	        SLICE_INIT("pylab"),       SLICE_INIT("seaborn"),
	        SLICE_INIT("tqdm"),        SLICE_INIT("ray"),
	};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules);
}

/* asyncio's functions that run others in threads. */
static bool uses_executor(struct slice name)
{
	static const struct slice names[] = {SLICE_INIT("run_in_executor"),
	                                     SLICE_INIT("to_thread")};
	return slice_is_one_of(name, names, sizeof names / sizeof *names);
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
};

/* WHAT is a part of the block's text. */
static void add(struct adder *adder, const struct block *block, const struct need *need,
                struct slice what)
{
	if (settings_have_argument(adder->program, need->option))
		return;
	struct location where = block_location(block, (uint32_t)(what.ptr - block->code.text.ptr),
	                                       (uint32_t)what.len);
	diag_add(adder->context->diags, need->kind, where,
	         "'%.*s' %s; the run script has %.*s for them", SLICE_ARG(what), need->why,
	         SLICE_ARG(need->argument));
	struct argument argument = {.text = need->argument, .where = where};
	vec_push(adder->context->arena, &adder->program->arguments, argument);
}

static void look_at_names(struct adder *adder, const struct block *block)
{
	const struct lexed_cell *cell = block->lexed;
	bool is_definition = false;
	for (size_t i = 0; i < cell->tokens.count; i++) {
		struct slice text = token_text(cell, &cell->tokens.items[i]);
		if (cell->tokens.items[i].kind != TOKEN_NAME)
			continue;
		if (uses_executor(text) && !is_definition)
			add(adder, block, &threads, text);
		is_definition = slice_eq(text, SLICE("def"));
	}
}

static void look_at(struct block *block, void *data)
{
	struct adder *adder = data;
	if (!block_is_code(block))
		return;
	syntax_slices modules = {0};
	syntax_imported_modules(adder->context->arena, block->lexed, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		if (starts_threads(modules.items[i]))
			add(adder, block, &threads, modules.items[i]);
		else if (slice_eq(modules.items[i], SLICE("mpi4py")))
			add(adder, block, &mpi, modules.items[i]);
	}
	look_at_names(adder, block);
}

void settings_add_arguments(struct pass_context *context, struct program *program)
{
	struct adder adder = {context, program};
	blocks_walk(&program->blocks, look_at, &adder);
}
