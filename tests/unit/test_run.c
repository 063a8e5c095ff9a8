/* run/: programs on PATH, scratch folders, the output of a job. */
#include "folder_helpers.h"
#include "run/submit_wait.h"

static void assert_found(const char *name, const char *expected)
{
	const char *found = environment_find_program(&environment, name);
	if (expected == NULL ? found != NULL : found == NULL || strcmp(found, expected) != 0)
		fail_msg("'%s' is found as '%s'", name, found == NULL ? "nothing" : found);
}

/* Folders, files that cannot be executed and links to nowhere are passed over, as by execvp(). */
static void test_find_program(void **state)
{
	char start[4096];
	assert_non_null(getcwd(start, sizeof start));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(mkdir("a/tool", 0755), 0);
	assert_int_equal(mkdir("b", 0755), 0);
	write_file("b/tool", SLICE(""), 0644);
	assert_int_equal(mkdir("c\xff", 0755), 0);
	write_file("c\xff/tool", SLICE(""), 0755);
	write_file("here", SLICE(""), 0755);
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
}

static void test_scratch(void **state)
{
	const char *other = scratch_make(&arena);
	assert_non_null(other);
	struct slice link = arena_printf(&arena, "%s/link", other);
	assert_int_equal(symlink("/etc", link.ptr), 0);
	assert_int_equal(scratch_remove(other), 0);
	assert_false(os_is_directory(other));
	assert_true(os_is_directory("/etc"));
	assert_int_equal(scratch_remove(other), -1);
}

/* What is passed on of a file to which TEXT is added, in pieces of SIZE bytes. */
static const char *followed(struct slice text, size_t size)
{
	int ends[2];
	char *out = arena_calloc(&arena, text.len + 1, 1);
	struct follow follow = {.path = in_folder("log")};
	int fd = open(follow.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pipe(ends), 0);
	follow.target = ends[1];
	for (size_t at = 0; at < text.len; at += size) {
		assert_int_equal(os_write_all(fd, slice_sub(text, at, at + size)), 0);
		assert_true(follow_pass_on(&follow) >= 0);
	}
	close(ends[1]);
	assert_true(os_read(ends[0], out, text.len) >= 0);
	close(ends[0]);
	close(fd);
	return out;
}

static void test_follow(void **state)
{
	static const char text[] = "a\nb\n\nc";
	for (size_t size = 1; size < sizeof text; size++)
		assert_string_equal(followed(slice_from(text), size), text);
}

RUN(TEST(test_find_program), TEST(test_scratch), TEST(test_follow))
