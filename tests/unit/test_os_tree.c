/* base/os_tree: what is opened of a tree, by each kind of path, and while links change. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/os_tree.h"
#include "folder_helpers.h"

/* Makes "top", "top/in" and "top/sub/in", and "out" and "other/out" outside of the top; goes there. */
static void make_tree(void)
{
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("top", 0777) | mkdir("top/sub", 0777) | mkdir("other", 0777), 0);
	write_file("top/in", SLICE("inside"), 0600);
	write_file("top/sub/in", SLICE("inside"), 0600);
	write_file("out", SLICE("secret"), 0600);
	write_file("other/out", SLICE("secret"), 0600);
	assert_int_equal(symlink("../out", "top/link") | symlink("in", "top/own"), 0);
	assert_int_equal(symlink("../other", "top/folder") | symlink("sub", "top/mine"), 0);
	assert_int_equal(symlink("loop", "top/loop") | mkfifo("top/fifo", 0666), 0);
}

/* "inside", "secret", or the problem. */
static const char *read_text(const struct tree *tree, const char *path)
{
	struct tree_file file;
	struct strbuf text = {.arena = &arena};
	if (tree_read(tree, slice_from(path), &text, 100, &file) < 0)
		return tree_is_refusal(errno) ? "refused" : strerror(errno);
	return arena_cstr(&arena, strbuf_slice(&text));
}

static struct tree tree_of(enum tree_limit limit, const char *top)
{
	struct tree tree;
	assert_int_equal(tree_init(&tree, &arena, limit, slice_from(top)), 0);
	return tree;
}

/* ---- tests ---- */

struct row {
	const char *path, *project, *closed, *any;
};

static void test_paths(void **state)
{
	static const struct row rows[] = {
	        {"top/in", "inside", "inside", "inside"},
	        {"top/sub/in", "inside", "inside", "inside"},
	        {"./top//sub/../in", "inside", "inside", "inside"},
	        {"other/../top/in", "inside", "inside", "inside"},
	        {"out", "refused", "refused", "secret"},
	        {"top/../out", "refused", "refused", "secret"},
	        {"top/sub/../../out", "refused", "refused", "secret"},
	        {"top/link", "refused", "refused", "secret"},
	        {"top/folder/out", "refused", "refused", "secret"},
	        {"top/folder/../out", "refused", "No such file or directory", "secret"},
	        {"top/own", "inside", "refused", "inside"},
	        {"top/mine/in", "inside", "refused", "inside"},
	        {"top/mine/../in", "inside", "inside", "inside"},
	        {"top/none", "No such file or directory", "No such file or directory",
	         "No such file or directory"},
	        {"top/loop", "Too many levels of symbolic links", "refused",
	         "Too many levels of symbolic links"},
	        {"top/sub", "Is a directory", "Is a directory", "Is a directory"},
	        {"top", "Is a directory", "Is a directory", "Is a directory"},
	        {"top/fifo", "refused", "refused", "refused"},
	        {"top/in/x", "Not a directory", "Not a directory", "Not a directory"},
	        {"/proc/self/status", "refused", "refused", "refused"},
	        {"/proc/self/cwd/out", "refused", "refused", "secret"},
	        {"/sys/kernel/mm/none", NULL, "refused", NULL},
	        {"/dev/null", "refused", "refused", "refused"},
	};
	make_tree();
	struct tree project = tree_of(TREE_PROJECT, "top");
	struct tree closed = tree_of(TREE_CLOSED, "top");
	struct tree any = tree_of(TREE_ANY, "top");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		if (row->project != NULL)
			assert_string_equal(read_text(&project, row->path), row->project);
		assert_string_equal(read_text(&closed, row->path), row->closed);
		if (row->any != NULL)
			assert_string_equal(read_text(&any, row->path), row->any);
	}
}

/* A name as long as a name can be, and longer; a NUL; an absolute path; a top that is a link. */
static void test_odd_paths(void **state)
{
	make_tree();
	char name[NAME_MAX + 2];
	memset(name, 'x', sizeof name);
	name[NAME_MAX] = '\0';
	struct tree tree = tree_of(TREE_PROJECT, "top");
	struct tree closed = tree_of(TREE_CLOSED, "top/mine");
	struct tree_file file;
	struct slice longest = arena_printf(&arena, "top/%s", name);
	write_file(longest.ptr, SLICE("inside"), 0600);
	assert_string_equal(read_text(&tree, longest.ptr), "inside");
	struct slice longer = arena_printf(&arena, "top/%sx", name);
	assert_string_equal(read_text(&tree, longer.ptr), "File name too long");
	assert_int_equal(tree_open(&tree, &arena, slice_make("top/in\0x", 8), &file), -1);
	assert_int_equal(errno, EINVAL);
	struct slice absolute = arena_printf(&arena, "%s/top/sub/in", folder);
	assert_string_equal(read_text(&tree, absolute.ptr), "inside");
	/* By the name that the user gave it, and by its own. */
	assert_string_equal(read_text(&closed, "top/mine/in"), "inside");
	assert_string_equal(read_text(&closed, "top/sub/in"), "inside");
	assert_string_equal(read_text(&closed, "top/in"), "refused");
}

static void test_looking(void **state)
{
	make_tree();
	struct tree closed = tree_of(TREE_CLOSED, "top");
	struct tree project = tree_of(TREE_PROJECT, "top");
	assert_int_equal(tree_find(&closed, &arena, SLICE("top/in"), S_IFREG), 1);
	assert_int_equal(tree_find(&closed, &arena, SLICE("top/none"), S_IFREG), 0);
	assert_int_equal(tree_find(&closed, &arena, SLICE("top/sub"), S_IFREG), 0);
	assert_int_equal(tree_find(&closed, &arena, SLICE("top/sub"), S_IFDIR), 1);
	assert_int_equal(tree_find(&closed, &arena, SLICE("top/in"), S_IFDIR), 0);
	assert_int_equal(tree_find(&closed, &arena, SLICE("out"), S_IFREG), -1);
	assert_true(tree_is_refusal(errno));
	assert_int_equal(tree_find(&closed, &arena, SLICE("top/mine"), S_IFDIR), -1);
	assert_true(tree_is_refusal(errno));
	assert_int_equal(tree_find(&project, &arena, SLICE("out"), S_IFREG), 1);
}

/* Lets CHANGED lead to A and to B in turn, until it is killed. */
static _Noreturn void swap_links(const char *changed, const char *a, const char *b)
{
	for (;;) {
		(void)!symlink(a, "new");
		rename("new", changed);
		(void)!symlink(b, "new");
		rename("new", changed);
	}
}

static void race(const char *changed, const char *a, const char *b, const char *path)
{
	enum { TRIES = 3000 };
	struct tree project = tree_of(TREE_PROJECT, "top");
	size_t read = 0, refused = 0, leaked = 0;
	pid_t child = fork();
	if (child == 0)
		swap_links(changed, a, b);
	/* On a busy machine the child can begin late. */
	for (int i = 0; i < TRIES || read + refused == 0; i++) {
		const char *text = read_text(&project, path);
		leaked += strcmp(text, "secret") == 0;
		read += strcmp(text, "inside") == 0;
		refused += strcmp(text, "refused") == 0;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(leaked, 0);
}

/* A link to a file, and one on the way to it, that lead in and out. */
static void test_races(void **state)
{
	make_tree();
	write_file("top/sub/out", SLICE("inside"), 0600);
	race("top/changing", "in", "../out", "top/changing");
	race("top/on_the_way", "sub", "../other", "top/on_the_way/out");
}

RUN(TEST(test_paths), TEST(test_odd_paths), TEST(test_looking), TEST(test_races))
