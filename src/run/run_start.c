#include "run/run_start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "diag/message.h"
#include "driver/read_sweep.h"
#include "process/environment.h"
#include "process/launch.h"
#include "run/experiment.h"
#include "run/run.h"
#include "run/status_line.h"

/* ---- a sweep ---- */

/* `nbscorep run --sweep`: the sets of a sweep, several side by side. */

enum { LINE_MAX_BYTES = 1024, TITLE_MAX = 160, BAR_CELLS = 20, VARIABLE_MAX = 40, PID_TEXT = 16 };
enum { RUNS_ALREADY = EALREADY }; /* for a set that another process has started */

/* The sets that run. */
struct sweep_run {
	struct run *run;
	set_numbers numbers;
	struct slice *titles; /* of each: its number and parameters, fit for a terminal */
	const char **outputs; /* of each: where its output goes, as the user finds it */
	char *variable;       /* NBSCOREP_SET=NUMBER of the set that starts */
	size_t failed;
	bool says_all; /* also of sets that went well */
	bool has_line; /* standard error is a terminal */
	struct status_line line;
	double begin;
};

static struct slice title_of(struct arena *arena, size_t number, const struct run_sweep *sweep)
{
	struct strbuf out;
	struct slice text = sweep->texts.items[number - 1];
	strbuf_init(&out, arena);
	strbuf_printf(&out, "set %zu of %zu ", number, sweep->texts.count);
	terminal_text(&out, slice_sub(text, 0, utf8_start(text, TITLE_MAX)));
	strbuf_puts(&out, text.len > TITLE_MAX ? "..." : "");
	return strbuf_slice(&out);
}

static void describe_end(char *out, size_t size, const struct pool_program *program)
{
	if (program->state == POOL_NOT_STARTED)
		snprintf(out, size, "cannot be started: %s",
		         program->error == RUNS_ALREADY ? "it runs already"
		         : program->error == ELOOP      ? "its folder is a symbolic link"
		                                        : strerror(program->error));
	else if (program->timed_out)
		snprintf(out, size, "ran for too long (--timeout)%s",
		         program->was_slow ? " and was killed" : "");
	else if (WIFSIGNALED(program->status))
		snprintf(out, size, "was killed by signal %d", WTERMSIG(program->status));
	else if (WEXITSTATUS(program->status) != 0)
		snprintf(out, size, "ended with status %d", WEXITSTATUS(program->status));
	else
		snprintf(out, size, "done in %.1f s", program->seconds);
}

static void say_end(struct sweep_run *sweep, const struct pool_program *program, size_t index)
{
	char line[LINE_MAX_BYTES + TITLE_MAX], end[TITLE_MAX];
	bool well = pool_went_well(program);
	if (well && !sweep->says_all)
		return;
	describe_end(end, sizeof end, program);
	int len = snprintf(line, sizeof line, "nbscorep: %.*s: %s%s%s\n",
	                   SLICE_ARG(sweep->titles[index]), end, well ? "" : "; see ",
	                   well ? "" : sweep->outputs[index]);
	size_t used = (size_t)len < sizeof line ? (size_t)len : sizeof line - 1;
	(void)os_write_all(STDERR_FILENO, slice_make(line, used));
}

static void show(struct sweep_run *sweep, const struct pool *pool)
{
	char line[LINE_MAX_BYTES], bar[BAR_CELLS + 1];
	size_t filled = pool->ended * BAR_CELLS / pool->count;
	for (size_t i = 0; i < BAR_CELLS; i++)
		bar[i] = i < filled ? '#' : '.';
	bar[BAR_CELLS] = '\0';
	int len = snprintf(line, sizeof line, "[%s] %zu of %zu sets ended, %zu run%s%zu failed",
	                   bar, pool->ended, pool->count, pool->running,
	                   pool->running == 1 ? "s, " : ", ", sweep->failed);
	status_line_show(&sweep->line, slice_make(line, (size_t)len));
}

/* For the pool; allocates nothing. */
static void look(const struct pool *pool, const struct pool_program *program, void *data)
{
	struct sweep_run *sweep = data;
	if (program != NULL && program->state != POOL_RUNNING) {
		sweep->failed += pool_went_well(program) ? 0 : 1;
		say_end(sweep, program, (size_t)(program - pool->programs));
	}
	if (sweep->has_line)
		show(sweep, pool);
}

static int check_lock(const char *folder)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/" SWEEP_LOCK, folder) >= PATH_MAX)
		return ENAMETOOLONG;
	return os_is_locked(path) ? RUNS_ALREADY : 0;
}

static int remove_old(const char *folder, const char *name)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
		return ENAMETOOLONG;
	return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

/* A folder of a downloaded sweep could lead anywhere. */
static int make_folder_of_set(const char *path)
{
	if (mkdir(path, 0777) == 0 || (errno == EEXIST && os_is_real_directory(path)))
		return 0;
	if (errno == EEXIST)
		errno = os_is_link(path) ? ELOOP : ENOTDIR;
	return -1;
}

/* The lock stays if it is one: another run may hold it. */
static int remove_false_lock(const char *folder)
{
	char path[PATH_MAX];
	struct stat status;
	if (snprintf(path, sizeof path, "%s/" SWEEP_LOCK, folder) >= PATH_MAX)
		return ENAMETOOLONG;
	if (lstat(path, &status) != 0 || S_ISREG(status.st_mode))
		return 0;
	return unlink(path) == 0 ? 0 : errno;
}

/* For the pool; does not allocate. Makes the folder of a set, and removes the outcome of an earlier run
 * from it. That outcome stays until the set's turn comes, because it may never come. */
static int prepare(const struct pool *pool, const struct pool_program *program, void *data)
{
	struct sweep_run *sweep = data;
	char folder[PATH_MAX];
	size_t number = sweep->numbers.items[program - pool->programs];
	int len = (int)(strrchr(program->output, '/') - program->output);
	if (snprintf(folder, sizeof folder, "%.*s", len, program->output) >= PATH_MAX)
		return ENAMETOOLONG;
	if (make_folder_of_set(folder) < 0)
		return errno;
	static const char *const old[] = {"status", "parameters.json", "output.txt"};
	int error = check_lock(folder);
	if (error == 0)
		error = remove_false_lock(folder);
	for (size_t i = 0; i < sizeof old / sizeof *old && error == 0; i++)
		error = remove_old(folder, old[i]);
	if (error != 0)
		return error;
	snprintf(sweep->variable, VARIABLE_MAX, "NBSCOREP_SET=%zu", number);
	return 0;
}

/* Of all sets; SWEEP's variable in it is that of the set that starts. */
static char **make_environment(struct sweep_run *sweep)
{
	struct arena *arena = run_arena(sweep->run);
	struct environment environment;
	run_script_environment(sweep->run, &environment);
	environment_set(&environment, SLICE("NBSCOREP_KILL_AFTER"), SLICE("none"));
	char **list = environment_list(&environment), **at = list;
	while (strncmp(*at, "NBSCOREP_SET=", strlen("NBSCOREP_SET=")) != 0)
		at++;
	sweep->variable = arena_calloc(arena, VARIABLE_MAX, 1);
	*at = sweep->variable;
	return list;
}

/* For the pool; allocates nothing. The run script writes the group of its program into the lock. */
static pid_t find_left(const struct pool *pool, const struct pool_program *program, void *data)
{
	char path[PATH_MAX], text[PID_TEXT] = "";
	int len = (int)(strrchr(program->output, '/') - program->output);
	(void)pool;
	(void)data;
	if (snprintf(path, sizeof path, "%.*s/" SWEEP_LOCK, len, program->output) >= PATH_MAX ||
	    os_read_own_front(path, text, sizeof text - 1) < 0)
		return 0;
	return (pid_t)strtol(text, NULL, 10);
}

/* For the pool: what Score-P has written of a set, in folders below the set's own; allocates nothing. */
static long long measure_growth(void *data)
{
	const struct pool_program *program = data;
	char folder[PATH_MAX];
	int len = (int)(strrchr(program->output, '/') - program->output);
	if (snprintf(folder, sizeof folder, "%.*s", len, program->output) >= PATH_MAX)
		return -1;
	return os_tree_size(folder, 2);
}

/* Fills in POOL's programs. Returns 0, or -1 with a message. */
static int plan(struct sweep_run *sweep, struct pool *pool)
{
	struct run *run = sweep->run;
	struct arena *arena = run_arena(run);
	size_t count = sweep->numbers.count;
	const char *results = arena_cstr(arena, run->sweep.results);
	if (mkdir(results, 0777) != 0 && (errno != EEXIST || !os_is_directory(results))) {
		message_fail(arena, EXIT_SYSTEM, "", "cannot make folder '%s': %s", results,
		             strerror(errno));
		return -1;
	}
	pool->count = count;
	pool->programs = arena_calloc(arena, count, sizeof *pool->programs);
	sweep->titles = arena_calloc(arena, count, sizeof *sweep->titles);
	sweep->outputs = arena_calloc(arena, count, sizeof *sweep->outputs);
	for (size_t i = 0; i < count; i++) {
		size_t number = sweep->numbers.items[i];
		pool->programs[i].output =
		        arena_printf(arena, "%s/%zu/output.txt", results, number).ptr;
		pool->programs[i].growth.measure = measure_growth;
		pool->programs[i].growth.data = &pool->programs[i];
		sweep->titles[i] = title_of(arena, number, &run->sweep);
		sweep->outputs[i] = arena_printf(arena, "%.*s/%zu/output.txt",
		                                 SLICE_ARG(run->sweep.shown), number)
		                            .ptr;
	}
	return 0;
}

static int finish(struct sweep_run *sweep, const struct pool *pool)
{
	struct arena *arena = run_arena(sweep->run);
	size_t left = pool->count - pool->ended, done = pool->ended - sweep->failed;
	const char *hint = sweep->failed == 0 && left == 0 ? ""
	                   : left == 0 ? "--only=failed runs those again that failed\n"
	                               : "--only=failed,missing runs those again that failed, and "
	                                 "those that have not run\n";
	int status = pool->signal != 0   ? EXIT_SIGNAL + pool->signal
	             : sweep->failed > 0 ? 1
	                                 : EXIT_DONE;
	if (sweep->run->build.quiet && status == EXIT_DONE)
		return status;
	struct slice table = arena_printf(arena, "; table: %.*s/" SWEEP_RESULTS,
	                                  SLICE_ARG(sweep->run->sweep.shown));
	return message_fail(arena, status, hint,
	                    "%zu of %zu sets done, %zu failed, %zu not run, in %.1f s%s", done,
	                    pool->count, sweep->failed, left, os_seconds() - sweep->begin,
	                    done > 0 ? table.ptr : "");
}

/* Runs the sets of the sweep that --only chooses. Returns the status to exit with: 0 when all went well,
 * 1 when one did not, 128 + a signal that asked for the end. */
static int run_sweep(struct run *run)
{
	struct arena *arena = run_arena(run);
	struct sweep_run sweep = {.run = run};
	struct strbuf error;
	strbuf_init(&error, arena);
	if (sweep_choose_sets(arena, run->settings.only, &run->sweep.texts, run->sweep.results,
	                      &sweep.numbers, &error) < 0)
		return message_usage(arena, "%.*s", SLICE_ARG(strbuf_slice(&error)));
	if (sweep.numbers.count == 0)
		return message_fail(arena, EXIT_DONE, "", "no set is '%s'", run->settings.only);
	struct pool pool = {
	        .argv = run_script_command(run),
	        .environment = make_environment(&sweep),
	        .at_once = run->jobs,
	        .timeout = run->timeout,
	        .kill_after = run->kill_after,
	        .prepare = prepare,
	        .left = find_left,
	        .look = look,
	        .data = &sweep,
	};
	if (plan(&sweep, &pool) < 0)
		return EXIT_SYSTEM;
	sweep.has_line = !run->build.quiet && status_line_fits(getenv("TERM"));
	sweep.says_all = run->build.verbose || (!run->build.quiet && !sweep.has_line);
	int number = launch_guard_pending(&run->guard);
	if (number != 0)
		return EXIT_SIGNAL + number;
	sweep.begin = os_seconds();
	pool_run(&pool, &run->guard);
	if (sweep.has_line)
		status_line_clear(&sweep.line);
	return finish(&sweep, &pool);
}

/* ---- Vampir ---- */

/* Vampir, the viewer of traces. */

/* True if programs that are started with ENVIRONMENT have a display. */
static bool vampir_has_display(const struct environment *environment)
{
	const char *x = environment_get(environment, SLICE("DISPLAY"));
	const char *wayland = environment_get(environment, SLICE("WAYLAND_DISPLAY"));
	return (x != NULL && x[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
}

/* Starts PROGRAM with TRACE as a shell does, in a session of its own and without standard streams, and does not
 * wait for it. Returns 0, or -1 and sets errno. */
static int vampir_open(struct environment *environment, const char *program, const char *trace)
{
	struct arena *arena = environment->arena;
	char *argv[] = {arena_cstr(arena, slice_from(program)),
	                arena_cstr(arena, slice_from(trace)), NULL};
	struct spawn_signals signals = {.pipe_action = {.sa_handler = SIG_DFL},
	                                .child_action = {.sa_handler = SIG_DFL}};
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct spawn_given given[] = {
	        {nothing, STDIN_FILENO}, {nothing, STDOUT_FILENO}, {nothing, STDERR_FILENO}};
	const struct spawn_order order = {.argv = argv,
	                                  .environment = environment_list(environment),
	                                  .signals = &signals,
	                                  .own_session = true,
	                                  .given = given,
	                                  .given_count = sizeof given / sizeof *given};
	sigemptyset(&signals.mask);
	pid_t pid = nothing < 0 ? -1 : spawn(&order);
	int error = errno;
	if (nothing >= 0)
		close(nothing);
	errno = error;
	return pid < 0 ? -1 : 0;
}

/* ---- a run ---- */

enum { EXIT_TIMEOUT = 124, DISK_FULL = 1 << 16 /* bytes that are left */ };

/* ", in cell 7", of the cell that had not ended; or nothing. */
static struct slice unfinished_cell(struct arena *arena, const struct progress *progress)
{
	for (size_t i = progress->cells.count; i-- > 0;) {
		if (progress->cells.items[i].state == CELL_RUNS)
			return arena_printf(arena, ", in cell %u", progress->cells.items[i].number);
	}
	return slice_make("", 0);
}

/* As shells have it. What a user's own Ctrl-C does needs no word. */
static int exit_status(struct run *run, const struct launch_result *result)
{
	struct arena *arena = run_arena(run);
	int number = WIFSIGNALED(result->status) ? WTERMSIG(result->status) : 0;
	if (result->timed_out && result->was_slow)
		return message_fail(
		        arena, EXIT_SIGNAL + SIGKILL, "",
		        "the program ran for more than %g s (--timeout)%.*s and did not "
		        "end when it was asked to",
		        run->timeout, SLICE_ARG(unfinished_cell(arena, &run->report.progress)));
	if (result->timed_out) /* the script has named its cell */
		return message_fail(arena, EXIT_TIMEOUT, "",
		                    "the program ran for more than %g s (--timeout)", run->timeout);
	if (number == 0)
		return WEXITSTATUS(result->status);
	if (number == SIGINT || number == SIGPIPE)
		return EXIT_SIGNAL + number;
	/* Score-P ends by one of these if it cannot write. */
	struct statvfs disk;
	struct slice folder = path_folder(run->run_script);
	bool may_be_full = number == SIGSEGV || number == SIGABRT || number == SIGBUS;
	bool is_full = may_be_full && statvfs(arena_cstr(arena, folder), &disk) == 0 &&
	               disk.f_bavail < DISK_FULL / disk.f_frsize;
	return message_fail(
	        arena, EXIT_SIGNAL + number,
	        is_full ? "The disk is full; Score-P ends the program if it cannot write\n" : "",
	        "the program was killed by signal %d", number);
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
		                interval == NULL ? SLICE("1") : slice_from(interval));
	struct slice here = os_real_path(out->arena, SLICE("."));
	const struct {
		struct slice name;
		const struct optional_text *given;
	} files[] = {{SLICE("NBSCOREP_EXECUTED"), &settings->executed},
	             {SLICE("NBSCOREP_HTML"), &settings->html}};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *text = files[i].given->text;
		if (files[i].given->given)
			environment_set(out, files[i].name,
			                text == NULL
			                        ? SLICE("yes")
			                        : path_join(out->arena, here, slice_from(text)));
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
		                path_join(out->arena, here, slice_from(settings->folder)));
}

void run_script_environment(struct run *run, struct environment *out)
{
	environment_init(out, run_arena(run), environ);
	if (run->python != NULL)
		environment_set(out, SLICE("PYTHON"), slice_from(run->python));
	run_settings_environment(&run->settings, &run->build, out);
	if (run->monitor.wanted) /* the script need not */
		environment_set(out, SLICE("NBSCOREP_MONITOR"), SLICE(""));
	struct slice program = os_program_path(run_arena(run)); /* which has the recorder */
	if (program.len > 0 && environment_get(out, SLICE("NBSCOREP")) == NULL)
		environment_set(out, SLICE("NBSCOREP"), program);
	const char *named = environment_get(out, SLICE("NBSCOREP"));
	struct slice recorder = recorder_folder(run_arena(run));
	/* The run script would ask this program for it. */
	if (named != NULL && slice_eq(slice_from(named), program) && recorder.len > 0)
		environment_set(out, SLICE("NBSCOREP_RECORDER"),
		                recorder_object(run_arena(run), recorder));
	if (run->sweep.texts.count > 0)
		environment_set(out, SLICE("NBSCOREP_SET"), SLICE("none"));
	if (run->build.quiet)
		environment_set(out, SLICE("NBSCOREP_QUIET"), SLICE("yes"));
	environment_set(out, SLICE("NBSCOREP_BUILD"), run->started_build);
}

static int start(struct run *run)
{
	struct arena *arena = run_arena(run);
	struct progress *progress = &run->report.progress;
	struct environment environment;
	const char *notebook = run->settings.executed.text;
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
	        .watches = {run->report.tells ? &progress->watch : NULL,
	                    run->monitor.wanted ? &run->monitor.watch : NULL},
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
		run_monitor_finish(&run->monitor, result.status, &run->guard,
		                   notebook != NULL && os_is_file(notebook) ? notebook : NULL,
		                   run->build.quiet);
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
