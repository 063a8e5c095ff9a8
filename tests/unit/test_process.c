/* run/: child processes, with system calls made to fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/strbuf.h"
#include "descriptors.h"
#include "process/process.h"

enum { MANY = 1 << 20 };

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	os_set_calls(NULL);
	arena_release(&arena);
	return 0;
}

static struct slice many_bytes(void)
{
	struct strbuf text;
	strbuf_init(&text, &arena);
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

static void assert_text(struct slice text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.ptr, expected, text.len);
}

/* More than a pipe holds, in both directions at once. */
static void test_much_text(void **state)
{
	(void)state;
	struct slice input = many_bytes();
	struct process_result result;
	assert_int_equal(run_shell("cat", input, MANY, &result), 0);
	assert_int_equal(result.status, 0);
	assert_int_equal(result.out.len, input.len);
	assert_memory_equal(result.out.ptr, input.ptr, input.len);
	assert_int_equal(result.err.len, 0);
	assert_no_child();
}

static void test_much_output_on_both(void **state)
{
	(void)state;
	struct process_result result;
	const char *command = "head -c 300000 /dev/zero >&2; head -c 200000 /dev/zero";
	assert_int_equal(run_shell(command, SLICE(""), MANY, &result), 0);
	assert_int_equal(result.err.len, 300000);
	assert_int_equal(result.out.len, 200000);
}

static void test_output_is_kept_up_to_the_limit(void **state)
{
	(void)state;
	struct process_result result;
	assert_int_equal(run_shell("printf abcdef; printf ghijkl >&2", SLICE(""), 4, &result), 0);
	assert_text(result.out, "abcd");
	assert_text(result.err, "ghij");
	assert_int_equal(run_shell("head -c 300000 /dev/zero", SLICE(""), 0, &result), 0);
	assert_int_equal(result.out.len, 0);
	assert_int_equal(result.status, 0);
}

static void test_input_that_nobody_reads(void **state)
{
	(void)state;
	struct process_result result;
	assert_int_equal(run_shell("exec <&-; echo on", many_bytes(), 10, &result), 0);
	assert_text(result.out, "on\n");
	assert_int_equal(result.status, 0);
}

static void test_endings(void **state)
{
	(void)state;
	struct process_result result;
	assert_int_equal(run_shell("exit 7", SLICE(""), 0, &result), 0);
	assert_text(process_ending(&arena, result.status), "ended with status 7");
	assert_int_equal(run_shell("kill -9 $$", SLICE(""), 0, &result), 0);
	assert_text(process_ending(&arena, result.status), "was killed by signal 9");
}

/* No shell looks at the words. */
static void test_words_are_words(void **state)
{
	(void)state;
	struct process_result result;
	const char *const argv[] = {"printf", "%s|", "a b", "$HOME", "*", "", "';", NULL};
	assert_int_equal(
	        process_run(&arena,
	                    &(struct process_order){.argv = argv, .input = SLICE(""), .limit = 100},
	                    &result),
	        0);
	assert_text(result.out, "a b|$HOME|*||';|");
}

static void test_missing_program(void **state)
{
	(void)state;
	int before = open_descriptors();
	struct process_result result;
	const char *const argv[] = {"/nowhere/python3", NULL};
	assert_int_equal(process_run(&arena,
	                             &(struct process_order){
	                                     .argv = argv, .input = SLICE("x"), .limit = 100},
	                             &result),
	                 -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(open_descriptors(), before);
	assert_no_child();
}

enum { ENDS = 8 }; /* of four pipes: three streams, and how the start went */

static void test_no_descriptors_left(void **state)
{
	(void)state;
	int before = open_descriptors(), vacant[ENDS];
	struct rlimit old;
	struct process_result result;
	getrlimit(RLIMIT_NOFILE, &old);
	for (int i = 0; i < ENDS; i++)
		vacant[i] = dup(0);
	for (int i = 0; i < ENDS; i++)
		close(vacant[i]);
	for (int room = 0; room < ENDS; room++) {
		struct rlimit tight = {(rlim_t)vacant[room], old.rlim_max};
		setrlimit(RLIMIT_NOFILE, &tight);
		int status = run_shell("true", SLICE(""), 0, &result);
		int error = errno;
		setrlimit(RLIMIT_NOFILE, &old);
		assert_int_equal(status, -1);
		assert_int_equal(error, EMFILE);
		assert_int_equal(open_descriptors(), before);
		assert_no_child();
	}
}

/* Which call of the base fails, and when. */
static struct {
	int reads, writes; /* until it fails; below 0: never */
} plan;

static ssize_t failing_read(int fd, void *buffer, size_t size)
{
	if (plan.reads-- == 0) {
		errno = EIO;
		return -1;
	}
	return os_system_calls.read(fd, buffer, size);
}

static ssize_t failing_write(int fd, const void *bytes, size_t size)
{
	if (plan.writes-- == 0) {
		errno = EIO;
		return -1;
	}
	return os_system_calls.write(fd, bytes, size);
}

static void assert_failure(const char *command, int reads, int writes)
{
	struct os_calls calls = os_system_calls;
	struct process_result result;
	int before = open_descriptors();
	calls.read = failing_read;
	calls.write = failing_write;
	plan.reads = reads;
	plan.writes = writes;
	os_set_calls(&calls);
	int status = run_shell(command, many_bytes(), MANY, &result);
	int error = errno;
	os_set_calls(NULL);
	assert_int_equal(status, -1);
	assert_int_equal(error, EIO);
	assert_int_equal(open_descriptors(), before);
	assert_no_child();
}

static void test_failing_calls(void **state)
{
	(void)state;
	for (int when = 0; when < 3; when++) {
		assert_failure("cat", when + 1, -1); /* the first one waits for the start */
		assert_failure("cat", -1, when);
	}
	/* One that would go on for itself is ended. */
	assert_failure("echo; exec sleep 1000", 1, -1);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
	(void)number;
	alarms++;
}

static void test_interrupts(void **state)
{
	(void)state;
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
	(void)state;
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
	(void)state;
	struct process_result result;
	assert_int_equal(run_shell("kill -PIPE $$; exit 0", SLICE(""), 0, &result), 0);
	assert_true(WIFSIGNALED(result.status));
}

/* Where our own standard descriptors are closed, the pipes take their numbers. */
static void test_closed_standard_descriptors(void **state)
{
	(void)state;
	for (unsigned closed = 1; closed < 8; closed++) {
		pid_t pid = fork();
		if (pid == 0) {
			for (int fd = 0; fd < 3; fd++) {
				if (closed & (1u << fd))
					close(fd);
			}
			struct process_result result;
			int status = run_shell("cat; echo E >&2", SLICE("in"), 10, &result);
			_exit(status == 0 && slice_eq(result.out, SLICE("in")) &&
			                      slice_eq(result.err, SLICE("E\n"))
			              ? 0
			              : 1);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
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

static void test_time_limit(void **state)
{
	(void)state;
	struct process_result result;
	const char *const commands[] = {
	        "sleep 1000 & echo $!; wait",
	        "trap '' TERM INT; sleep 1000 & echo $!; exec >&- 2>&-; wait",
	        "sleep 1000 & echo $!; while :; do :; done",
	};
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		assert_int_equal(run_limited(commands[i], 0.5, &result), -1);
		assert_int_equal(errno, ETIMEDOUT);
		assert_true(result.started);
		assert_no_child();
		assert_ends(result.out);
	}
	assert_int_equal(run_limited("echo in time", LONG, &result), 0);
	assert_text(result.out, "in time\n");
}

static void test_what_it_leaves_in_its_group(void **state)
{
	(void)state;
	struct process_result result;
	assert_int_equal(run_limited("sleep 1000 >&- 2>&- & echo $!", LONG, &result), 0);
	assert_ends(result.out);
	assert_int_equal(run_limited("sleep 1000 & echo $!", LONG, &result),
	                 0); /* it has the pipes */
	assert_ends(result.out);
}

/* Each waits for the next, so one after the other they would never end. One hangs. */
static void test_side_by_side(void **state)
{
	(void)state;
	enum { COUNT = 5 };
	char folder[] = "/tmp/nbscorep-process-XXXXXX";
	struct process_order orders[COUNT];
	struct process_result results[COUNT];
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < COUNT; i++) {
		const char **argv = arena_calloc(&arena, 4, sizeof *argv);
		const char *command =
		        arena_printf(&arena, "read x <f%d; echo $((x + 1)) >f%d", i, (i + 1) % 4)
		                .ptr;
		argv[0] = "sh";
		argv[1] = "-c";
		argv[2] = i == 0   ? "echo 1 >f1; read x <f0; echo $x"
		          : i == 4 ? "sleep 1000 & echo $!; wait"
		                   : command;
		orders[i] = (struct process_order){.argv = argv,
		                                   .limit = 100,
		                                   .folder = folder,
		                                   .own_group = true,
		                                   .limits = {.seconds = i == 4 ? 0.3 : LONG}};
		assert_int_equal(mkfifo(arena_printf(&arena, "%s/f%d", folder, i).ptr, 0600), 0);
	}
	assert_int_equal(process_run_all(&arena, orders, COUNT, results), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(results[i].error, 0);
	assert_text(results[0].out, "4\n");
	assert_int_equal(results[4].error, ETIMEDOUT);
	assert_ends(results[4].out);
	assert_int_equal(system(arena_printf(&arena, "rm -r %s", folder).ptr), 0);
}

static void test_folder(void **state)
{
	(void)state;
	struct process_result result;
	const char *const argv[] = {"/bin/pwd", NULL};
	assert_int_equal(
	        process_run(&arena,
	                    &(struct process_order){.argv = argv, .limit = 100, .folder = "/"},
	                    &result),
	        0);
	assert_text(result.out, "/\n");
}

/* A program of its own that waits for a child. Returns its process; PID is the child's. */
static pid_t start_waiter(struct process_order order, struct slice *pid)
{
	char line[32] = "";
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t waiter = fork();
	if (waiter == 0) {
		struct process_result result;
		const char *const argv[] = {
		        "sh", "-c",
		        arena_printf(&arena, "echo $$ >&%d; exec sleep 1000", ends[1]).ptr, NULL};
		order.argv = argv;
		int status = process_run(&arena, &order, &result);
		_exit(status != 0 && errno == EINTR ? 7 : 8);
	}
	close(ends[1]);
	assert_true(read(ends[0], line, sizeof line - 1) > 0);
	close(ends[0]);
	*pid = arena_dup(&arena, slice_from(line));
	return waiter;
}

/* However this program ends, its child does. */
static void test_child_follows(void **state)
{
	(void)state;
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		for (int own_group = 0; own_group < 2; own_group++) {
			struct slice pid;
			int status;
			struct rlimit none = {0, 0};
			setrlimit(RLIMIT_CORE, &none);
			pid_t waiter = start_waiter(
			        (struct process_order){.own_group = own_group != 0}, &pid);
			assert_int_equal(kill(waiter, numbers[i]), 0);
			assert_int_equal(waitpid(waiter, &status, 0), waiter);
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
			assert_ends(pid);
		}
	}
}

/* As under nohup: what is ignored asks for no end. */
static void test_ignored_signals(void **state)
{
	(void)state;
	struct process_result result;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigaction(SIGHUP, &ignore, &before);
	int status = run_limited("kill -HUP $PPID; echo on", LONG, &result);
	sigaction(SIGHUP, &before, NULL);
	assert_int_equal(status, 0);
	assert_text(result.out, "on\n");
}

static void test_to_the_end(void **state)
{
	(void)state;
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

static void test_questions(void **state)
{
	(void)state;
	struct process process = {0};
	struct process_result result;
	const char *command = "while read x; do echo err >&2; echo $x; echo end; done";
	int before = open_descriptors();
	pid_t pid = 0;
	for (int i = 0; i < 3; i++) {
		struct slice question = arena_printf(&arena, "%d\n", i);
		assert_int_equal(ask_process(&process, command, question, 100, LONG, &result), 0);
		pid = i == 0 ? process.pid : pid;
		assert_text(result.out, arena_printf(&arena, "%d\nend\n", i).ptr);
		assert_int_equal(process.pid, pid);
	}
	process_end(&process);
	process_end(&process);
	assert_int_equal(process.pid, 0);
	assert_int_equal(open_descriptors(), before);
	assert_no_child();
}

/* More than a pipe holds, in both directions at once. */
static void test_long_questions(void **state)
{
	(void)state;
	struct process process = {0};
	struct process_result result;
	struct slice input = many_bytes();
	const char *command = "head -c 1048576; echo; echo end; head -c 1048576; echo; echo end";
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask_process(&process, command, input, MANY + 100, LONG, &result),
		                 0);
		assert_int_equal(result.out.len, MANY + 5);
		assert_memory_equal(result.out.ptr, input.ptr, MANY);
	}
	process_end(&process);
	assert_no_child();
}

static void assert_no_answer(const char *command, size_t limit, double seconds, int error,
                             struct process_result *out)
{
	struct process process = {0};
	int before = open_descriptors();
	int status = ask_process(&process, command, SLICE("x\n"), limit, seconds, out);
	int found = errno;
	assert_int_equal(status, -1);
	assert_int_equal(found, error);
	assert_int_equal(process.pid, 0);
	assert_int_equal(open_descriptors(), before);
	assert_no_child();
}

static void test_no_answers(void **state)
{
	(void)state;
	struct process_result result;
	assert_no_answer("echo en; echo why >&2; exit 3", 100, LONG, ECHILD, &result);
	assert_text(result.err, "why\n");
	assert_int_equal(WEXITSTATUS(result.status), 3);
	assert_no_answer("echo end >&2; kill -9 $$", 100, LONG, ECHILD, &result);
	assert_int_equal(WTERMSIG(result.status), SIGKILL);
	assert_no_answer("printf end", 100, LONG, ECHILD, &result);
	assert_no_answer("sleep 1000", 100, 0.3, ETIMEDOUT, &result);
	assert_no_answer("exec >&- 2>&-; sleep 1000", 100, 0.3, ETIMEDOUT, &result);
	assert_no_answer("yes", 100, LONG, EMSGSIZE, &result);
}

/* One that answers before it has read the question would take the rest of it for the next one. */
static void test_answer_too_early(void **state)
{
	(void)state;
	struct process process = {0};
	struct process_result result;
	assert_int_equal(
	        ask_process(&process, "echo end; sleep 1000", many_bytes(), 100, LONG, &result), 0);
	assert_int_equal(process.pid, 0);
	assert_no_child();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        TEST(test_much_text),
	        TEST(test_much_output_on_both),
	        TEST(test_output_is_kept_up_to_the_limit),
	        TEST(test_input_that_nobody_reads),
	        TEST(test_endings),
	        TEST(test_words_are_words),
	        TEST(test_missing_program),
	        TEST(test_no_descriptors_left),
	        TEST(test_failing_calls),
	        TEST(test_interrupts),
	        TEST(test_signals_of_the_caller),
	        TEST(test_signals_of_the_child),
	        TEST(test_closed_standard_descriptors),
	        TEST(test_time_limit),
	        TEST(test_what_it_leaves_in_its_group),
	        TEST(test_side_by_side),
	        TEST(test_folder),
	        TEST(test_child_follows),
	        TEST(test_ignored_signals),
	        TEST(test_to_the_end),
	        TEST(test_questions),
	        TEST(test_long_questions),
	        TEST(test_no_answers),
	        TEST(test_answer_too_early),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
