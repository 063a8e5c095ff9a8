/* Collects the environment and binding arguments of each program, and checks them by Score-P's
 * rules. */
#include "base/quote.h"
#include "ir/build/magic_meaning.h"
#include "ir/passes.h"
#include "scorep/args.h"
#include "scorep/variables.h"

struct collector {
	struct pass_context *context;
	struct program *program;
	struct name_set names; /* of program->environment, each once */
	VECTOR(size_t) latest; /* for each name, the index of its last setting */
	bool instrumented;     /* an instrumented block has been visited */
};

static void add_setting(struct collector *c, const struct setting *setting)
{
	struct program *program = c->program;
	if (scorep_is_kernel_variable(setting->name)) {
		diag_add(c->context->diags, DIAG_MAGIC_NO_EFFECT, setting->name_where,
		         "'%.*s' is a variable of the Jupyter kernel; it is not exported",
		         SLICE_ARG(setting->name));
		return;
	}
	size_t index = name_set_add(&c->names, setting->name);
	const struct setting *known = NULL;
	if (index < c->latest.count)
		known = &program->environment.items[c->latest.items[index]];
	/* A setting of the command line, which the notebook cannot change (nbscorep.yaml(5)). */
	if (known != NULL && known->name_where.cell == 0 && known->name_where.line == 0)
		return;
	scorep_check_variable(c->context->diags, setting->name_where, setting->value_where,
	                      setting->name, setting->value);
	/* Score-P reads its variables once, when the process starts. */
	if (c->instrumented && slice_starts_with(setting->name, SLICE("SCOREP_")) &&
	    !slice_eq(setting->value, known == NULL ? slice_make(NULL, 0) : known->value))
		diag_add(c->context->diags, DIAG_SCOREP_LATE, setting->name_where,
		         "'%.*s' changes after an instrumented cell, but Score-P reads it once; "
		         "this value applies to the whole run",
		         SLICE_ARG(setting->name));
	if (known == NULL)
		vec_push(c->context->arena, &c->latest, program->environment.count);
	else if (slice_eq(known->value, setting->value) && !bash_has_expansion(setting->value))
		return;
	else
		c->latest.items[index] = program->environment.count;
	/* In order, as in a shell: P=/a, Q=$P, P=$P:/b. */
	vec_push(c->context->arena, &program->environment, *setting);
}

/* True unless the cell has only settings and magics without effect in batch. */
static bool runs_code(const struct block *block)
{
	const struct lexed_cell *cell = block->code->lexed;
	vec_each(const struct logical_line, line, &cell->logical) {
		if (line->kind == LINE_CODE)
			return true;
		if (line->kind != LINE_MAGIC)
			continue;
		const struct magic *magic = &cell->magics.items[line->magic];
		if (!magic_means_nothing(magic) &&
		    (magic->row == NULL || magic->row->action != ACTION_ENV))
			return true;
	}
	return block_is_called(block);
}

/* ---- arguments that the notebook does not give ---- */

static bool has_argument(const struct program *program, struct slice option)
{
	for (size_t i = 0; i < program->arguments.count; i++) {
		if (slice_starts_with(program->arguments.items[i].text, option))
			return true;
	}
	return false;
}

static void add_missing_arguments(struct pass_context *context, struct program *program)
{
	/* facts: bindings, "Starting": without --thread=pthread, a thread that starts while the
	 * instrumenter is on ends the process and loses the measurement. The bindings up to 4.4
	 * always set it. It costs nothing, and any library may start a thread. */
	struct argument argument = {.text = SLICE("--thread=pthread")};
	if (!has_argument(program, SLICE("--thread")))
		vec_push(context->arena, &program->arguments, argument);
	vec_each(const struct import, import, &program->imports) {
		struct slice file = import->file;
		const char *in = file.len > 0 ? " in '" : "", *end = file.len > 0 ? "'" : "";
		if (!slice_eq(import->path, SLICE("mpi4py")) ||
		    has_argument(program, SLICE("--mpp")))
			continue;
		/* Without --mpp=mpi each rank would be a separate measurement, all in one experiment
		 * directory. */
		diag_add(context->diags, DIAG_ARGS_MPI, import->where,
		         "'mpi4py'%s%.*s%s may communicate with other ranks; the run script passes "
		         "--mpp=mpi",
		         in, SLICE_ARG(file), end);
		argument = (struct argument){.text = SLICE("--mpp=mpi"), .where = import->where};
		vec_push(context->arena, &program->arguments, argument);
	}
}

/* ---- checks ---- */

/* True if the program records a trace or profile. Reports unsuitable combinations. */
static bool check_recording(struct pass_context *context, const struct program *program)
{
	struct slice names[] = {SLICE("SCOREP_ENABLE_TRACING"), SLICE("SCOREP_ENABLE_PROFILING")};
	const struct setting *settings[2];
	struct location where = {0};
	bool on[2];
	for (size_t i = 0; i < 2; i++) {
		settings[i] = program_setting(program, names[i]);
		on[i] = scorep_is_on(names[i], settings[i] == NULL ? NULL : &settings[i]->value);
		if (settings[i] != NULL)
			where = settings[i]->value_where;
	}
	scorep_check_modes(context->diags, where, on[0], on[1]);
	/* Only for a choice of the notebook: a configuration is for all notebooks. */
	if (on[0] && on[1] && settings[1] == NULL && settings[0]->cell > 0) {
		diag_add(context->diags, DIAG_SCOREP_PROFILING, where,
		         "profiling is also on, and can take more time than tracing");
		diag_hint(context->diags, DIAG_SCOREP_PROFILING,
		          "set SCOREP_ENABLE_PROFILING=false to disable profiling");
	}
	return on[0] || on[1];
}

void pass_settings(struct pass_context *context, struct program *program)
{
	struct collector c = {
	        .context = context, .program = program, .names.arena = context->arena};
	block_refs blocks = blocks_flatten(context->arena, &program->blocks);
	bool appends = false;   /* the old kernel's dialect: arguments accumulate */
	bool configured = true; /* the arguments so far are from the configuration */
	/* facts: the kernel with %%scorep_env cells accumulated arguments in write mode. */
	for (size_t i = 0; i < blocks.count; i++)
		appends |= program->from_section && blocks.items[i]->kind == BLOCK_ENV;
	/* The settings that apply before the notebook's first cell. */
	const struct ir_options *options = context->options;
	for (size_t i = 0; i < options->settings.count; i++)
		add_setting(&c, &options->settings.items[i]);
	for (size_t i = 0; i < options->arguments.count; i++)
		vec_push(context->arena, &program->arguments, options->arguments.items[i]);
	for (size_t i = 0; i < blocks.count; i++) {
		const struct block *block = blocks.items[i];
		for (size_t k = 0; block->kind == BLOCK_ENV && k < block->settings.count; k++)
			add_setting(&c, &block->settings.items[k]);
		for (size_t k = 0; block_runs(block) && k < block->code->settings.count; k++)
			add_setting(&c, &block->code->settings.items[k]);
		c.instrumented |= block->kind == BLOCK_EXECUTE && runs_code(block);
		if (block->kind != BLOCK_ARGS)
			continue;
		/* Arguments of the configuration are defaults. */
		if (configured)
			program->arguments.count = 0;
		configured = false;
		if (program->arguments.count > 0 && !appends) {
			diag_add(context->diags, DIAG_ARGS_REPLACED, block->args->where,
			         "these binding arguments replace those of cell %u",
			         program->arguments.items[0].where.cell);
			program->arguments.count = 0;
		}
		for (size_t k = 0; k < block->args->list.count; k++)
			vec_push(context->arena, &program->arguments, block->args->list.items[k]);
	}
	/* --filter overrides the notebook. */
	struct setting filter = {
	        .name = SLICE("SCOREP_FILTERING_FILE"), .value = options->filter, .literal = true};
	if (filter.value.len > 0)
		vec_push(context->arena, &program->environment, filter);
	add_missing_arguments(context, program);
	/* facts: bindings, "Variables": ranks would overwrite each other's experiment directory. */
	if (check_recording(context, program) && c.instrumented && options->ranks > 1 &&
	    !has_argument(program, SLICE("--mpp"))) {
		diag_add(context->diags, DIAG_ARGS_RANKS, program->where,
		         "%zu ranks are measured separately, each in its own experiment directory",
		         options->ranks);
		diag_hint(context->diags, DIAG_ARGS_RANKS,
		          "use the binding argument --mpp=mpi to measure MPI ranks together");
	}
}
