/* run/: environments, what a run script does before it starts Python, programs and their ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "process/launch.h"
#include "process/scratch.h"
#include "run/follow.h"
#include "run/plan.h"
#include "run/runtime_file.h"
#include "run/summary.h"

static struct arena arena;
static struct environment environment;

static int setup(void **state)
{
	(void)state;
	char *list[] = {"A=1", "AB=2", "EMPTY=", "odd", "A=second", NULL};
	arena_init(&arena, NULL);
	environment_init(&environment, &arena, list);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static const char *get(const char *name)
{
	return environment_get(&environment, slice_from(name));
}

static void test_environment(void **state)
{
	(void)state;
	assert_string_equal(get("A"), "1");
	assert_string_equal(get("AB"), "2");
	assert_string_equal(get("EMPTY"), "");
	assert_null(get("odd"));
	assert_null(get("B"));
	assert_null(get(""));
	environment_set(&environment, SLICE("A"), SLICE("x=y"));
	environment_set(&environment, SLICE("NEW"), SLICE(""));
	char **list = environment_list(&environment);
	static const char *const expected[] = {
	        "A=x=y", "AB=2", "EMPTY=", "odd", "A=second", "NEW="};
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(list[i], expected[i]);
	assert_null(list[6]);
	assert_int_equal(environment.entries.count, 6);
}

static void make_file(const char *path, unsigned mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void assert_found(const char *name, const char *expected)
{
	const char *found = environment_find_program(&environment, name);
	if (expected == NULL ? found != NULL : found == NULL || strcmp(found, expected) != 0)
		fail_msg("'%s' is found as '%s'", name, found == NULL ? "nothing" : found);
}

/* Folders, files that cannot be executed and links to nowhere are passed over, as by execvp(). */
static void test_find_program(void **state)
{
	(void)state;
	char start[4096];
	const char *folder = scratch_make(&arena);
	assert_non_null(getcwd(start, sizeof start));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(mkdir("a/tool", 0755), 0);
	assert_int_equal(mkdir("b", 0755), 0);
	make_file("b/tool", 0644);
	assert_int_equal(mkdir("c\xff", 0755), 0);
	make_file("c\xff/tool", 0755);
	make_file("here", 0755);
	assert_int_equal(symlink("nowhere", "b/lost"), 0);
	environment_set(&environment, SLICE("PATH"), SLICE("/nonexistent:a:b::b/tool:c\xff:/bin"));
	assert_found("tool", "c\xff/tool");
	assert_found("here", "./here");
	assert_found("sh", "/bin/sh");
	assert_found("lost", NULL);
	assert_found("..", NULL);
	assert_found("", NULL);
	assert_found("./here", "./here");
	assert_found("b/tool", NULL);
	assert_found("a/tool", NULL);
	assert_found("no/such", NULL);
	environment_set(&environment, SLICE("PATH"), SLICE(""));
	assert_found("here", "./here");
	assert_found("sh", NULL);
	environment.entries.count = 0;
	assert_found("here", NULL);
	assert_found("sh", "/bin/sh");
	assert_int_equal(chdir(start), 0);
	assert_int_equal(scratch_remove(folder), 0);
}

static struct run_plan plan_of(const char *name, const char *value, bool expands)
{
	struct run_plan plan = {.script_folder = SLICE("/scripts"),
	                        .script = SLICE("x.py"),
	                        .folder = SLICE("/work")};
	struct run_text text = {slice_from(name), slice_from(value), expands};
	vec_push(&arena, &plan.exports, text);
	return plan;
}

static const char *exported(const char *name, const char *value, bool expands)
{
	struct run_plan plan = plan_of(name, value, expands);
	struct slice unset = run_plan_export(&plan, &environment);
	return unset.len > 0 ? NULL : get(name);
}

static void test_exports(void **state)
{
	(void)state;
	assert_string_equal(exported("X", "$A${AB}$EMPTY.", true), "12.");
	assert_string_equal(exported("X", "$A${AB}", false), "$A${AB}");
	assert_string_equal(exported("X", "$(A)`A`\\$$A$", true), "$(A)`A`\\$1$");
	assert_string_equal(exported("A", "0:$A", true), "0:1");
	assert_string_equal(exported("Y", "0:$Y", true), "0:");
	assert_string_equal(exported("Y", "a\n$A", true), "a\n$A");
	assert_null(exported("X", "$NB_NOWHERE", true));
	/* A variable of bash's own. */
	assert_string_equal(exported("X", "$OPTIND", true), "1");
}

static void test_given_variables(void **state)
{
	(void)state;
	exported("X", "$PWD", true);
	assert_string_equal(get("X"), "/work");
	assert_string_equal(get("OLDPWD"), "/scripts");
	assert_string_equal(get("PYTHONPATH"), "/work");
	assert_string_equal(get("MPLBACKEND"), "Agg");
	assert_string_equal(get("SCOREP_TOTAL_MEMORY"), "512M");
	environment_set(&environment, SLICE("MPLBACKEND"), SLICE("QtAgg"));
	environment_set(&environment, SLICE("SCOREP_TOTAL_MEMORY"), SLICE("3G"));
	exported("X", "", true);
	assert_string_equal(get("PYTHONPATH"), "/work:/work");
	assert_string_equal(get("MPLBACKEND"), "QtAgg");
	assert_string_equal(get("SCOREP_TOTAL_MEMORY"), "3G");
}

static void test_command(void **state)
{
	(void)state;
	struct run_plan plan = plan_of("X", "", false);
	static const char *const rest[] = {"$A", ""};
	struct run_text one = {SLICE(""), SLICE("--x=$A"), true};
	struct slice unset;
	vec_push(&arena, &plan.arguments, one);
	struct run_command measured = {"py", true, true, rest, 2}, plain = {.python = "py"};
	char **words = run_plan_command(&plan, &environment, &measured, &unset);
	static const char runtime[] = "--instrumenter-file=" RUNTIME_PATH;
	static const char *const expected[] = {
	        "py", "-m", "scorep", "--x=1", runtime, "/scripts/x.py", "$A", ""};
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(words[i], expected[i]);
	assert_null(words[8]);
	plan.script_folder = SLICE("/");
	words = run_plan_command(&plan, &environment, &plain, &unset);
	assert_string_equal(words[1], "/x.py");
	assert_null(words[2]);
	plain.surrounded = true;
	words = run_plan_command(&plan, &environment, &plain, &unset);
	assert_string_equal(words[1], RUNTIME_PATH);
	plan.arguments.items[0].value = SLICE("$NB_NOWHERE");
	assert_null(run_plan_command(&plan, &environment, &measured, &unset));
	assert_true(slice_eq(unset, SLICE("NB_NOWHERE")));
}

static void test_parents_and_scratch(void **state)
{
	(void)state;
	const char *folder = scratch_make(&arena);
	struct slice path, deep = arena_printf(&arena, "%s//a/b/", folder);
	assert_non_null(folder);
	environment_set(&environment, SLICE("SCOREP_EXPERIMENT_DIRECTORY"), deep);
	assert_int_equal(run_plan_make_parents(&environment, &path), 0);
	assert_int_equal(run_plan_make_parents(&environment, &path), 0);
	assert_true(os_is_directory(deep.ptr));
	struct slice link = arena_printf(&arena, "%s/a/link", folder);
	assert_int_equal(symlink("/etc", link.ptr), 0);
	environment_set(&environment, SLICE("SCOREP_EXPERIMENT_DIRECTORY"),
	                arena_printf(&arena, "%s/passwd/x", link.ptr));
	assert_int_equal(run_plan_make_parents(&environment, &path), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(scratch_remove(folder), 0);
	assert_false(os_is_directory(folder));
	assert_true(os_is_directory("/etc"));
	assert_int_equal(scratch_remove(folder), -1);
}

static int start(const char *command, double timeout, struct launch_result *result)
{
	char *argv[] = {"/bin/sh", "-c", arena_cstr(&arena, slice_from(command)), NULL};
	struct launch_order order = {argv, environ, timeout, 0.1, .given_count = 0};
	struct launch_guard guard;
	launch_guard_begin(&guard);
	int status = launch(&order, &guard, result);
	launch_guard_end(&guard);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return status;
}

static void test_ends(void **state)
{
	(void)state;
	struct launch_result result;
	assert_int_equal(start("exit 7", 0, &result), 0);
	assert_int_equal(WEXITSTATUS(result.status), 7);
	assert_int_equal(start("kill -9 $$", 0, &result), 0);
	assert_int_equal(WTERMSIG(result.status), 9);
	assert_false(result.timed_out);
	assert_int_equal(start("sleep 1000 & sleep 1001 & exit 3", 0, &result), 0);
	assert_int_equal(WEXITSTATUS(result.status), 3);
	assert_int_equal(start("sleep 1000", 0.05, &result), 0);
	assert_true(result.timed_out && !result.was_slow);
	assert_int_equal(start("trap '' TERM; while :; do sleep 1; done", 0.2, &result), 0);
	assert_true(result.timed_out && result.was_slow);
}

struct reader {
	int descriptor;
	char got[64];
	size_t len;
};

static void look(void *data)
{
	struct reader *reader = data;
	ssize_t got = read(reader->descriptor, reader->got + reader->len,
	                   sizeof reader->got - reader->len);
	reader->len += got > 0 ? (size_t)got : 0;
	if (got > 0) /* sent on: the program waits for it */
		kill(getpid(), SIGUSR1);
}

/* Each is given under the other's number. */
static void test_given_descriptors(void **state)
{
	(void)state;
	int first[2], second[2];
	char text[4] = "";
	assert_int_equal(pipe2(first, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(pipe2(second, O_CLOEXEC), 0);
	struct slice command = arena_printf(&arena,
	                                    "trap 'exit 5' USR1; echo 2 >&%d; echo 1 >&%d; "
	                                    "while :; do sleep 0.01; done",
	                                    first[1], second[1]);
	char *argv[] = {"/bin/bash", "-c", arena_cstr(&arena, command), NULL};
	struct reader reader = {.descriptor = first[0]};
	struct launch_watch watch = {.descriptor = first[0], .look = look, .data = &reader};
	struct launch_order order = {
	        .argv = argv,
	        .environment = environ,
	        .given = {{first[1], second[1]}, {second[1], first[1]}},
	        .given_count = 2,
	        .watch = &watch,
	};
	struct launch_guard guard;
	struct launch_result result;
	launch_guard_begin(&guard);
	assert_int_equal(launch(&order, &guard, &result), 0);
	launch_guard_end(&guard);
	assert_int_equal(WEXITSTATUS(result.status), 5);
	assert_true(slice_eq(slice_make(reader.got, reader.len), SLICE("1\n")));
	assert_int_equal(read(second[0], text, sizeof text), 2);
	assert_string_equal(text, "2\n");
	for (size_t i = 0; i < 2; i++) {
		close(first[i]);
		close(second[i]);
	}
}

static void test_no_start(void **state)
{
	(void)state;
	char *argv[] = {"/nonexistent/program", NULL};
	struct launch_order order = {argv, environ, .timeout = 0};
	struct launch_guard guard;
	struct launch_result result;
	launch_guard_begin(&guard);
	assert_int_equal(launch(&order, &guard, &result), -1);
	assert_int_equal(errno, ENOENT);
	launch_guard_end(&guard);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* What comes while the guard holds ends nothing, and is gone with it. */
static void test_guard(void **state)
{
	(void)state;
	struct launch_guard guard;
	struct sigaction after;
	sigset_t mask;
	launch_guard_begin(&guard);
	assert_int_equal(launch_guard_pending(&guard), 0);
	kill(getpid(), SIGUSR1);
	assert_int_equal(launch_guard_pending(&guard), 0);
	kill(getpid(), SIGTERM);
	kill(getpid(), SIGPIPE);
	assert_int_equal(launch_guard_pending(&guard), SIGTERM);
	assert_int_equal(launch_guard_pending(&guard), 0);
	kill(getpid(), SIGINT);
	launch_guard_end(&guard);
	sigaction(SIGPIPE, NULL, &after);
	assert_ptr_equal(after.sa_handler, SIG_DFL);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGTERM));
}

/* Of two cells that took SECONDS each, with AFTER seconds until the end. */
static struct slice summary_of(struct experiment *experiment, int64_t seconds, int64_t after)
{
	const int64_t ns = 1000000000;
	struct strbuf out;
	struct progress progress = {.reads = -1, .writes = -1, .start = 5 * ns};
	for (unsigned i = 0; i < 2; i++) {
		struct progress_cell cell = {.number = i + 1, .state = CELL_DONE};
		cell.begin = ns + i * seconds * ns;
		cell.end = cell.begin + seconds * ns;
		vec_push(&arena, &progress.cells, cell);
	}
	progress.end = progress.start + ns + (2 * seconds + after) * ns;
	struct summary summary = {
	        .progress = &progress, .measured = true, .experiment = experiment};
	strbuf_init(&out, &arena);
	summary_text(&out, &summary);
	return strbuf_slice(&out);
}

static void test_long_end(void **state)
{
	(void)state;
	struct experiment experiment = {.path = SLICE_INIT("/x"), .profile = 1, .traces = 1};
	const struct slice said = SLICE_INIT("s after the last cell; Score-P may need less without "
	                                     "the profile (SCOREP_ENABLE_PROFILING=false)\n"),
	                   trace = SLICE_INIT("(SCOREP_ENABLE_TRACING=true SCOREP_ENABLE_PROF");
	struct slice text = summary_of(&experiment, 2, 5);
	assert_true(slice_find_slice(text, said, 0) < text.len);
	assert_true(slice_find_slice(text, SLICE("5.000 s after"), 0) < text.len);
	text = summary_of(&experiment, 2, 3); /* less than the cells */
	assert_int_equal(slice_find_slice(text, SLICE("after"), 0), text.len);
	text = summary_of(&experiment, 0, 0); /* short */
	assert_int_equal(slice_find_slice(text, SLICE("after"), 0), text.len);
	experiment.traces = -1;
	text = summary_of(&experiment, 2, 5);
	assert_true(slice_find_slice(text, trace, 0) < text.len);
	experiment.profile = -1;
	text = summary_of(&experiment, 2, 5);
	assert_int_equal(slice_find_slice(text, SLICE("after"), 0), text.len);
	text = summary_of(NULL, 2, 5);
	assert_int_equal(slice_find_slice(text, SLICE("after"), 0), text.len);
}

/* What is passed on of a file to which TEXT is added, in pieces of SIZE bytes. */
static const char *followed(struct slice text, size_t size)
{
	int ends[2];
	char *out = arena_calloc(&arena, text.len + 1, 1);
	const char *folder = scratch_make(&arena);
	struct follow follow = {.path = arena_printf(&arena, "%s/log", folder).ptr};
	int fd = open(follow.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pipe(ends), 0);
	follow.target = ends[1];
	for (size_t at = 0; at < text.len; at += size) {
		assert_int_equal(os_write_all(fd, slice_sub(text, at, at + size)), 0);
		assert_true(follow_pass_on(&follow) >= 0);
	}
	follow.ended = true;
	assert_true(follow_pass_on(&follow) >= 0);
	close(ends[1]);
	assert_true(os_read(ends[0], out, text.len) >= 0);
	close(ends[0]);
	close(fd);
	assert_int_equal(scratch_remove(folder), 0);
	return out;
}

static void test_repeated_lines(void **state)
{
#define FLUSH(rank) "[Score-P] Trace buffer flush on rank " rank ".\n"
#define ADVICE "[Score-P] Increase SCOREP_TOTAL_MEMORY and try again.\n"
	(void)state;
	static const char *const texts[][2] = {
	        {"a\n" FLUSH("0") ADVICE FLUSH("0") "b\n" ADVICE FLUSH("13") ADVICE "\nc",
	         "a\n" FLUSH("0") ADVICE "b\n\nc"},
	        {"a " FLUSH("0") "b " FLUSH("0"), "a " FLUSH("0") "b " FLUSH("0")},
	        {FLUSH("0") "[Score-P] Trace buffer fl", FLUSH("0") "[Score-P] Trace buffer fl"},
	        {FLUSH("0") "[Score-P] Trace\n[Score-P]\n[",
	         FLUSH("0") "[Score-P] Trace\n[Score-P]\n["},
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct slice text = slice_from(texts[i][0]);
		for (size_t size = 1; size <= text.len; size++)
			assert_string_equal(followed(text, size), texts[i][1]);
	}
#undef ADVICE
#undef FLUSH
}

/* Only an unfinished line is held back, and not for ever. */
static void test_long_unfinished_line(void **state)
{
	(void)state;
	struct slice text = arena_printf(&arena, "[Score-P] Trace buffer flush on rank %01000d", 0);
	assert_string_equal(followed(text, text.len), text.ptr);
	assert_string_equal(followed(text, 7), text.ptr);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        TEST(test_environment),
	        TEST(test_find_program),
	        TEST(test_exports),
	        TEST(test_given_variables),
	        TEST(test_command),
	        TEST(test_parents_and_scratch),
	        TEST(test_ends),
	        TEST(test_no_start),
	        TEST(test_guard),
	        TEST(test_given_descriptors),
	        TEST(test_long_end),
	        TEST(test_repeated_lines),
	        TEST(test_long_unfinished_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
