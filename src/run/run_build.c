#include "run/run_build.h"

#include <errno.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/paths.h"
#include "driver/config_program.h"
#include "driver/python.h"
#include "driver/read_sweep.h"
#include "driver/write_outputs.h"
#include "emit/run_steps.h"
#include "process/scratch.h"
#include "run/bindings.h"
#include "run/run.h"
#include "run/supported.h"

static void copy_text(struct run *run, bool is_export, struct slice name, struct slice value,
                      bool expands)
{
	struct arena *arena = run_arena(run);
	struct run_text text = {arena_dup(arena, name), arena_dup(arena, value), expands};
	if (is_export)
		vec_push(arena, &run->plan.exports, text);
	else
		vec_push(arena, &run->plan.arguments, text);
}

/* PATH as programs find it that start in another folder. Returns -1 with a diagnostic if the system
 * fails. */
static int find_real_path(struct run *run, struct compilation *c, struct slice path,
                          struct slice *out)
{
	*out = os_real_path(run_arena(run), path);
	if (out->len > 0)
		return 0;
	c->system_failed = true;
	diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot find '%.*s': %s",
	         SLICE_ARG(path), strerror(errno));
	return -1;
}

static int find_places(struct run *run, struct compilation *c, const struct outputs *outputs)
{
	struct slice script = slice_from(outputs->script);
	struct slice run_script = slice_from(outputs->run_script);
	run->plan.script = arena_dup(run_arena(run), path_file(script));
	if (find_real_path(run, c, path_folder(script), &run->plan.script_folder) < 0 ||
	    find_real_path(run, c, run_script, &run->run_script) < 0 ||
	    find_real_path(run, c, compile_folder(c), &run->plan.folder) < 0)
		return -1;
	return c->ir.programs.items[0].takes_parameters
	               ? find_real_path(run, c, SLICE("."), &run->start_folder)
	               : 0;
}

/* The script's magics that sample take this nbscorep, unless the user names another one. */
static void name_own_program(struct run *run)
{
	struct slice name = SLICE("NBSCOREP"), path = os_program_path(run_arena(run));
	if (path.len == 0 || getenv(name.ptr) != NULL)
		return;
	environment_set(&run->environment, name, path);
	setenv(name.ptr, arena_cstr(run_arena(run), path), 0); /* for the run script */
}

static void plan_program(struct run *run, const struct compilation *c, struct slice runtime)
{
	struct arena *arena = run_arena(run);
	const struct program *program = &c->ir.programs.items[0];
	run->plan.runtime = arena_dup(arena, runtime);
	run->opens_vampir = run->settings.vampir || program->opens_vampir;
	if ((program->effects & EFFECT_JUMPER) != 0)
		name_own_program(run);
	for (size_t i = 0; i < program->environment.count; i++) {
		const struct setting *setting = &program->environment.items[i];
		copy_text(run, true, setting->name, setting->value, !setting->literal);
	}
	for (size_t i = 0; i < program->arguments.count; i++) {
		const struct argument *argument = &program->arguments.items[i];
		copy_text(run, false, slice_make("", 0), argument->text, argument->expands);
	}
}

/* The script goes into a new folder, whatever folders its name has. */
static int make_scratch(struct run *run, struct compilation *c)
{
	struct arena *arena = run_arena(run);
	struct slice name = path_file(c->ir.programs.items[0].name);
	run->scratch = scratch_make(arena);
	if (run->scratch == NULL) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, (struct location){0},
		         "cannot make a temporary folder: %s", strerror(errno));
		return -1;
	}
	run->build.output = arena_printf(arena, "%s/%.*s.py", run->scratch, SLICE_ARG(name)).ptr;
	return 0;
}

const char *run_python(const struct run *run, const struct environment *environment)
{
	const char *variable = environment_get(environment, SLICE("PYTHON"));
	bool is_set = variable != NULL && variable[0] != '\0';
	return python_find(environment,
	                   run->python != NULL || is_set ? run->python : run->configured_python);
}

/* True if the program will be measured, as far as is known before is_measured() is called. */
static bool may_be_measured(struct run *run, struct environment *environment)
{
	const char *named = run_python(run, environment);
	const char *python = environment_find_program(environment, named);
	struct slice reason;
	return !run->settings.if_available ||
	       (python != NULL && bindings_ask(environment, python, &reason) != BINDINGS_MISSING);
}

/* Reports what the bindings would end the run for, at its place in the notebook. */
static void check_support(struct run *run, struct compilation *c)
{
	const struct program *program = &c->ir.programs.items[0];
	struct environment environment;
	struct supported supported = {.arena = c->arena};
	if (run->build.no_scorep || run->build.dry_run)
		return;
	environment_init(&environment, c->arena, environ);
	if (run_plan_export(&run->plan, &environment).len > 0 ||
	    bindings_are_prepared(&environment))
		return;
	supported.scorep_config = environment_find_program(&environment, "scorep-config");
	if (supported.scorep_config != NULL && supported_refuses(&supported, program) &&
	    may_be_measured(run, &environment))
		supported_report(&supported, program, &c->diags, DIAG_ARGS_OPTION);
}

static const char *kept_text(struct run *run, struct slice text)
{
	return text.len == 0 ? NULL : arena_cstr(run_arena(run), text);
}

/* The tasks that sbatch or salloc was asked for, as the run script takes them; 0: one. */
static size_t allocated_tasks(void)
{
	const char *tasks = getenv("SLURM_NTASKS");
	size_t count;
	return tasks != NULL && setting_read_count(tasks, &count) && count > 1 ? count : 0;
}

/* What starting the program needs of the configuration. */
static void take_configuration(struct run *run, struct compilation *c)
{
	struct slice python = config_program_python(c);
	if (slice_find(python, '/', 0) < python.len)
		python = path_join(c->arena, run->plan.folder, python);
	run->configured_python = kept_text(run, python);
	const char *ranks = arena_cstr(c->arena, config_text(&c->config.ranks));
	(void)setting_read_count(ranks, &run->build.ranks);
	if (run->build.ranks == 0 && c->ir.programs.items[0].uses_mpi)
		run->build.ranks = allocated_tasks();
	run->build.launcher = kept_text(run, config_text(&c->config.launcher));
}

static void take_sweep(struct run *run, const struct compilation *c, const char *run_script)
{
	struct arena *arena = run_arena(run);
	sweep_write_sets(arena, &c->sweep, sweep_sets_of(c, &c->ir.programs.items[0]),
	                 &run->sweep.texts);
	run->sweep.shown = sweep_results(arena, slice_from(run_script));
	run->sweep.results = sweep_results(arena, run->run_script);
}

void run_build(struct compilation *c, const struct build_settings *settings, void *data)
{
	struct run *run = data;
	struct taken taken = {.arena = c->arena, .arguments = &run->settings.arguments};
	struct outputs outputs = {.progress = run->report.told};
	struct build_settings effective = *settings;
	name_set_init(&taken.paths, c->arena);
	if (program_choose(run_arena(run), &run->choice, &c->ir) < 0)
		return;
	/* Not earlier: reading the notebook may be interrupted. */
	launch_guard_begin(&run->guard);
	run->guarded = true;
	if (run->build.temporary && !run->build.dry_run && make_scratch(run, c) < 0)
		return;
	effective.output = run->build.output;
	if (build_write(c, &effective, &taken, &outputs) < 0)
		return;
	if (!run->build.dry_run && find_places(run, c, &outputs) < 0)
		return;
	take_configuration(run, c);
	plan_program(run, c, outputs.runtime);
	run->has_steps = run_steps_are_wanted(&c->config);
	take_sweep(run, c, outputs.run_script);
	check_support(run, c);
	run_report_take(&run->report, c);
	run->built = true;
}
