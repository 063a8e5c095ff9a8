#include "run/run_sweep.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "diag/message.h"
#include "process/pool.h"
#include "run/run.h"
#include "run/run_start.h"
#include "run/status_line.h"

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

static int make_folder(const char *path)
{
	return mkdir(path, 0777) == 0 || (errno == EEXIST && os_is_directory(path)) ? 0 : -1;
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
	if (make_folder(results) < 0) {
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
	return message_fail(arena, status, hint,
	                    "%zu of %zu sets done, %zu failed, %zu not run, in %.1f s", done,
	                    pool->count, sweep->failed, left, os_seconds() - sweep->begin);
}

int run_sweep(struct run *run)
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
