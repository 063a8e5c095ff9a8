#include "run/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "diag/message.h"
#include "driver/outputs.h"
#include "driver/read_sweep.h"
#include "driver/session.h"
#include "process/process.h"
#include "run/supported.h"

/* ---- the build ---- */

/* Names the executed notebook, unless each set of a sweep has its own, as templates/scorep_notebook/executed.py does:
 * beside the script, or with --temporary in the current folder. */
static void name_executed(struct run *run)
{
	struct optional_text *executed = &run->settings.executed;
	struct slice stem = run->build.temporary ? path_file(run->stem) : run->stem;
	if ((!executed->given && !run->settings.html.given) || executed->text != NULL ||
	    run->build.sweep.given)
		return;
	*executed = (struct optional_text){
	        true, arena_printf(run->arena, "%.*s_executed.ipynb", SLICE_ARG(stem)).ptr};
}

/* True if the run ends where Score-P cannot measure. */
static bool must_measure(const struct run *run, const struct compilation *c)
{
	return !run->build.no_scorep && !run->settings.if_available &&
	       c->options.build.measurement == MEASUREMENT_SCOREP;
}

/* Reports what the bindings would end the run for, at its place in the notebook. What modules, a
 * setup or the notebook's PATH choose is not known here. */
static void check_support(struct run *run, struct compilation *c)
{
	enum measurement_kind measurement = c->options.build.measurement;
	const struct program *program = &c->ir.programs.items[0];
	struct supported supported = {.arena = c->arena};
	if (run->build.no_scorep || measurement == MEASUREMENT_NONE)
		return;
	supported_check_environment(program, &c->diags);
	if (measurement == MEASUREMENT_BUILTIN || config_has_steps(&c->config) ||
	    program_setting(program, SLICE("PATH")) != NULL)
		return;
	struct diags before = c->diags;
	supported_report(&supported, program, &c->diags, DIAG_ARGS_OPTION);
	/* Without bindings the recorder measures instead. */
	if (c->diags.list.count > before.list.count && !must_measure(run, c) &&
	    bindings_are_missing(c, run->build.python))
		diags_rewind(&c->diags, &before);
}

/* Builds the notebook's program that is to run; DATA is the struct run. A session_action: problems
 * become diagnostics. Afterwards RUN has a run script, or its program is unclear, or neither where that
 * failed or nothing is to run. */
static void run_build(struct compilation *c, void *data)
{
	struct run *run = data;
	struct arena *arena = run->arena;
	struct outputs outputs = {0};
	const struct program *program = &c->ir.programs.items[0];
	if (program_choose(arena, run->settings.program, &c->ir, &run->unclear) < 0)
		return;
	/* Not earlier: reading the notebook may be interrupted. */
	launch_guard_begin(&run->guard);
	run->guarded = true;
	if (run->build.temporary && !run->build.dry_run) {
		run->scratch = scratch_make(arena);
		if (run->scratch == NULL) {
			diag_add(&c->diags, DIAG_IO, (struct location){0},
			         "cannot make a temporary folder in '%s': %s", scratch_place(),
			         strerror(errno));
			return;
		}
		/* Whatever folders the program's name has. */
		run->build.output = arena_printf(arena, "%s/%.*s.py", run->scratch,
		                                 SLICE_ARG(path_file(program->name)))
		                            .ptr;
	}
	c->options.build.output = run->build.output;
	if (outputs_build(c, &outputs) < 0 || run->build.dry_run)
		return;
	/* Programs find it that start in another folder. */
	run->run_script = os_real_path(arena, slice_from(outputs.run_script));
	if (run->run_script.len == 0) {
		(void)compile_fail(c, "find", slice_from(outputs.run_script));
		return;
	}
	run->stem = slice_sub(run->run_script, 0, run->run_script.len - strlen("_run.sh"));
	run->started_build = arena_printf(arena, "%.*s %.*s", SLICE_ARG(outputs.build),
	                                  SLICE_ARG(path_file(slice_from(outputs.script))));
	name_executed(run);
	run->opens_vampir = run->settings.vampir || (program->effects & EFFECT_VAMPIR) != 0;
	sweep_write_sets(arena, &c->sweep, sweep_sets_of(c, program), &run->sets);
	run->shown = sweep_results(arena, slice_from(outputs.run_script));
	run->results = sweep_results(arena, run->run_script);
	/* Each set of a sweep would end for the same reason. */
	if (run->build.sweep.given && must_measure(run, c) &&
	    bindings_are_missing(c, run->build.python)) {
		diag_add(&c->diags, DIAG_IO, (struct location){0},
		         "cannot measure: the Python that runs the script has no Score-P bindings");
		diag_hint(&c->diags, DIAG_IO, "%s", BINDINGS_HINT);
		return;
	}
	check_support(run, c);
	run_report_take(&run->report, c);
}

/* ---- the run ---- */

enum { EXIT_TIMEOUT = 124 };

/* As shells have it. What a user's own Ctrl-C does needs no word. */
static int exit_status(struct run *run, const struct launch_result *result)
{
	struct arena *arena = run->arena;
	const struct progress *progress = &run->report.progress;
	int number = WIFSIGNALED(result->status) ? WTERMSIG(result->status) : 0;
	/* The cell that had not ended, unless the script has named it. */
	struct slice where = slice_make("", 0);
	for (size_t i = progress->cells.count; result->was_slow && i-- > 0 && where.len == 0;) {
		if (progress->cells.items[i].state == CELL_RUNS)
			where = arena_printf(arena, ", in cell %u",
			                     progress->cells.items[i].number);
	}
	if (result->timed_out)
		return message_fail(arena, result->was_slow ? EXIT_SIGNAL + SIGKILL : EXIT_TIMEOUT,
		                    "", "the program ran for more than %g s (--timeout)%.*s%s",
		                    run->settings.timeout.seconds, SLICE_ARG(where),
		                    result->was_slow ? " and did not end when it was asked to"
		                                     : "");
	if (number == 0)
		return WEXITSTATUS(result->status);
	if (number == SIGINT || number == SIGPIPE)
		return EXIT_SIGNAL + number;
	return message_fail(arena, EXIT_SIGNAL + number, "", "the program was killed by signal %d",
	                    number);
}

struct launch_order run_script_order(struct run *run, struct environment *environment)
{
	text_list words = {0};
	vec_push(run->arena, &words, "bash");
	vec_push(run->arena, &words, arena_cstr(run->arena, run->run_script));
	for (size_t i = 0; i < run->settings.arguments.count; i++)
		vec_push(run->arena, &words, run->settings.arguments.items[i]);
	vec_push(run->arena, &words, NULL);
	return (struct launch_order){
	        .argv = words.items,
	        .environment = environment_list(environment),
	        .timeout = run->settings.timeout.seconds,
	        .kill_after = run->settings.kill_after.seconds,
	        .ends_orphans = true,
	};
}

void run_settings_environment(const struct run_settings *settings,
                              const struct build_settings *build, struct environment *out)
{
	if (build->no_scorep || settings->if_available) {
		environment_set(out, SLICE("NBSCOREP_MEASUREMENT"),
		                build->no_scorep ? SLICE("none") : SLICE("auto"));
		environment_set(out, SLICE("NBSCOREP_MEASURE"), SLICE(""));
	}
	const char *interval = settings->monitor.text;
	if (settings->monitor.given)
		environment_set(out, SLICE("NBSCOREP_MONITOR"),
		                slice_from(interval == NULL ? MONITOR_INTERVAL : interval));
	if (settings->report)
		environment_set(out, SLICE("NBSCOREP_REPORT"), SLICE("yes"));
	const struct {
		struct slice name;
		const struct optional_text *given;
	} files[] = {{SLICE("NBSCOREP_EXECUTED"), &settings->executed},
	             {SLICE("NBSCOREP_HTML"), &settings->html}};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *text = files[i].given->text;
		if (files[i].given->given)
			environment_set(out, files[i].name,
			                text == NULL ? SLICE("yes")
			                             : os_absolute(out->arena, text));
	}
	if (settings->output_limit > 0)
		environment_set(out, SLICE("NBSCOREP_OUTPUT_LIMIT"),
		                arena_printf(out->arena, "%zu", settings->output_limit));
	if (settings->cell_timeout.given)
		environment_set(out, SLICE("NBSCOREP_CELL_TIMEOUT"),
		                arena_printf(out->arena, "%.9g", settings->cell_timeout.seconds));
	if (settings->allow_errors)
		environment_set(out, SLICE("NBSCOREP_ALLOW_ERRORS"), SLICE("yes"));
	if (settings->folder != NULL)
		environment_set(out, SLICE("NBSCOREP_CWD"),
		                os_absolute(out->arena, settings->folder));
}

void run_script_environment(struct run *run, struct environment *out)
{
	environment_init(out, run->arena);
	if (run->build.python != NULL)
		environment_set(out, SLICE("PYTHON"), slice_from(run->build.python));
	run_settings_environment(&run->settings, &run->build, out);
	/* For the run script its environment comes first, here the command line. */
	if (run->build.ranks > 0 && environment_get(out, SLICE("NBSCOREP_RANKS")) != NULL)
		environment_set(out, SLICE("NBSCOREP_RANKS"),
		                arena_printf(run->arena, "%zu", run->build.ranks));
	if (run->build.launcher != NULL && environment_get(out, SLICE("NBSCOREP_LAUNCHER")) != NULL)
		environment_set(out, SLICE("NBSCOREP_LAUNCHER"), slice_from(run->build.launcher));
	if (run->monitors) { /* the script need not, and a report would lack its samples */
		environment_set(out, SLICE("NBSCOREP_MONITOR"), SLICE(""));
		environment_set(out, SLICE("NBSCOREP_REPORT"), SLICE(""));
	}
	struct slice program = os_program_path(run->arena); /* which has the recorder */
	if (program.len > 0 && environment_get(out, SLICE("NBSCOREP")) == NULL)
		environment_set(out, SLICE("NBSCOREP"), program);
	const char *named = environment_get(out, SLICE("NBSCOREP"));
	struct slice recorder = recorder_object(run->arena);
	/* The run script would ask this program for it. */
	if (named != NULL && slice_eq(slice_from(named), program) && recorder.len > 0)
		environment_set(out, SLICE("NBSCOREP_RECORDER"), recorder);
	if (run->sets.count > 0)
		environment_set(out, SLICE("NBSCOREP_SET"), SLICE("none"));
	if (run->build.quiet)
		environment_set(out, SLICE("NBSCOREP_QUIET"), SLICE("yes"));
	environment_set(out, SLICE("NBSCOREP_BUILD"), run->started_build);
}

/* The file of samples is beside the script, or with --temporary in the current folder. Returns EXIT_DONE, or
 * EXIT_SYSTEM after a message. */
static int begin_monitor(struct run *run)
{
	struct arena *arena = run->arena;
	struct monitor *monitor = &run->monitor;
	struct slice name = path_file(run->stem), program = run->stem;
	struct slice here = os_real_path(arena, SLICE("."));
	if (run->build.temporary && here.len > 0)
		program = path_join(arena, here, name);
	monitor->order.command = name;
	monitor->progress = &run->report.progress;
	monitor->path = monitor_path(arena, program, NULL);
	if (monitor_open(monitor, run->build.force) != EXIT_DONE)
		return EXIT_SYSTEM;
	if (monitor_begin(monitor) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot sample: %s", strerror(errno));
	run->report.progress.sampler = monitor->sampler;
	return EXIT_DONE;
}

static int run_once(struct run *run)
{
	struct arena *arena = run->arena;
	struct progress *progress = &run->report.progress;
	struct environment environment;
	const char *notebook = run->settings.executed.text;
	int status = run_report_begin(&run->report);
	if (status == EXIT_DONE && run->monitors)
		status = begin_monitor(run);
	if (status != EXIT_DONE)
		return status;
	run_script_environment(run, &environment);
	/* A status line, or none at all, takes the place of the lines. */
	environment_set(&environment, SLICE("NBSCOREP_PROGRESS"),
	                run->report.lines ? SLICE("lines") : SLICE("none"));
	environment_set(&environment, SLICE("NBSCOREP_CELLS"), slice_from(run->report.folder));
	struct launch_order order = run_script_order(run, &environment);
	order.growth = experiment_growth;
	order.growing = &run->report.folder;
	order.watches[0] = run->report.tells ? &progress->watch : NULL;
	order.watches[1] = run->monitors ? &run->monitor.watch : NULL;
	struct launch_result result;
	int number = launch_guard_pending();
	if (number != 0)
		return EXIT_SIGNAL + number;
	progress_begin(progress);
	if (launch(&order, &run->guard, &result) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot start 'bash': %s",
		                    strerror(errno));
	progress_end(progress, result.status == 0);
	if (run->monitors) {
		(void)monitor_end(&run->monitor, result.status);
		monitor_report(&run->monitor,
		               notebook != NULL && os_is_file(notebook) ? notebook : NULL,
		               run->build.quiet);
	}
	return run_report_finish(&run->report, exit_status(run, &result));
}

/* Opens the trace of a run that went well in Vampir, or prints why not. The viewer is the user's: it gets nothing of
 * what the notebook sets for its program. */
static void show_trace(struct run *run)
{
	struct arena *arena = run->arena;
	const struct experiment *experiment = &run->report.experiment;
	struct environment users;
	environment_init(&users, arena);
	const char *vampir = environment_find_program(&users, "vampir");
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	bool has_display = (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
	struct slice trace = slice_make("", 0);
	const char *reason = NULL, *hint = "";
	if (experiment->path.len > 0 && experiment->traces >= 0)
		trace = path_join(arena, experiment->results, SLICE("traces.otf2"));
	if (trace.len == 0) {
		reason = "there is no trace";
		hint = "SCOREP_ENABLE_TRACING=true makes one\n";
	} else if (vampir == NULL) {
		reason = "there is no vampir on PATH";
	} else if (!has_display) {
		reason = "there is no display";
	} else {
		/* As a shell does, in a session of its own and without standard streams; nothing waits for it. */
		const char *const argv[] = {vampir, arena_cstr(arena, trace), NULL};
		struct spawn_signals signals = {.pipe_action = {.sa_handler = SIG_DFL},
		                                .child_action = {.sa_handler = SIG_DFL}};
		int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
		const int streams[SPAWN_STREAMS] = {nothing, nothing, nothing};
		const struct spawn_order order = {.argv = argv,
		                                  .environment = environ,
		                                  .signals = &signals,
		                                  .own_session = true,
		                                  .streams = streams};
		sigemptyset(&signals.mask);
		if (nothing < 0 || spawn(&order) < 0)
			reason = arena_printf(arena, "it cannot be started: %s", strerror(errno))
			                 .ptr;
		os_close_quietly(nothing);
	}
	if (reason != NULL && !run->build.quiet)
		message_fail(arena, 0, hint, "note: Vampir is not opened, %s%s%.*s", reason,
		             trace.len > 0 ? "; open " : "", SLICE_ARG(trace));
}

/* Adds a line to the table of --summary: where the time went. */
static void show_headline(struct run *run)
{
	enum { LIMIT = 1 << 16 };
	struct arena *arena = run->arena;
	struct slice directory = run->report.experiment.path;
	const char *program = arena_cstr(arena, os_program_path(arena));
	const char *const argv[] = {
	        program, "report", "--brief", "--format=text", "--", arena_cstr(arena, directory),
	        NULL};
	const struct process_order order = {.argv = argv, .limit = LIMIT};
	struct process_result result;
	/* One that cannot be made is left out. */
	if (directory.len > 0 && program[0] != '\0' && process_run(arena, &order, &result) == 0)
		(void)os_write_all(STDERR_FILENO, result.out);
}

/* ---- both ---- */

int run_init(struct run *run, struct arena *arena, const struct build_settings *build,
             const struct run_settings *settings)
{
	enum { KILL_AFTER = 30 };
	const char *python = build->python;
	*run = (struct run){.arena = arena, .build = *build, .settings = *settings};
	/* A path is relative to the current folder; the program starts in the notebook's folder. */
	if (python != NULL && strchr(python, '/') != NULL)
		run->build.python = os_absolute(arena, python).ptr;
	if (!settings->kill_after.given)
		run->settings.kill_after.seconds = KILL_AFTER;
	bool is_first = monitor_init(&run->monitor, arena, getppid());
	run->monitor.order.adopts = true;
	/* For --report, and for each set of a sweep, the script samples itself. */
	run->monitors =
	        is_first && settings->monitor.given && !settings->report && !build->sweep.given;
	/* Which build_check_run() has accepted. */
	(void)monitor_read_interval(arena, "--monitor", settings->monitor.text,
	                            &run->monitor.order.interval);
	int status = run_report_init(&run->report, arena, build, settings);
	run->report.tells |=
	        run->monitors || run->settings.timeout.seconds > 0; /* which use the reports */
	return status;
}

/* Returns the status to exit with: the program's, or 128 + the signal that ended it, or one of nbscorep's own with a
 * message. */
static int build_and_run(struct run *run, const struct options *options)
{
	int status = session_run(run->arena, options, run_build, run);
	if (status == EXIT_DONE && run->unclear.len > 0)
		return message_usage(run->arena, "%.*s", SLICE_ARG(run->unclear));
	if (status != EXIT_DONE || run->run_script.len == 0)
		return status;
	int number = launch_guard_pending();
	if (number != 0)
		return EXIT_SIGNAL + number;
	if (run->build.sweep.given)
		return run_sweep(run);
	if (run->sets.count > 0 && !run->build.quiet)
		message_fail(
		        run->arena, 0, "",
		        "note: there is a sweep, which --sweep runs; this is one run without it");
	status = run_once(run);
	if (run->settings.summary && run->report.measured && !run->settings.report)
		show_headline(run);
	if (status == EXIT_DONE && run->report.measured && run->opens_vampir)
		show_trace(run);
	return status;
}

/* What a run has made goes, and signals act as before. */
static void end_run(void *data)
{
	struct run *run = data;
	int left = run->scratch == NULL ? 0 : scratch_remove(run->scratch);
	int error = errno;
	monitor_close(&run->monitor);
	run_report_close(&run->report);
	if (run->guarded)
		launch_guard_end(&run->guard);
	if (left != 0)
		message_fail(run->arena, 0, "", "cannot remove folder '%s': %s", run->scratch,
		             strerror(error));
}

int run_notebook(struct run *run, const struct options *options)
{
	struct arena_guard guard;
	arena_guard(run->arena, &guard, end_run, run);
	int status = build_and_run(run, options);
	arena_unguard(run->arena);
	return status;
}
