#include "run/run_start.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "driver/python.h"
#include "run/bindings.h"
#include "run/run.h"
#include "run/run_build.h"
#include "run/run_sweep.h"
#include "run/runtime_file.h"
#include "run/vampir.h"

enum { EXIT_TIMEOUT = 124 };

#define INSTALL_HINT                                                                               \
	"Install the bindings into that Python ('pip install scorep'), with Score-P's "            \
	"scorep-config on PATH;\nname another Python with --python; or run unmeasured with "       \
	"--no-scorep or --if-available\n"

#define LIMIT_HINT                                                                                 \
	"raise the limit of open files (ulimit -n): the program gets descriptors up to 19\n"

/* Returns 1 if the program is to be measured, 0 if not, or -1 if it must not run, which was reported
 * unless a signal requests this program to end. */
static int is_measured(struct run *run, const char *python)
{
	struct arena *arena = run_arena(run);
	bool prepared = bindings_are_prepared(&run->environment);
	bool has_config =
	        prepared || environment_find_program(&run->environment, "scorep-config") != NULL;
	struct slice reason, missing = slice_make("", 0);
	if (run->build.no_scorep)
		return 0;
	/* A check costs a start of Python. If all looks well, the start of the program itself shows it. */
	run->asked = run->settings.if_available || !has_config;
	if (!run->asked)
		return 1;
	enum bindings_answer answer = bindings_ask(&run->environment, python, &reason);
	if ((run->signal = launch_guard_pending(&run->guard)) != 0)
		return -1;
	if (answer == BINDINGS_MISSING)
		missing =
		        arena_printf(arena, "'%s' has no Score-P bindings (module 'scorep')%s",
		                     python, has_config ? "" : ", and no scorep-config is on PATH");
	else if (answer == BINDINGS_UNKNOWN)
		missing = arena_printf(arena, "'%s' cannot be asked for the Score-P bindings: %.*s",
		                       python, SLICE_ARG(reason));
	else if (!has_config)
		missing = SLICE("Score-P bindings are installed, but no scorep-config is on PATH");
	if (missing.len == 0)
		return 1;
	if (run->settings.if_available)
		return message_fail(arena, 0, "", "note: this run is not measured: %.*s",
		                    SLICE_ARG(missing));
	return message_fail(arena, -1, INSTALL_HINT, "cannot measure: %.*s", SLICE_ARG(missing));
}

/* After a start that looked well: Python found no module scorep, so nothing of the script has run. */
static bool had_no_bindings(struct run *run, const char *python, int status)
{
	struct slice reason;
	return !run->asked && WIFEXITED(status) && WEXITSTATUS(status) == PYTHON_EXIT_EXCEPTION &&
	       !bindings_are_prepared(&run->environment) &&
	       bindings_ask(&run->environment, python, &reason) == BINDINGS_MISSING;
}

/* Score-P aborts when its memory is used up. A run script that waits for its program prints this itself. */
static const char *abort_hint(struct run *run)
{
	struct arena *arena = run_arena(run);
	struct strbuf shown;
	strbuf_init(&shown, arena);
	terminal_text(&shown, slice_from(run->memory));
	return arena_printf(arena,
	                    "if Score-P reports \"Out of memory\" above, set SCOREP_TOTAL_MEMORY "
	                    "higher than %.*s (at most 4095M)\n",
	                    SLICE_ARG(strbuf_slice(&shown)))
	        .ptr;
}

/* As shells have it. What a user's own Ctrl-C does needs no word. */
static int exit_status(struct run *run, bool measured, const struct launch_result *result)
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
	return message_fail(arena, EXIT_SIGNAL + number,
	                    measured && number == SIGABRT ? abort_hint(run) : "",
	                    "the program was killed by signal %d", number);
}

static int start(struct run *run, const struct run_command *command, char **argv)
{
	struct arena *arena = run_arena(run);
	struct progress *progress = &run->report.progress;
	struct launch_order order = {
	        .argv = argv,
	        .environment = environment_list(&run->environment),
	        .timeout = run->timeout,
	        .kill_after = run->kill_after,
	        .ends_orphans = strcmp(command->python, "bash") == 0,
	        .growth = {command->measured ? experiment_growth : NULL, &run->report.search, 0, 0},
	};
	struct launch_result result;
	int number = launch_guard_pending(&run->guard);
	if (number != 0)
		return EXIT_SIGNAL + number;
	if (run->runtime >= 0)
		order.given[order.given_count++] =
		        (struct spawn_given){run->runtime, RUNTIME_DESCRIPTOR};
	if (progress->writes >= 0)
		order.given[order.given_count++] =
		        (struct spawn_given){progress->writes, PROGRESS_DESCRIPTOR};
	if (progress->reads >= 0)
		order.watch = &progress->watch;
	if (run->monitor.wanted)
		order.watch = &run->monitor.watch;
	progress_begin(progress);
	if (launch(&order, &run->guard, &result) != 0)
		return message_fail(arena, EXIT_SYSTEM, errno == EMFILE ? LIMIT_HINT : "",
		                    "cannot start '%s': %s", command->python, strerror(errno));
	progress_end(progress, result.status == 0);
	if (run->monitor.wanted)
		run_monitor_finish(&run->monitor, result.status, &run->guard, run->build.quiet);
	if (command->measured && had_no_bindings(run, command->python, result.status))
		return message_fail(
		        arena, EXIT_SYSTEM, INSTALL_HINT,
		        "cannot measure: '%s' has no Score-P bindings (module 'scorep')",
		        command->python);
	return run_report_finish(&run->report, exit_status(run, command->measured, &result));
}

/* As the run script has it. */
static bool wants_runtime(const struct run *run)
{
	const char *value = environment_get(&run->environment, SLICE("NBSCOREP_RUNTIME"));
	return value == NULL || strcmp(value, "no") != 0;
}

/* All that looks on while the program runs, which reports its cells through CHANNEL. */
static int begin_watch(struct run *run, bool measured, enum run_channel channel)
{
	if (run_report_begin(&run->report, &run->environment, measured, channel) != EXIT_DONE)
		return EXIT_SYSTEM;
	if (!run->monitor.wanted)
		return EXIT_DONE;
	return run_monitor_begin(&run->monitor, run->run_script, &run->report.progress);
}

static int start_surrounded(struct run *run, const struct run_command *command, char **argv)
{
	struct progress *progress = &run->report.progress;
	struct slice runtime = run->plan.runtime;
	int status = begin_watch(run, command->measured,
	                         command->surrounded ? RUN_CHANNEL_PIPE : RUN_CHANNEL_NONE);
	if (status != EXIT_DONE)
		return status;
	if (progress->writes >= 0)
		runtime = progress_runtime(run_arena(run), progress, runtime);
	if (command->surrounded)
		run->runtime = runtime_file_open(runtime);
	if (command->surrounded && run->runtime < 0)
		return message_fail(run_arena(run), EXIT_SYSTEM, "",
		                    "cannot make a file in memory: %s", strerror(errno));
	return start(run, command, argv);
}

static void set_start_folder(struct run *run)
{
	struct slice name = SLICE("NBSCOREP_START_FOLDER");
	if (run->start_folder.len > 0 && environment_get(&run->environment, name) == NULL)
		environment_set(&run->environment, name, run->start_folder);
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

/* The ranks, modules, setup and teardown are the run script's: it has them in batch jobs, too. */
static int start_run_script(struct run *run, const char *python, bool measured)
{
	struct arena *arena = run_arena(run);
	struct run_command command = {.python = "bash", .measured = measured};
	/* No descriptor of this program gets through a launcher. */
	int status = begin_watch(run, measured, RUN_CHANNEL_FOLDER);
	if (status != EXIT_DONE)
		return status;
	/* It exports the notebook's variables itself. */
	environment_init(&run->environment, arena, environ);
	set_start_folder(run);
	if (python != NULL)
		environment_set(&run->environment, SLICE("PYTHON"), slice_from(python));
	environment_set(&run->environment, SLICE("NBSCOREP_MEASURE"),
	                measured ? SLICE("yes") : SLICE("no"));
	if (run->sweep.texts.count > 0)
		environment_set(&run->environment, SLICE("NBSCOREP_SET"), SLICE("none"));
	if (run->build.quiet)
		environment_set(&run->environment, SLICE("NBSCOREP_QUIET"), SLICE("yes"));
	if (run->report.folder != NULL)
		environment_set(&run->environment, SLICE("NBSCOREP_CELLS"),
		                slice_from(run->report.folder));
	return start(run, &command, run_script_command(run));
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
	struct experiment experiment;
	struct slice trace = slice_make("", 0);
	if (experiment_find(&run->report.search, &experiment) && experiment.traces >= 0)
		trace = path_join(run_arena(run), experiment.results, SLICE("traces.otf2"));
	const char *reason = trace.len > 0 ? open_trace(run, trace) : "there is no trace";
	const char *hint = trace.len > 0 ? "" : "SCOREP_ENABLE_TRACING=true makes one\n";
	if (reason != NULL && !run->build.quiet)
		message_fail(run_arena(run), 0, hint, "note: Vampir is not opened, %s%s%.*s",
		             reason, trace.len > 0 ? "; open " : "", SLICE_ARG(trace));
}

static int refuse_unset(struct arena *arena, struct slice name)
{
	return message_fail(arena, EXIT_NOTEBOOK, "",
	                    "the notebook uses the environment variable '%.*s', which is not set",
	                    SLICE_ARG(name));
}

/* Only the first of the ranks that measure separately prints it. */
static void part_ranks(struct run *run)
{
	struct slice rank = run_plan_own_directory(&run->plan, &run->environment);
	if (slice_eq(rank, SLICE("0")) && !run->build.quiet)
		message_fail(
		        run_arena(run), 0, "",
		        "each rank is measured separately (no --mpp=mpi): rank 0 in '%s'",
		        environment_get(&run->environment, SLICE("SCOREP_EXPERIMENT_DIRECTORY")));
}

static int start_program(struct run *run, const char *python, bool measured)
{
	struct arena *arena = run_arena(run);
	struct slice path, unset;
	if (run->build.sweep.given)
		return run_sweep(run, python, measured);
	if (run->sweep.texts.count > 0 && !run->build.quiet)
		message_fail(
		        arena, 0, "",
		        "note: there is a sweep, which --sweep runs; this is one run without it");
	if (run->build.ranks > 0 || run->build.launcher != NULL || run->has_steps)
		return start_run_script(run, python, measured);
	if (measured)
		part_ranks(run);
	if (measured && run_plan_make_parents(&run->environment, &path) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot make folder '%.*s': %s",
		                    SLICE_ARG(path), strerror(errno));
	struct run_command command = {
	        .python = python,
	        .measured = measured,
	        .surrounded = wants_runtime(run),
	        .rest = run->settings.arguments.items,
	        .rest_count = run->settings.arguments.count,
	};
	char **argv = run_plan_command(&run->plan, &run->environment, &command, &unset);
	if (argv == NULL)
		return refuse_unset(arena, unset);
	return start_surrounded(run, &command, argv);
}

/* Finds the Python, and whether it is to measure: 1, 0, or -1 after a message. Modules and setup
 * can change it: then PYTHON is NULL but where the user named one. */
static int choose_python(struct run *run, const char **python)
{
	const char *named = run_python(run, &run->environment);
	if (run->has_steps && !run->settings.if_available) {
		*python = run->python;
		return !run->build.no_scorep;
	}
	*python = environment_find_program(&run->environment, named);
	if (*python == NULL && strchr(named, '/') != NULL)
		return message_fail(run_arena(run), -1, "", "cannot start '%s': %s", named,
		                    strerror(errno));
	if (*python == NULL)
		return message_fail(run_arena(run), -1, "", "cannot find the Python '%s' on PATH",
		                    named);
	return is_measured(run, *python);
}

int run_start(struct run *run)
{
	struct arena *arena = run_arena(run);
	struct slice unset = run_plan_export(&run->plan, &run->environment);
	const char *python = NULL;
	if ((run->signal = launch_guard_pending(&run->guard)) != 0)
		return EXIT_SIGNAL + run->signal;
	if (unset.len > 0 && !run->has_steps)
		return refuse_unset(arena, unset);
	run->memory = environment_get(&run->environment, SLICE("SCOREP_TOTAL_MEMORY"));
	set_start_folder(run);
	if (chdir(run->plan.folder.ptr) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot go to folder '%s': %s",
		                    run->plan.folder.ptr, strerror(errno));
	int measured = choose_python(run, &python);
	if (measured < 0)
		return run->signal != 0 ? EXIT_SIGNAL + run->signal : EXIT_SYSTEM;
	int status = start_program(run, python, measured != 0);
	if (status == EXIT_DONE && measured && run->opens_vampir && !run->build.sweep.given)
		show_trace(run);
	return status;
}
