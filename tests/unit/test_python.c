/* run/: which Python it is, and what it says about scripts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/python.h"
#include "folder_helpers.h"

enum { LONG = 60 }; /* seconds that nothing takes */

/* ---- which one ---- */

static const char *which_python(const char *named, ...)
{
	environment.entries.count = 0;
	va_list pairs;
	va_start(pairs, named);
	for (const char *name; (name = va_arg(pairs, const char *)) != NULL;)
		environment_set(&environment, slice_from(name),
		                slice_from(va_arg(pairs, const char *)));
	va_end(pairs);
	return python_find(&environment, named, NULL);
}

static void test_which_python(void **state)
{
	(void)state;
	assert_string_equal(which_python("mine", "PYTHON", "/opt/python", NULL), "mine");
	assert_string_equal(which_python(NULL, "PYTHON", "/opt/python", "VIRTUAL_ENV", "/", NULL),
	                    "/opt/python");
	assert_string_equal(which_python(NULL, "PYTHON", "", NULL), "python3");
	assert_string_equal(which_python(NULL, "VIRTUAL_ENV", "/v", NULL), "/v/bin/python3");
	assert_string_equal(which_python(NULL, "VIRTUAL_ENV", "", NULL), "python3");
	assert_string_equal(which_python(NULL, NULL), "python3");
	assert_string_equal(python_find(&environment, NULL, "configured"), "configured");
	assert_string_equal(python_find(&environment, "mine", "configured"), "mine");
}

/* ---- what it says ---- */

/* A Python that is a shell script which reads a question and answers by COMMANDS. */
static struct python_checker make_checker(const char *commands)
{
	const char *path = in_folder("python");
	write_file(path,
	           arena_printf(&arena,
	                        "#!/bin/sh\nquestion() { read -r _ number size; "
	                        "question=$(head -c \"$size\"; echo .); }\n"
	                        "done_() { echo nbscorep:done \"$number\"; }\n%s\n",
	                        commands),
	           0700);
	return (struct python_checker){.arena = &arena,
	                               .python = path,
	                               .program = "the checker",
	                               .limits = {.seconds = LONG}};
}

static enum python_answer ask(struct python_checker *checker, struct python_check *check,
                              struct slice *reason)
{
	static const struct python_cell cells[] = {{1, 1, 0, 1, 1}, {2, 1, 4, 2, 1}};
	*check = (struct python_check){.cell_text = SLICE("a\n    b\n"),
	                               .script = SLICE("A\n    B\n"),
	                               .cells = cells,
	                               .cell_count = 2};
	*reason = SLICE("");
	return python_check(&arena, checker, check, reason);
}

static enum python_answer ask_once(const char *commands, struct python_check *check,
                                   struct slice *reason)
{
	struct python_checker checker = make_checker(commands);
	enum python_answer answer = ask(&checker, check, reason);
	python_checker_end(&checker);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return answer;
}

static void test_python_gets(void **state)
{
	(void)state;
	struct python_check check;
	struct slice reason;
	/* What it gets comes back as the reason for its refusal. */
	const char *commands = "question; text=$(printf %s \"$question\" | tr '\\n' ,)\n"
	                       "echo \"nbscorep:refused $*; $PWD; $text\"; done_";
	assert_int_equal(ask_once(commands, &check, &reason), PYTHON_UNUSABLE);
	assert_text(reason, "-I -S -W ignore -c the checker; /; "
	                    "2 2,1 1 0 1 1,2 1 4 2 1,a,    b,A,    B,.");
}

static void test_python_answers(void **state)
{
	(void)state;
	struct python_check check;
	struct slice reason;
	struct python_checker checker = make_checker(
	        "echo Loading modules; question; echo nbscorep:python 3.11 /a b/python\n"
	        "echo nbscorep:fault 1 2 3 4 0 200 TabError no good\n"
	        "echo nbscorep:fault 2 0 0 0 1 0 SyntaxError x; done_; echo\n"
	        "echo nbscorep:fault 0 0 0 0 0 0 SyntaxError late; sleep 1000");
	assert_int_equal(ask(&checker, &check, &reason), PYTHON_CHECKED);
	assert_int_equal(check.faults.count, 2);
	const struct python_fault *fault = check.faults.items;
	assert_int_equal(fault->cell, 1);
	assert_int_equal(fault->line, 2);
	assert_int_equal(fault->column, 3);
	assert_int_equal(fault->length, 4);
	assert_false(fault->whole);
	assert_int_equal(fault->taken_by, PYTHON_2);
	assert_text(fault->type, "TabError");
	assert_text(fault->message, "no good");
	assert_int_equal(fault[1].cell, 2);
	assert_true(fault[1].whole);
	assert_int_equal(fault[1].taken_by, PYTHON_NONE);
	assert_int_equal(checker.version, 311);
	assert_text(checker.file, "/a b/python");
	python_checker_end(&checker);
}

/* One process answers for all texts, as long as it lives. */
static void test_python_is_asked_again(void **state)
{
	(void)state;
	struct python_check check;
	struct slice reason;
	struct python_checker checker =
	        make_checker("while question && [ \"$size\" ]; do [ \"$number\" = 3 ] && exit 5\n"
	                     "echo nbscorep:fault 0 $$ 0 0 0 0 SyntaxError x; done_; done");
	unsigned process = 0;
	for (unsigned i = 1; i <= 5; i++) {
		assert_int_equal(ask(&checker, &check, &reason), PYTHON_CHECKED);
		assert_int_equal(check.faults.count, 1);
		if (i != 1 && i != 3)
			assert_int_equal(check.faults.items[0].line, process);
		else
			assert_int_not_equal(check.faults.items[0].line, process);
		process = check.faults.items[0].line;
	}
	python_checker_end(&checker);
}

static void test_python_is_slow(void **state)
{
	(void)state;
	struct python_check check;
	struct slice reason;
	struct python_checker checker = make_checker(
	        "question; [ \"$number\" = 2 ] || sleep 1000; done_; while :; do sleep 1; done");
	checker.limits.seconds = 0.5;
	assert_int_equal(ask(&checker, &check, &reason), PYTHON_TOO_SLOW);
	assert_text(reason, "it takes longer than 0.5 s");
	checker.limits.seconds = LONG;
	assert_int_equal(ask(&checker, &check, &reason), PYTHON_CHECKED);
	python_checker_end(&checker);
}

static void test_python_talks_nonsense(void **state)
{
	(void)state;
	static const char *const rows[] = {
	        "fault",
	        "fault 3 0 0 0 0 0 SyntaxError x",
	        "fault -1 0 0 0 0 0 SyntaxError x",
	        "fault 0 0 0 0 0 0",
	        "fault 0 0 0 0",
	        "fault 0 x 0 0 0 0 SyntaxError x",
	        "fault 0 99999999999999999999 0 0 0 0 SyntaxError x",
	        "python",
	        "python 3 /usr/bin/python3",
	        "python 3.x /usr/bin/python3",
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct python_check check;
		struct slice reason;
		const char *commands =
		        arena_printf(&arena, "question; echo nbscorep:%s; done_", rows[i]).ptr;
		assert_int_equal(ask_once(commands, &check, &reason), PYTHON_FAILED);
		assert_text(reason, "its answer cannot be read");
	}
}

static void test_python_fails(void **state)
{
	(void)state;
	struct python_check check;
	struct slice reason;
	assert_int_equal(ask_once("question; echo one >&2; echo two >&2; exit 5", &check, &reason),
	                 PYTHON_FAILED);
	assert_text(reason, "it ended with status 5: two");
	assert_int_equal(ask_once("kill -11 $$", &check, &reason), PYTHON_FAILED);
	assert_text(reason, "it was killed by signal 11");
	assert_int_equal(ask_once("question; echo nbscorep:fault 0 0 0 0 0 0 SyntaxError x", &check,
	                          &reason),
	                 PYTHON_FAILED);
	assert_text(reason, "it ended with status 0");
	assert_int_equal(ask_once("yes", &check, &reason), PYTHON_FAILED);
	assert_text(reason, "its answer cannot be read");
	struct python_checker missing = {.python = "/nowhere/python3", .program = ""};
	assert_int_equal(ask(&missing, &check, &reason), PYTHON_UNUSABLE);
	assert_text(reason, "No such file or directory");
}

/* ---- its file ---- */

static struct python_file find(const char *named)
{
	struct python_file file;
	assert_int_equal(python_file_find(&environment, named, &file), 0);
	return file;
}

static bool is_same_file(const struct python_file *a, const struct python_file *b)
{
	return slice_eq(a->identity, b->identity);
}

static void test_file_is_found(void **state)
{
	(void)state;
	char start[4096];
	const char *path = in_folder("python");
	struct python_file file;
	write_file(path, SLICE("\177ELF"), 0700);
	assert_int_equal(symlink("python", in_folder("python3")), 0);
	environment_set(&environment, SLICE("PATH"),
	                arena_printf(&arena, "/nonexistent:%s", folder));
	file = find("python3");
	assert_string_equal(file.path, in_folder("python3"));
	assert_false(file.is_script);
	assert_int_equal(python_file_find(&environment, "python4", &file), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(python_file_find(&environment, in_folder("none"), &file), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(python_file_find(&environment, folder, &file), -1);
	assert_int_equal(errno, EACCES);
	assert_non_null(getcwd(start, sizeof start));
	assert_int_equal(chdir(folder), 0);
	file = find("./python3");
	assert_int_equal(chdir(start), 0);
	assert_int_equal(file.path[0], '/');
	assert_true(slice_eq(file.real, os_real_path(&arena, slice_from(path))));
}

/* Links to one interpreter, as virtual environments have them, are the same; another file is not, even of
 * the same size. */
static void test_file_identity(void **state)
{
	(void)state;
	const char *path = in_folder("python");
	write_file(path, SLICE("\177ELF"), 0700);
	assert_int_equal(symlink("python", in_folder("python3")), 0);
	struct python_file file = find(path), link = find(in_folder("python3"));
	assert_true(is_same_file(&file, &link));
	write_file(in_folder("other"), SLICE("\177ELF"), 0700);
	assert_int_equal(rename(in_folder("other"), path), 0);
	struct python_file other = find(path);
	assert_false(is_same_file(&file, &other));
}

/* What tells a shim of pyenv or asdf which interpreter to start is a part of it. */
static void test_shim_identity(void **state)
{
	(void)state;
	assert_int_equal(mkdir(in_folder("shims"), 0700), 0);
	const char *path = in_folder("shims/python3");
	write_file(path, SLICE("#!/bin/sh\n"), 0700);
	struct python_file before = find(path);
	assert_true(before.is_script);
	write_file(in_folder("version"), SLICE("3.9"), 0600);
	struct python_file after = find(path);
	assert_false(is_same_file(&before, &after));
	before = after;
	environment_set(&environment, SLICE("PYENV_VERSION"), SLICE("3.12"));
	after = find(path);
	assert_false(is_same_file(&before, &after));
	before = after;
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	write_file(in_folder(".tool-versions"), SLICE("python 3.9"), 0600);
	after = find(path);
	assert_false(is_same_file(&before, &after));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        TEST(test_which_python),   TEST(test_python_gets),
	        TEST(test_python_answers), TEST(test_python_is_asked_again),
	        TEST(test_python_is_slow), TEST(test_python_talks_nonsense),
	        TEST(test_python_fails),   TEST(test_file_is_found),
	        TEST(test_file_identity),  TEST(test_shim_identity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
