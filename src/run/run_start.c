#include "run/run_start.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "run/run.h"
#include "run/run_sweep.h"
#include "run/vampir.h"

enum { EXIT_TIMEOUT = 124 };

/* As shells have it. What a user's own Ctrl-C does needs no word. */
static int exit_status(struct run *run, const struct launch_result *result)
{
	struct arena *arena = run_arena(run);
	int number = WIFSIGNALED(result->status) ? WTERMSIG(result->status) : 0;
	if (result->timed_out)
		return message_fail(
		        arena, result->was_slow ? EXIT_SIGNAL + SIGKILL : EXIT_TIMEOUT, "",
		        "the program ran for more than %g seconds (--timeout)%s", run->timeout,
		        result->was_slow ? " and did not end when it was asked to" : "");
	if (number == 0)
		return WEXITSTATUS(result->status);
	if (number == SIGINT || number == SIGPIPE)
		return EXIT_SIGNAL + number;
	return message_fail(arena, EXIT_SIGNAL + number, "", "the program was killed by signal %d",
	                    number);
}

char **run_script_command(struct run *run)
{
	struct arena *arena = run_arena(run);
	VECTOR(char *) words = {0};
	vec_push(arena, &words, arena_cstr(arena, SLICE("bash")));
	vec_push(arena, &words, arena_cstr(arena, run->run_script));
	for (size_t i = 0; i < run->settings.arguments.count; i++)
		vec_push(arena, &words,
		         arena_cstr(arena, slice_from(run->settings.arguments.items[i])));
	vec_push(arena, &words, NULL);
	return words.items;
}

void run_script_environment(struct run *run, struct environment *out)
{
	environment_init(out, run_arena(run), environ);
	if (run->python != NULL)
		environment_set(out, SLICE("PYTHON"), slice_from(run->python));
	if (run->build.no_scorep || run->settings.if_available) {
		environment_set(out, SLICE("NBSCOREP_MEASUREMENT"),
		                run->build.no_scorep ? SLICE("none") : SLICE("auto"));
		environment_set(out, SLICE("NBSCOREP_MEASURE"), SLICE(""));
	}
	struct slice program = os_program_path(run_arena(run)); /* which has the recorder */
	if (program.len > 0 && environment_get(out, SLICE("NBSCOREP")) == NULL)
		environment_set(out, SLICE("NBSCOREP"), program);
	if (run->sweep.texts.count > 0)
		environment_set(out, SLICE("NBSCOREP_SET"), SLICE("none"));
	if (run->build.quiet)
		environment_set(out, SLICE("NBSCOREP_QUIET"), SLICE("yes"));
}

static int start(struct run *run)
{
	struct arena *arena = run_arena(run);
	struct progress *progress = &run->report.progress;
	struct environment environment;
	int status = run_report_begin(&run->report);
	if (status == EXIT_DONE && run->monitor.wanted)
		status = run_monitor_begin(&run->monitor, run->run_script, progress);
	if (status != EXIT_DONE)
		return status;
	run_script_environment(run, &environment);
	/* A status line, or none at all, takes the place of the lines. */
	environment_set(&environment, SLICE("NBSCOREP_PROGRESS"),
	                run->report.lines ? SLICE("lines") : SLICE("none"));
	environment_set(&environment, SLICE("NBSCOREP_CELLS"), slice_from(run->report.folder));
	struct launch_order order = {
	        .argv = run_script_command(run),
	        .environment = environment_list(&environment),
	        .timeout = run->timeout,
	        .kill_after = run->kill_after,
	        .ends_orphans = true,
	        .growth = {experiment_growth, &run->report.folder, 0, 0},
	        .watch = run->monitor.wanted ? &run->monitor.watch
	                 : run->report.tells ? &progress->watch
	                                     : NULL,
	};
	struct launch_result result;
	int number = launch_guard_pending(&run->guard);
	if (number != 0)
		return EXIT_SIGNAL + number;
	progress_begin(progress);
	if (launch(&order, &run->guard, &result) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot start 'bash': %s",
		                    strerror(errno));
	progress_end(progress, result.status == 0);
	if (run->monitor.wanted)
		run_monitor_finish(&run->monitor, result.status, &run->guard, run->build.quiet);
	return run_report_finish(&run->report, exit_status(run, &result));
}

/* Opens TRACE in Vampir. Returns NULL, or why not. The viewer is the user's: it gets nothing of
 * what the notebook sets for its program. */
static const char *open_trace(struct run *run, struct slice trace)
{
	struct arena *arena = run_arena(run);
	struct environment users;
	environment_init(&users, arena, environ);
	const char *vampir = environment_find_program(&users, "vampir");
	if (vampir == NULL)
		return "there is no vampir on PATH";
	if (!vampir_has_display(&users))
		return "there is no display";
	if (vampir_open(&users, vampir, arena_cstr(arena, trace)) != 0)
		return arena_printf(arena, "it cannot be started: %s", strerror(errno)).ptr;
	return NULL;
}

/* After a run that went well. */
static void show_trace(struct run *run)
{
	const struct experiment *experiment = &run->report.experiment;
	struct slice trace = slice_make("", 0);
	if (experiment->path.len > 0 && experiment->traces >= 0)
		trace = path_join(run_arena(run), experiment->results, SLICE("traces.otf2"));
	const char *reason = trace.len > 0 ? open_trace(run, trace) : "there is no trace";
	const char *hint = trace.len > 0 ? "" : "SCOREP_ENABLE_TRACING=true makes one\n";
	if (reason != NULL && !run->build.quiet)
		message_fail(run_arena(run), 0, hint, "note: Vampir is not opened, %s%s%.*s",
		             reason, trace.len > 0 ? "; open " : "", SLICE_ARG(trace));
}

int run_start(struct run *run)
{
	int number = launch_guard_pending(&run->guard);
	if (number != 0)
		return EXIT_SIGNAL + number;
	if (run->build.sweep.given)
		return run_sweep(run);
	if (run->sweep.texts.count > 0 && !run->build.quiet)
		message_fail(
		        run_arena(run), 0, "",
		        "note: there is a sweep, which --sweep runs; this is one run without it");
	int status = start(run);
	if (status == EXIT_DONE && run->report.measured && run->opens_vampir)
		show_trace(run);
	return status;
}
