/* Adds binding arguments for options that the notebook does not give. */
#include "ir/build/added_arguments.h"

#include "ir/build/config_cells.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct adder {
	struct pass_context *context;
	struct program *program;
};

bool settings_have_argument(const struct program *program, struct slice option)
{
	for (size_t i = 0; i < program->arguments.count; i++) {
		if (slice_starts_with(program->arguments.items[i].text, option))
			return true;
	}
	return false;
}

/* Without --mpp=mpi each rank would be a separate measurement, all in one experiment directory.
 * FILE: the file that imports the module; empty: the notebook. */
static void add_mpi(const struct adder *adder, struct location where, struct slice file)
{
	struct argument argument = {.text = SLICE("--mpp=mpi"), .where = where};
	const char *in = file.len > 0 ? " in '" : "", *end = file.len > 0 ? "'" : "";
	if (settings_have_argument(adder->program, SLICE("--mpp")))
		return;
	diag_add(adder->context->diags, DIAG_ARGS_MPI, where,
	         "'mpi4py'%s%.*s%s may communicate with other ranks; the run script passes "
	         "--mpp=mpi",
	         in, SLICE_ARG(file), end);
	vec_push(adder->context->arena, &adder->program->arguments, argument);
}

/* True if CELL imports mpi4py. *OUT: the name in its text. */
static bool find_mpi(const struct adder *adder, const struct lexed_cell *cell, struct slice *out)
{
	syntax_slices modules = {0};
	if (!name_filter_may_have(&cell->names, SLICE("mpi4py")))
		return false;
	syntax_imported_modules(adder->context->arena, cell, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		*out = modules.items[i];
		if (slice_eq(*out, SLICE("mpi4py")))
			return true;
	}
	return false;
}

static void look_at_block(struct block *block, void *data)
{
	const struct adder *adder = data;
	struct slice found;
	if (block_is_code(block) && find_mpi(adder, block->lexed, &found))
		add_mpi(adder,
		        block_location(block, (uint32_t)(found.ptr - block->code.text.ptr),
		                       (uint32_t)found.len),
		        slice_make("", 0));
}

void settings_add_arguments(struct pass_context *context, struct program *program)
{
	struct adder adder = {context, program};
	struct slice found;
	/* facts: bindings, "Starting": without --thread=pthread, a thread that starts while the
	 * instrumenter is on ends the process and loses the measurement. The bindings up to 4.4
	 * always set it. It costs nothing, and any library may start a thread. */
	struct argument argument = {.text = SLICE("--thread=pthread")};
	if (!settings_have_argument(program, SLICE("--thread")))
		vec_push(context->arena, &program->arguments, argument);
	blocks_walk(&program->blocks, look_at_block, &adder);
	for (size_t i = 0; i < program->others.count; i++) {
		const struct other_code *other = &program->others.items[i];
		if (find_mpi(&adder, other->lexed, &found))
			add_mpi(&adder, other->where, other->file);
	}
}
