/* run/: programs that are asked for a few words, and behave badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "descriptors.h"
#include "process/probe.h"

enum { LONG = 60, MOST = 8 };

struct fixture {
	struct arena arena;
	char start[PATH_MAX], folder[32];
};

static struct fixture fixture;
static struct arena *const arena = &fixture.arena;

/* Tests run in a folder of their own. */
static int set_up(void **state)
{
	(void)state;
	arena_init(arena, NULL);
	strcpy(fixture.folder, "/tmp/nbscorep-probe-XXXXXX");
	if (getcwd(fixture.start, sizeof fixture.start) == NULL || mkdtemp(fixture.folder) == NULL)
		return -1;
	return chdir(fixture.folder);
}

static int tear_down(void **state)
{
	(void)state;
	if (chdir(fixture.start) != 0 ||
	    system(arena_printf(arena, "rm -r %s", fixture.folder).ptr) != 0)
		return -1;
	arena_release(arena);
	return 0;
}

static struct probe shell(const char *command)
{
	const char **argv = arena_calloc(arena, 4, sizeof *argv);
	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = command;
	return (struct probe){.argv = argv};
}

static struct probe ask(const char *command, unsigned seconds)
{
	struct probe probe = shell(command);
	assert_int_equal(probe_all(arena, &probe, 1, seconds), 0);
	return probe;
}

static void assert_text(struct slice text, const char *expected)
{
	if (!slice_eq(text, slice_from(expected)))
		fail_msg("'%.*s' is not '%s'", SLICE_ARG(text), expected);
}

/* Is the process of the number in TEXT gone, but for an entry that its new parent did not take? */
static bool is_gone(struct slice text)
{
	char state = 'Z';
	char *number = arena_cstr(arena, slice_trim(text));
	FILE *file = fopen(arena_printf(arena, "/proc/%s/stat", number).ptr, "r");
	if (file == NULL)
		return true;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state == 'Z';
}

static void assert_goes(struct slice pid)
{
	assert_true(slice_trim(pid).len > 0);
	for (int i = 0; i < LONG * 100 && !is_gone(pid); i++)
		usleep(10000);
	assert_true(is_gone(pid));
}

static struct slice read_line(const char *path)
{
	char line[64] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	fclose(file);
	return arena_dup(arena, slice_from(line));
}

static void test_answer(void **state)
{
	(void)state;
	int before = open_descriptors();
	struct probe probe = ask("echo out; echo err >&2; exit 3", LONG);
	assert_int_equal(probe.end, PROBE_ENDED);
	assert_int_equal(WEXITSTATUS(probe.status), 3);
	assert_text(probe.out, "out\n");
	assert_text(probe.err, "err\n");
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_nothing_on_standard_input(void **state)
{
	(void)state;
	assert_text(ask("cat; echo end", LONG).out, "end\n");
}

static void test_crash(void **state)
{
	(void)state;
	struct probe probe = ask("echo out; kill -SEGV $$", LONG);
	assert_int_equal(probe.end, PROBE_ENDED);
	assert_true(WIFSIGNALED(probe.status));
	assert_text(probe.out, "out\n");
}

static void test_no_program(void **state)
{
	static const char *const argv[] = {"/nonexistent/x", NULL};
	(void)state;
	int before = open_descriptors();
	struct probe probe = {.argv = argv};
	assert_int_equal(probe_all(arena, &probe, 1, LONG), 0);
	assert_int_equal(probe.end, PROBE_NOT_STARTED);
	assert_int_equal(probe.error, ENOENT);
	assert_int_equal(open_descriptors(), before);
}

/* Each waits for the next: one after the other they would never end. */
static void test_all_at_once(void **state)
{
	(void)state;
	struct probe probes[MOST];
	for (int i = 0; i < MOST; i++) {
		assert_int_equal(mkfifo(arena_printf(arena, "f%d", i).ptr, 0600), 0);
		probes[i] =
		        shell(i == 0 ? "echo 1 > f1; read x < f0; echo $x"
		                     : arena_printf(arena, "read x < f%d; echo $((x + 1)) > f%d", i,
		                                    (i + 1) % MOST)
		                               .ptr);
	}
	assert_int_equal(probe_all(arena, probes, MOST, LONG), 0);
	for (int i = 0; i < MOST; i++)
		assert_int_equal(probes[i].end, PROBE_ENDED);
	assert_text(probes[0].out, "8\n");
}

static void test_hangs(void **state)
{
	(void)state;
	struct probe probes[2] = {shell("echo $$; exec sleep 1000"), shell("echo here")};
	assert_int_equal(probe_all(arena, probes, 2, 1), 0);
	assert_int_equal(probes[0].end, PROBE_TIMED_OUT);
	assert_goes(probes[0].out);
	assert_int_equal(probes[1].end, PROBE_ENDED);
	assert_text(probes[1].out, "here\n");
}

static void test_hangs_silently(void **state)
{
	(void)state;
	struct probe probe = ask("trap '' TERM INT HUP; exec >&- 2>&-; sleep 1000", 1);
	assert_int_equal(probe.end, PROBE_TIMED_OUT);
}

static void test_leaves_a_process(void **state)
{
	(void)state;
	struct probe probe = ask("sleep 1000 & echo $!", LONG);
	assert_int_equal(probe.end, PROBE_ENDED);
	assert_goes(probe.out);
}

static void test_flood(void **state)
{
	(void)state;
	struct probe probe = ask("yes", LONG);
	assert_int_equal(probe.end, PROBE_TOO_LONG);
	assert_int_equal(probe.out.len, PROBE_OUTPUT_MAX);
	probe = ask("yes >&2", LONG);
	assert_int_equal(probe.end, PROBE_TOO_LONG);
	probe = ask("head -c 65536 /dev/zero", LONG);
	assert_int_equal(probe.end, PROBE_ENDED);
	assert_int_equal(probe.out.len, PROBE_OUTPUT_MAX);
}

/* SIGTERM ends the program that asks, and those that it asked. */
static void test_signal(void **state)
{
	(void)state;
	int status;
	assert_int_equal(mkfifo("pid", 0600), 0);
	pid_t asker = fork();
	if (asker == 0) {
		signal(SIGTERM, SIG_DFL);
		ask("echo $$ > pid; exec sleep 1000", LONG);
		_exit(7);
	}
	struct slice pid = read_line("pid");
	assert_int_equal(kill(asker, SIGTERM), 0);
	assert_int_equal(waitpid(asker, &status, 0), asker);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_goes(pid);
}

static void test_callers_signals_come_back(void **state)
{
	(void)state;
	sigset_t mask;
	struct sigaction action;
	signal(SIGCHLD, SIG_IGN);
	enum probe_end end = ask("exit 5", LONG).end;
	sigaction(SIGCHLD, NULL, &action);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(end, PROBE_ENDED);
	assert_true(action.sa_handler == SIG_IGN);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGINT) || sigismember(&mask, SIGCHLD));
}

/* In a child, because the standard streams of the tests are needed. */
static void test_closed_standard_streams(void **state)
{
	(void)state;
	int status;
	pid_t child = fork();
	if (child == 0) {
		close(0);
		close(1);
		close(2);
		struct probe probe = ask("echo out; echo err >&2", LONG);
		_exit(slice_eq(probe.out, SLICE("out\n")) && slice_eq(probe.err, SLICE("err\n"))
		              ? 0
		              : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_answer, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_nothing_on_standard_input, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_crash, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_no_program, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_all_at_once, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_hangs, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_hangs_silently, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_leaves_a_process, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_flood, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_signal, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_callers_signals_come_back, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_closed_standard_streams, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
