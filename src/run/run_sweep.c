#include "run/run_sweep.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
		struct strbuf text = {.arena = arena};
		value_json_entries(&text, set->values.items, set->values.count);
		vec_push(arena, out, strbuf_slice(&text));
	}
}

/* FAILED: true if the set with this text failed; else true if it is missing. One that runs now is neither. */
static bool has_outcome(struct arena *arena, struct slice results, size_t number, struct slice set,
                        bool failed)
{
	char text[STATUS_MAX] = "";
	struct slice folder = arena_printf(arena, "%.*s/%zu", SLICE_ARG(results), number);
	if (os_is_locked(arena_printf(arena, "%s/" SWEEP_LOCK, folder.ptr).ptr))
		return false;
	if (!os_is_directory(folder.ptr) || sweep_is_another_set(arena, folder, set))
		return !failed;
	long len = os_read_own_front(arena_printf(arena, "%s/status", folder.ptr).ptr, text,
	                             sizeof text);
	bool done = len > 0 && slice_eq(slice_trim(slice_make(text, (size_t)len)), SLICE("0"));
	return failed && !done;
}

/* CHOSEN is by number of set. Returns EXIT_DONE, or EXIT_USAGE with a message. */
static int choose_range(struct arena *arena, struct slice word, size_t count, bool *chosen)
{
	size_t dash = slice_find(word, '-', 0);
	uint64_t first = 0, last = 0;
	(void)slice_read_number(slice_sub(word, 0, dash), SETS_MAX, &first);
	(void)slice_read_number(dash < word.len ? slice_tail(word, dash + 1) : word, SETS_MAX,
	                        &last);
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
			chosen[number] |= has_outcome(arena, results, number,
			                              sets->items[number - 1], failed);
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

enum { LINE_MAX_BYTES = 1024, TITLE_MAX = 160, BAR_CELLS = 20 };
enum { RUNS_ALREADY = EALREADY }; /* for a set that another process has started */

/* timeout(1) signals this program and immediately its group, which includes it: one request. */
#define ONE_WISH_SECONDS 1.0

/* A set, in memory that is shared with the process that runs it. */
struct set {
	size_t number;
	struct slice title; /* its number and parameters, fit for a terminal */
	pid_t pid;          /* of its process; 0: none now */
	double begin;
	int error; /* an errno for which it could not be started, or 0 */
	struct launch_result result;
};

/* The sets that run. */
struct sweep_run {
	struct run *run;
	struct set *sets;
	size_t count, started, running, failed;
	int signal;      /* the first one that stopped further starts, or 0 */
	double asked_at; /* when SIGTERM was sent on (os_seconds()); 0: not yet */
	bool says_all;   /* also of sets that went well */
	bool has_line;   /* standard error is a terminal */
	struct status_line line;
	double begin;
};

/* Allocates nothing, like all that runs beside sets. */
static void show_bar(struct sweep_run *sweep)
{
	char line[LINE_MAX_BYTES], bar[BAR_CELLS + 1] = "";
	size_t ended = sweep->started - sweep->running;
	if (!sweep->has_line)
		return;
	for (size_t i = 0; i < BAR_CELLS; i++)
		bar[i] = i < ended * BAR_CELLS / sweep->count ? '#' : '.';
	int len = snprintf(line, sizeof line, "[%s] %zu of %zu sets ended, %zu run%s%zu failed",
	                   bar, ended, sweep->count, sweep->running,
	                   sweep->running == 1 ? "s, " : ", ", sweep->failed);
	status_line_show(&sweep->line, slice_make(line, (size_t)len));
}

static void end_set(struct sweep_run *sweep, const struct set *set)
{
	char line[LINE_MAX_BYTES + TITLE_MAX], end[TITLE_MAX];
	const struct launch_result *result = &set->result;
	bool well = set->error == 0 && !result->timed_out && result->status == 0;
	sweep->failed += well ? 0 : 1;
	if (well && !sweep->says_all)
		return;
	if (set->error != 0)
		snprintf(end, sizeof end, "cannot be started: %s",
		         set->error == RUNS_ALREADY ? "it runs already"
		         : set->error == ELOOP      ? "its folder is a symbolic link"
		                                    : strerror(set->error));
	else if (result->timed_out)
		snprintf(end, sizeof end, "ran for too long (--timeout)%s",
		         result->was_slow ? " and was killed" : "");
	else if (WIFSIGNALED(result->status))
		snprintf(end, sizeof end, "was killed by signal %d", WTERMSIG(result->status));
	else if (WEXITSTATUS(result->status) != 0)
		snprintf(end, sizeof end, "ended with status %d", WEXITSTATUS(result->status));
	else
		snprintf(end, sizeof end, "done in %.1f s", result->end - set->begin);
	int len =
	        well ? snprintf(line, sizeof line, "nbscorep: %.*s: %s\n", SLICE_ARG(set->title),
	                        end)
	             : snprintf(line, sizeof line, "nbscorep: %.*s: %s; see %.*s/%zu/output.txt\n",
	                        SLICE_ARG(set->title), end, SLICE_ARG(sweep->run->shown),
	                        set->number);
	size_t used = (size_t)len < sizeof line ? (size_t)len : sizeof line - 1;
	(void)os_write_all(STDERR_FILENO, slice_make(line, used));
}

/* Makes the FOLDER of a set, and removes the outcome of an earlier run from it. That outcome stays until the set's
 * turn comes, because it may never come. Returns 0, or an errno. */
static int prepare_folder(struct arena *arena, const char *folder)
{
	static const char *const old[] = {"status", "parameters.json", "output.txt"};
	struct stat status;
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return errno;
	/* A folder of a downloaded sweep could lead anywhere. */
	if (!os_is_real_directory(folder))
		return os_is_link(folder) ? ELOOP : ENOTDIR;
	const char *lock = arena_printf(arena, "%s/" SWEEP_LOCK, folder).ptr;
	if (os_is_locked(lock))
		return RUNS_ALREADY;
	/* A lock stays: another run may hold it. */
	if (lstat(lock, &status) == 0 && !S_ISREG(status.st_mode) && unlink(lock) != 0)
		return errno;
	for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
		if (unlink(arena_printf(arena, "%s/%s", folder, old[i]).ptr) != 0 &&
		    errno != ENOENT)
			return errno;
	}
	return 0;
}

/* What Score-P has written of a set, in folders below the set's own. */
static long long measure_growth(void *folder)
{
	return os_tree_size(folder, 2);
}

/* Returns 0 after the set's end, or an errno if it could not be started. */
static int run_set(struct run *run, struct set *set)
{
	struct arena *arena = run->arena;
	struct slice results = run->results;
	char *folder =
	        arena_cstr(arena, arena_printf(arena, "%.*s/%zu", SLICE_ARG(results), set->number));
	int error = prepare_folder(arena, folder);
	if (error != 0)
		return error;
	struct environment environment;
	run_script_environment(run, &environment);
	environment_set(&environment, SLICE("NBSCOREP_KILL_AFTER"), SLICE("none"));
	environment_set(&environment, SLICE("NBSCOREP_SET"),
	                arena_printf(arena, "%zu", set->number));
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int output = open(arena_printf(arena, "%s/output.txt", folder).ptr,
	                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	const int streams[SPAWN_STREAMS] = {input, output, output};
	struct launch_order order = run_script_order(run, &environment);
	order.growth = measure_growth;
	order.growing = folder;
	order.streams = streams;
	bool ran = input >= 0 && output >= 0 && launch(&order, &run->guard, &set->result) == 0;
	return ran ? 0 : errno;
}

/* Runs a set in a process of its own, which ends what the set leaves. */
static _Noreturn void be_set(struct run *run, struct set *set, pid_t parent)
{
	jmp_buf out_of_memory;
	arena_set_handler(run->arena, &out_of_memory);
	setpgid(0, 0); /* what the terminal sends is sent on by the parent */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (setjmp(out_of_memory) != 0)
		set->error = ENOMEM;
	else if (getppid() == parent)
		set->error = run_set(run, set);
	_exit(EXIT_DONE);
}

static void reap_sets(struct sweep_run *sweep)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		struct set *set = sweep->sets, *end = set + sweep->started;
		while (set < end && set->pid != pid)
			set++;
		if (set == end)
			continue;
		if (status != 0) /* it was killed, and all with it */
			set->result.status = status;
		set->pid = 0;
		sweep->running--;
		end_set(sweep, set);
	}
}

/* INT, TERM, HUP and QUIT end the sets; the second one, a moment later, kills them with all that they have started. USR1
 * and USR2 are sent on. */
static void take_signal(struct sweep_run *sweep, int number)
{
	bool asks = number != SIGUSR1 && number != SIGUSR2, kills = asks && sweep->asked_at > 0;
	if (sweep->signal == 0)
		sweep->signal = number;
	if (kills && os_seconds() - sweep->asked_at < ONE_WISH_SECONDS)
		return;
	if (asks && !kills)
		sweep->asked_at = os_seconds();
	for (size_t i = 0; i < sweep->started; i++) {
		pid_t pid = sweep->sets[i].pid;
		if (pid > 0 && kills)
			spawn_kill(pid);
		else if (pid > 0)
			(void)kill(pid, asks ? SIGTERM : number);
	}
}

/* Runs the sets in their order, as many at a time as --jobs allows. */
static void run_sets(struct sweep_run *sweep)
{
	const struct timespec second = {1, 0};
	size_t jobs = sweep->run->settings.jobs > 0 ? sweep->run->settings.jobs : 1;
	pid_t self = getpid();
	for (;;) {
		while (sweep->signal == 0 && sweep->started < sweep->count &&
		       sweep->running < jobs) {
			struct set *set = &sweep->sets[sweep->started++];
			set->begin = os_seconds();
			pid_t pid = fork();
			if (pid == 0)
				be_set(sweep->run, set, self);
			if (pid > 0) {
				set->pid = pid;
				sweep->running++;
			} else {
				set->error = errno;
				end_set(sweep, set);
			}
			show_bar(sweep);
		}
		if (sweep->running == 0)
			return;
		int number = sigtimedwait(&sweep->run->guard.held, NULL, &second);
		if (number == SIGCHLD)
			reap_sets(sweep);
		else if (number > 0)
			take_signal(sweep, number);
		show_bar(sweep);
	}
}

static int finish_sweep(struct sweep_run *sweep)
{
	struct arena *arena = sweep->run->arena;
	size_t left = sweep->count - sweep->started, done = sweep->started - sweep->failed;
	const char *hint = sweep->failed == 0 && left == 0 ? ""
	                   : left == 0 ? "--only=failed runs those again that failed\n"
	                               : "--only=failed,missing runs those again that failed, and "
	                                 "those that have not run\n";
	int status = sweep->signal != 0  ? EXIT_SIGNAL + sweep->signal
	             : sweep->failed > 0 ? 1
	                                 : EXIT_DONE;
	if (sweep->run->build.quiet && status == EXIT_DONE)
		return status;
	struct slice table =
	        arena_printf(arena, "; table: %.*s/" SWEEP_RESULTS, SLICE_ARG(sweep->run->shown));
	return message_fail(arena, status, hint,
	                    "%zu of %zu sets done, %zu failed, %zu not run, in %.1f s%s", done,
	                    sweep->count, sweep->failed, left, os_seconds() - sweep->begin,
	                    done > 0 ? table.ptr : "");
}

int run_sweep(struct run *run)
{
	struct arena *arena = run->arena;
	struct sweep_run sweep = {.run = run};
	set_numbers numbers = {0};
	const char *results = arena_cstr(arena, run->results);
	int status =
	        sweep_choose_sets(arena, run->settings.only, &run->sets, run->results, &numbers);
	if (status != EXIT_DONE || numbers.count == 0)
		return status;
	if (mkdir(results, 0777) != 0 && (errno != EEXIST || !os_is_directory(results)))
		return message_fail(arena, EXIT_SYSTEM, "", "cannot make folder '%s': %s", results,
		                    strerror(errno));
	sweep.count = numbers.count;
	sweep.sets = mmap(NULL, sweep.count * sizeof *sweep.sets, PROT_READ | PROT_WRITE,
	                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sweep.sets == MAP_FAILED)
		arena_fail(arena);
	for (size_t i = 0; i < sweep.count; i++) {
		struct slice text = run->sets.items[numbers.items[i] - 1];
		struct strbuf title = {.arena = arena};
		strbuf_printf(&title, "set %zu of %zu ", numbers.items[i], run->sets.count);
		terminal_text(&title, slice_sub(text, 0, utf8_start(text, TITLE_MAX)));
		strbuf_puts(&title, text.len > TITLE_MAX ? "..." : "");
		sweep.sets[i].number = numbers.items[i];
		sweep.sets[i].title = strbuf_slice(&title);
	}
	sweep.has_line = !run->build.quiet && status_line_fits();
	sweep.says_all = run->build.verbose || (!run->build.quiet && !sweep.has_line);
	int number = launch_guard_pending();
	if (number != 0)
		return EXIT_SIGNAL + number;
	sweep.begin = os_seconds();
	run_sets(&sweep);
	if (sweep.has_line)
		status_line_clear(&sweep.line);
	return finish_sweep(&sweep);
}
