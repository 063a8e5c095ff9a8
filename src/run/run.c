#include "run/run.h"

#include <errno.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "diag/message.h"
#include "driver/outputs.h"
#include "driver/read_sweep.h"
#include "driver/session.h"
#include "process/scratch.h"
#include "run/run_start.h"
#include "run/supported.h"

/* ---- the build ---- */

/* The first half of `nbscorep run`: builds the program that is to run. */

/* PATH as programs find it that start in another folder. Returns -1 with a diagnostic if the system
 * fails. */
static int find_real_path(struct run *run, struct compilation *c, struct slice path,
                          struct slice *out)
{
	*out = os_real_path(run_arena(run), path);
	return out->len > 0 ? 0 : compile_fail(c, "find", path);
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

/* Names the executed notebook, unless each set of a sweep has its own, as templates/scorep_notebook/executed.py does:
 * beside the script, or with --temporary in the current folder. */
static void name_executed(struct run *run)
{
	static const struct slice ending = SLICE_INIT("_run.sh");
	struct optional_text *executed = &run->settings.executed;
	struct slice stem = run->run_script;
	if ((!executed->given && !run->settings.html.given) || executed->text != NULL ||
	    run->build.sweep.given)
		return;
	if (slice_ends_with(stem, ending))
		stem.len -= ending.len;
	if (run->build.temporary)
		stem = path_file(stem);
	*executed = (struct optional_text){
	        true, arena_printf(run_arena(run), "%.*s_executed.ipynb", SLICE_ARG(stem)).ptr};
}

/* True if the run ends where Score-P cannot measure. */
static bool must_measure(const struct run *run, const struct build_settings *settings)
{
	return !run->build.no_scorep && !run->settings.if_available &&
	       settings->measurement == MEASUREMENT_SCOREP;
}

/* Reports what the bindings would end the run for, at its place in the notebook. What modules, a
 * setup or the notebook's PATH choose is not known here. */
static void check_support(struct run *run, struct compilation *c,
                          const struct build_settings *settings)
{
	const struct program *program = &c->ir.programs.items[0];
	struct environment environment;
	struct supported supported = {.arena = c->arena};
	if (run->build.no_scorep || settings->measurement == MEASUREMENT_NONE)
		return;
	supported_check_environment(program, &c->diags);
	if (settings->measurement == MEASUREMENT_BUILTIN || config_has_steps(&c->config) ||
	    program_setting(program, SLICE("PATH")) != NULL)
		return;
	environment_init(&environment, c->arena, environ);
	if (bindings_are_prepared(&environment))
		return;
	supported.scorep_config = environment_find_program(&environment, "scorep-config");
	if (supported.scorep_config == NULL || !supported_refuses(&supported, program))
		return;
	if (must_measure(run, settings) || bindings_ask_for(c) != BINDINGS_MISSING)
		supported_report(&supported, program, &c->diags, DIAG_ARGS_OPTION);
}

/* False, with a diagnostic, if each set of a sweep would end for the same reason. */
static bool is_measurable(const struct run *run, struct compilation *c,
                          const struct build_settings *settings)
{
	if (!must_measure(run, settings) || bindings_ask_for(c) != BINDINGS_MISSING)
		return true;
	c->system_failed = true;
	diag_add(&c->diags, DIAG_IO, (struct location){0},
	         "cannot measure: the Python that runs the script has no Score-P bindings");
	diag_hint(&c->diags, DIAG_IO, "%s", BINDINGS_HINT);
	return false;
}

/* Builds the notebook's program that is to run; DATA is the struct run. A session_action: problems
 * become diagnostics. Afterwards RUN is built, or its program unclear, or neither where that
 * failed. */
static void run_build(struct compilation *c, const struct build_settings *settings, void *data)
{
	struct run *run = data;
	struct outputs outputs = {0};
	struct build_settings effective = *settings;
	const struct program *program = &c->ir.programs.items[0];
	if (program_choose(run_arena(run), run->settings.program, &c->ir, &run->unclear) < 0)
		return;
	/* Not earlier: reading the notebook may be interrupted. */
	launch_guard_begin(&run->guard);
	run->guarded = true;
	if (run->build.temporary && !run->build.dry_run && make_scratch(run, c) < 0)
		return;
	effective.output = run->build.output;
	if (outputs_build(c, &effective, &outputs) < 0)
		return;
	run->built = true;
	if (run->build.dry_run)
		return;
	if (find_real_path(run, c, slice_from(outputs.run_script), &run->run_script) < 0)
		return;
	run->started_build = arena_printf(run_arena(run), "%.*s %.*s", SLICE_ARG(outputs.build),
	                                  SLICE_ARG(path_file(slice_from(outputs.script))));
	name_executed(run);
	run->opens_vampir = run->settings.vampir || program->opens_vampir;
	struct arena *arena = run_arena(run);
	sweep_write_sets(arena, &c->sweep, sweep_sets_of(c, &c->ir.programs.items[0]),
	                 &run->sweep.texts);
	run->sweep.shown = sweep_results(arena, slice_from(outputs.run_script));
	run->sweep.results = sweep_results(arena, run->run_script);
	if (run->build.sweep.given && !is_measurable(run, c, settings))
		return;
	check_support(run, c, settings);
	run_report_take(&run->report, c);
}

/* ---- the run ---- */

#define KILL_AFTER 30.0

/* A path is the user's, relative to the current folder; the program starts in the notebook's folder. */
static const char *python_path(struct arena *arena, const char *named)
{
	char folder[4096];
	if (named == NULL || named[0] == '/' || strchr(named, '/') == NULL ||
	    getcwd(folder, sizeof folder) == NULL)
		return named;
	return arena_printf(arena, "%s/%s", folder, named).ptr;
}

int run_init(struct run *run, struct arena *arena, const struct build_settings *build,
             const struct run_settings *settings)
{
	*run = (struct run){
	        .arena = arena,
	        .build = *build,
	        .settings = *settings,
	        .timeout = settings->timeout.seconds,
	        .kill_after =
	                settings->kill_after.given ? settings->kill_after.seconds : KILL_AFTER,
	        .jobs = settings->jobs > 0 ? settings->jobs : 1,
	        .python = python_path(arena, build->python),
	        .monitor = {.poll = -1, .order = {.output = -1}},
	};
	int status = run_report_init(&run->report, arena, build, settings);
	if (status == EXIT_DONE)
		status = run_monitor_init(&run->monitor, arena, build, settings);
	run->report.tells |= run->monitor.wanted || run->timeout > 0; /* which use the reports */
	return status;
}

static int build_and_run(struct run *run, const struct session_order *order)
{
	int status = session_run(order, run_build, run);
	if (status == EXIT_DONE && run->unclear.len > 0)
		return message_usage(run_arena(run), "%.*s", SLICE_ARG(run->unclear));
	if (status != EXIT_DONE || !run->built || run->build.dry_run)
		return status;
	return run_start(run);
}

int run_notebook(struct run *run, const struct session_order *order)
{
	jmp_buf out_of_memory;
	jmp_buf *before = arena_set_handler(run_arena(run), &out_of_memory);
	volatile int status = EXIT_SYSTEM;
	volatile bool failed = false;
	if (setjmp(out_of_memory) == 0)
		status = build_and_run(run, order);
	else
		failed = true;
	arena_set_handler(run_arena(run), before);
	int left = run->scratch == NULL ? 0 : scratch_remove(run->scratch);
	int error = errno;
	run_monitor_close(&run->monitor);
	run_report_close(&run->report);
	if (run->guarded)
		launch_guard_end(&run->guard);
	if (failed)
		arena_fail(run_arena(run));
	if (left != 0)
		message_fail(run_arena(run), 0, "", "cannot remove folder '%s': %s", run->scratch,
		             strerror(error));
	return status;
}
