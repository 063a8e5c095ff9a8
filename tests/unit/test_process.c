/* process/process: what tests/cli/verify_test.py and doctor_test.py do not show of child processes. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena_fixture.h"
#include "base/strbuf.h"
#include "process/process.h"
#include "unit.h"

enum { MANY = 1 << 20 };

static struct slice many_bytes(void)
{
	struct strbuf text = {.arena = &arena};
	for (unsigned i = 0; i < MANY; i++)
		strbuf_addc(&text, (char)('a' + i % 23));
	return strbuf_slice(&text);
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int run_shell(const char *command, struct slice input, size_t limit,
                     struct process_result *out)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	return process_run(
	        &arena, &(struct process_order){.argv = argv, .input = input, .limit = limit}, out);
}

/* More than a pipe holds, in both directions at once. */
static void test_much_text(void **state)
{
	struct slice input = many_bytes();
	struct process_result result;
	assert_int_equal(run_shell("cat", input, MANY, &result), 0);
	assert_int_equal(result.status, 0);
	assert_int_equal(result.out.len, input.len);
	assert_memory_equal(result.out.ptr, input.ptr, input.len);
	assert_int_equal(result.err.len, 0);
	assert_no_child();
}

enum { ENDS = 8 }; /* of four pipes: three streams, and how the start went */

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
	(void)number;
	alarms++;
}

static void test_interrupts(void **state)
{
	struct sigaction action = {.sa_handler = count_alarm}, before;
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	struct slice input = many_bytes();
	struct process_result result;
	sigaction(SIGALRM, &action, &before);
	alarms = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	while (alarms < 20) {
		assert_int_equal(run_shell("cat", input, MANY, &result), 0);
		assert_int_equal(result.out.len, input.len);
		assert_int_equal(result.status, 0);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
}

/* The caller's own handling of signals is neither in the way nor changed. */
static void test_signals_of_the_caller(void **state)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before, after;
	struct process_result result;
	sigaction(SIGCHLD, &ignore, &before);
	assert_int_equal(run_shell("exit 3", SLICE(""), 0, &result), 0);
	sigaction(SIGCHLD, &before, &after);
	assert_ptr_equal(after.sa_handler, SIG_IGN);
	assert_int_equal(WEXITSTATUS(result.status), 3);
	sigaction(SIGPIPE, NULL, &after);
	assert_ptr_equal(after.sa_handler, SIG_DFL);
}

/* SIGPIPE ends the child as it would from a shell. */
static void test_signals_of_the_child(void **state)
{
	struct process_result result;
	assert_int_equal(run_shell("kill -PIPE $$; exit 0", SLICE(""), 0, &result), 0);
	assert_true(WIFSIGNALED(result.status));
}

enum { LONG = 60 }; /* seconds that nothing takes */

static int run_limited(const char *command, double seconds, struct process_result *out)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	return process_run(&arena,
	                   &(struct process_order){.argv = argv,
	                                           .limit = 100,
	                                           .limits = {.seconds = seconds},
	                                           .own_group = true},
	                   out);
}

/* Is there a process of the number in TEXT, other than a dead one that its new parent did not take? */
static bool is_alive(struct slice text)
{
	char state = 'Z';
	char *number = arena_cstr(&arena, slice_trim(text));
	FILE *file = fopen(arena_printf(&arena, "/proc/%s/stat", number).ptr, "r");
	if (file == NULL)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state != 'Z';
}

static void assert_ends(struct slice pid)
{
	assert_true(slice_trim(pid).len > 0);
	for (int i = 0; i < LONG * 100 && is_alive(pid); i++)
		usleep(10000);
	assert_false(is_alive(pid));
}

static void test_what_it_leaves_in_its_group(void **state)
{
	struct process_result result;
	assert_int_equal(run_limited("sleep 1000 >&- 2>&- & echo $!", LONG, &result), 0);
	assert_ends(result.out);
	assert_int_equal(run_limited("sleep 1000 & echo $!", LONG, &result),
	                 0); /* it has the pipes */
	assert_ends(result.out);
}

static void test_to_the_end(void **state)
{
	struct process_result result;
	sigset_t terminate, before;
	struct timespec at_once = {0};
	const char *const argv[] = {"sh", "-c", "kill -TERM $PPID; echo on", NULL};
	struct process_order order = {.argv = argv, .limit = 100, .to_the_end = true};
	sigemptyset(&terminate);
	sigaddset(&terminate, SIGTERM);
	sigprocmask(SIG_BLOCK, &terminate, &before);
	assert_int_equal(process_run(&arena, &order, &result), 0);
	assert_text(result.out, "on\n");
	assert_int_equal(sigtimedwait(&terminate, NULL, &at_once), SIGTERM);
	order.to_the_end = false;
	assert_int_equal(process_run(&arena, &order, &result), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(sigtimedwait(&terminate, NULL, &at_once), SIGTERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* COMMAND starts if no process is running. */
static int ask_process(struct process *process, const char *command, struct slice input,
                       size_t limit, double seconds, struct process_result *out)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct process_order order = {.argv = argv,
	                              .own_group = true,
	                              .is_whole = true,
	                              .input = input,
	                              .limit = limit,
	                              .limits = {.seconds = seconds}};
	return process_ask(&arena, process, &order, SLICE("end"), out);
}

/* One that answers before it has read the question would take the rest of it for the next one. */
static void test_answer_too_early(void **state)
{
	struct process process = {0};
	struct process_result result;
	assert_int_equal(
	        ask_process(&process, "echo end; sleep 1000", many_bytes(), 100, LONG, &result), 0);
	assert_int_equal(process.pid, 0);
	assert_no_child();
}

RUN(TEST(test_much_text), TEST(test_interrupts), TEST(test_signals_of_the_caller),
    TEST(test_signals_of_the_child), TEST(test_what_it_leaves_in_its_group), TEST(test_to_the_end),
    TEST(test_answer_too_early))
