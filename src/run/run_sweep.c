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
#include "base/quote.h"
#include "base/utf8.h"
#include "base/value.h"
#include "diag/message.h"
#include "driver/read_sweep.h"
#include "run/run.h"
#include "run/status_line.h"

/* ---- the sets that --only chooses ---- */

enum { STATUS_MAX = 16, SETS_MAX = 9999999 };

enum outcome { OUTCOME_NOT_YET, OUTCOME_MISSING, OUTCOME_FAILED, OUTCOME_DONE };

struct slice sweep_results(struct arena *arena, struct slice run_script)
{
	static const struct slice suffix = SLICE_INIT("_run.sh");
	struct slice stem = slice_sub(run_script, 0, run_script.len - suffix.len);
	return arena_printf(arena, "%.*s_sweep", SLICE_ARG(stem));
}

void sweep_write_sets(struct arena *arena, const struct sweep *sweep, size_t count, set_texts *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct sweep_set *set = &sweep->sets.items[i];
		struct strbuf text;
		strbuf_init(&text, arena);
		value_json_entries(&text, set->values.items, set->values.count);
		vec_push(arena, out, strbuf_slice(&text));
	}
}

/* SET: its text. */
static enum outcome outcome_of(struct arena *arena, struct slice results, size_t number,
                               struct slice set)
{
	char text[STATUS_MAX] = "";
	struct slice folder = arena_printf(arena, "%.*s/%zu", SLICE_ARG(results), number);
	if (os_is_locked(arena_printf(arena, "%s/" SWEEP_LOCK, folder.ptr).ptr))
		return OUTCOME_NOT_YET;
	if (!os_is_directory(folder.ptr) || sweep_is_another_set(arena, folder, set))
		return OUTCOME_MISSING;
	long len = os_read_own_front(arena_printf(arena, "%s/status", folder.ptr).ptr, text,
	                             sizeof text);
	bool done = len > 0 && slice_eq(slice_trim(slice_make(text, (size_t)len)), SLICE("0"));
	return done ? OUTCOME_DONE : OUTCOME_FAILED;
}

/* CHOSEN is by number of set. Returns EXIT_DONE, or EXIT_USAGE with a message. */
static int choose_range(struct arena *arena, struct slice word, size_t count, bool *chosen)
{
	size_t dash = slice_find(word, '-', 0);
	uint64_t first = 0, last = 0;
	(void)slice_read_number(slice_sub(word, 0, dash), SETS_MAX, &first);
	(void)slice_read_number(dash < word.len ? slice_sub(word, dash + 1, word.len) : word,
	                        SETS_MAX, &last);
	if (first == 0 || last < first)
		return message_usage(
		        arena, "'--only' requires numbers, ranges, failed or missing, not '%.*s'",
		        SLICE_ARG(word));
	if (last > count)
		return message_usage(arena, "there is no set %zu: the sweep has %zu", (size_t)last,
		                     count);
	for (size_t number = first; number <= last; number++)
		chosen[number] = true;
	return EXIT_DONE;
}

int sweep_choose_sets(struct arena *arena, const char *wanted, const set_texts *sets,
                      struct slice results, set_numbers *out)
{
	bool *chosen = arena_calloc(arena, sets->count + 1, sizeof *chosen);
	struct slice all = wanted == NULL ? slice_make("", 0) : slice_from(wanted);
	int status = EXIT_DONE;
	for (size_t at = 0, end; wanted != NULL && status == EXIT_DONE && at <= all.len;
	     at = end + 1) {
		end = slice_find(all, ',', at);
		struct slice word = slice_sub(all, at, end);
		bool failed = slice_eq(word, SLICE("failed"));
		if (!failed && !slice_eq(word, SLICE("missing"))) {
			status = choose_range(arena, word, sets->count, chosen);
			continue;
		}
		for (size_t number = 1; number <= sets->count; number++)
			chosen[number] |=
			        outcome_of(arena, results, number, sets->items[number - 1]) ==
			        (failed ? OUTCOME_FAILED : OUTCOME_MISSING);
	}
	for (size_t number = 1; number <= sets->count; number++) {
		if (wanted == NULL || chosen[number])
			vec_push(arena, out, number);
	}
	if (status == EXIT_DONE && out->count == 0)
		message_fail(arena, EXIT_DONE, "", "no set is '%s'", wanted);
	return status;
}

/* ---- the sets that run ---- */

enum { LINE_MAX_BYTES = 1024, TITLE_MAX = 160, BAR_CELLS = 20, VARIABLE_MAX = 40, PID_TEXT = 16 };
enum { RUNS_ALREADY = EALREADY }; /* for a set that another process has started */

/* The sets that run. */
struct sweep_run {
	struct run *run;
	set_numbers numbers;
	struct slice *titles; /* of each: its number and parameters, fit for a terminal */
	char *variable;       /* NBSCOREP_SET=NUMBER of the set that starts */
	size_t failed;
	bool says_all; /* also of sets that went well */
	bool has_line; /* standard error is a terminal */
	struct status_line line;
	double begin;
};

static void print_end(struct sweep_run *sweep, const struct pool_program *program, size_t index)
{
	char line[LINE_MAX_BYTES + TITLE_MAX], end[TITLE_MAX];
	bool well = pool_went_well(program);
	if (well && !sweep->says_all)
		return;
	if (program->state == POOL_NOT_STARTED)
		snprintf(end, sizeof end, "cannot be started: %s",
		         program->error == RUNS_ALREADY ? "it runs already"
		         : program->error == ELOOP      ? "its folder is a symbolic link"
		                                        : strerror(program->error));
	else if (program->timed_out)
		snprintf(end, sizeof end, "ran for too long (--timeout)%s",
		         program->was_slow ? " and was killed" : "");
	else if (WIFSIGNALED(program->status))
		snprintf(end, sizeof end, "was killed by signal %d", WTERMSIG(program->status));
	else if (WEXITSTATUS(program->status) != 0)
		snprintf(end, sizeof end, "ended with status %d", WEXITSTATUS(program->status));
	else
		snprintf(end, sizeof end, "done in %.1f s", program->seconds);
	int len =
	        well ? snprintf(line, sizeof line, "nbscorep: %.*s: %s\n",
	                        SLICE_ARG(sweep->titles[index]), end)
	             : snprintf(line, sizeof line, "nbscorep: %.*s: %s; see %.*s/%zu/output.txt\n",
	                        SLICE_ARG(sweep->titles[index]), end,
	                        SLICE_ARG(sweep->run->sweep.shown), sweep->numbers.items[index]);
	size_t used = (size_t)len < sizeof line ? (size_t)len : sizeof line - 1;
	(void)os_write_all(STDERR_FILENO, slice_make(line, used));
}

/* For the pool; allocates nothing. Reports a set that has ended, and shows a bar. */
static void look_at_set(const struct pool *pool, const struct pool_program *program, void *data)
{
	struct sweep_run *sweep = data;
	char line[LINE_MAX_BYTES], bar[BAR_CELLS + 1] = "";
	if (program != NULL && program->state != POOL_RUNNING) {
		sweep->failed += pool_went_well(program) ? 0 : 1;
		print_end(sweep, program, (size_t)(program - pool->programs));
	}
	if (!sweep->has_line)
		return;
	for (size_t i = 0; i < BAR_CELLS; i++)
		bar[i] = i < pool->ended * BAR_CELLS / pool->count ? '#' : '.';
	int len = snprintf(line, sizeof line, "[%s] %zu of %zu sets ended, %zu run%s%zu failed",
	                   bar, pool->ended, pool->count, pool->running,
	                   pool->running == 1 ? "s, " : ", ", sweep->failed);
	status_line_show(&sweep->line, slice_make(line, (size_t)len));
}

/* Writes the path of the set's folder, and NAME after it. False if it is too long. */
static bool path_in_set(char path[PATH_MAX], const struct pool_program *program, const char *name)
{
	int len = (int)(strrchr(program->output, '/') - program->output);
	return snprintf(path, PATH_MAX, "%.*s%s", len, program->output, name) < PATH_MAX;
}

/* For the pool; does not allocate. Makes the folder of a set, and removes the outcome of an earlier run
 * from it. That outcome stays until the set's turn comes, because it may never come. */
static int prepare_set(const struct pool *pool, const struct pool_program *program, void *data)
{
	static const char *const old[] = {"/status", "/parameters.json", "/output.txt"};
	struct sweep_run *sweep = data;
	struct stat status;
	char path[PATH_MAX];
	if (!path_in_set(path, program, ""))
		return ENAMETOOLONG;
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return errno;
	/* A folder of a downloaded sweep could lead anywhere. */
	if (!os_is_real_directory(path))
		return os_is_link(path) ? ELOOP : ENOTDIR;
	if (!path_in_set(path, program, "/" SWEEP_LOCK))
		return ENAMETOOLONG;
	if (os_is_locked(path))
		return RUNS_ALREADY;
	/* A lock stays: another run may hold it. */
	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode) && unlink(path) != 0)
		return errno;
	for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
		if (!path_in_set(path, program, old[i]))
			return ENAMETOOLONG;
		if (unlink(path) != 0 && errno != ENOENT)
			return errno;
	}
	snprintf(sweep->variable, VARIABLE_MAX, "NBSCOREP_SET=%zu",
	         sweep->numbers.items[program - pool->programs]);
	return 0;
}

/* Of all sets; SWEEP's variable in it is that of the set that starts. */
static char **make_environment(struct sweep_run *sweep)
{
	struct arena *arena = sweep->run->arena;
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
	(void)pool;
	(void)data;
	if (!path_in_set(path, program, "/" SWEEP_LOCK) ||
	    os_read_own_front(path, text, sizeof text - 1) < 0)
		return 0;
	return (pid_t)strtol(text, NULL, 10);
}

/* For the pool: what Score-P has written of a set, in folders below the set's own; allocates nothing. */
static long long measure_growth(void *data)
{
	char folder[PATH_MAX];
	return path_in_set(folder, data, "") ? os_tree_size(folder, 2) : -1;
}

/* Fills in POOL's programs. Returns 0, or -1 with a message. */
static int plan_sets(struct sweep_run *sweep, struct pool *pool)
{
	struct run *run = sweep->run;
	struct arena *arena = run->arena;
	const set_texts *texts = &run->sweep.texts;
	size_t count = sweep->numbers.count;
	const char *results = arena_cstr(arena, run->sweep.results);
	if (mkdir(results, 0777) != 0 && (errno != EEXIST || !os_is_directory(results)))
		return message_fail(arena, -1, "", "cannot make folder '%s': %s", results,
		                    strerror(errno));
	pool->count = count;
	pool->programs = arena_calloc(arena, count, sizeof *pool->programs);
	sweep->titles = arena_calloc(arena, count, sizeof *sweep->titles);
	for (size_t i = 0; i < count; i++) {
		size_t number = sweep->numbers.items[i];
		struct slice text = texts->items[number - 1];
		struct strbuf title;
		pool->programs[i].output =
		        arena_printf(arena, "%s/%zu/output.txt", results, number).ptr;
		pool->programs[i].growth.measure = measure_growth;
		pool->programs[i].growth.data = &pool->programs[i];
		strbuf_init(&title, arena);
		strbuf_printf(&title, "set %zu of %zu ", number, texts->count);
		terminal_text(&title, slice_sub(text, 0, utf8_start(text, TITLE_MAX)));
		strbuf_puts(&title, text.len > TITLE_MAX ? "..." : "");
		sweep->titles[i] = strbuf_slice(&title);
	}
	return 0;
}

static int finish_sweep(struct sweep_run *sweep, const struct pool *pool)
{
	struct arena *arena = sweep->run->arena;
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

int run_sweep(struct run *run)
{
	struct arena *arena = run->arena;
	struct sweep_run sweep = {.run = run};
	int status = sweep_choose_sets(arena, run->settings.only, &run->sweep.texts,
	                               run->sweep.results, &sweep.numbers);
	if (status != EXIT_DONE || sweep.numbers.count == 0)
		return status;
	struct pool pool = {
	        .argv = run_script_command(run),
	        .environment = make_environment(&sweep),
	        .at_once = run->settings.jobs > 0 ? run->settings.jobs : 1,
	        .timeout = run->settings.timeout.seconds,
	        .kill_after = run->kill_after,
	        .prepare = prepare_set,
	        .left = find_left,
	        .look = look_at_set,
	        .data = &sweep,
	};
	if (plan_sets(&sweep, &pool) < 0)
		return EXIT_SYSTEM;
	sweep.has_line = !run->build.quiet && status_line_fits();
	sweep.says_all = run->build.verbose || (!run->build.quiet && !sweep.has_line);
	int number = launch_guard_pending();
	if (number != 0)
		return EXIT_SIGNAL + number;
	sweep.begin = os_seconds();
	pool_run(&pool, &run->guard);
	if (sweep.has_line)
		status_line_clear(&sweep.line);
	return finish_sweep(&sweep, &pool);
}
