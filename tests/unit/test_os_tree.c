/* base/os_tree: what is opened of a tree, by each kind of path, and while links change. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os_tree.h"
#include "unit.h"

/* A folder with "top", "top/in", "top/sub/in", and "out" and "other/out" outside of the top; it is the
 * current one. */
struct place {
	struct arena arena;
	jmp_buf out_of_memory;
	char path[64];
};

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	static struct place place;
	strcpy(place.path, "/tmp/nbscorep-tree-XXXXXX");
	assert_non_null(mkdtemp(place.path));
	assert_int_equal(chdir(place.path), 0);
	assert_int_equal(mkdir("top", 0777) | mkdir("top/sub", 0777) | mkdir("other", 0777), 0);
	put("top/in", "inside");
	put("top/sub/in", "inside");
	put("out", "secret");
	put("other/out", "secret");
	assert_int_equal(symlink("../out", "top/link") | symlink("in", "top/own"), 0);
	assert_int_equal(symlink("../other", "top/folder") | symlink("sub", "top/mine"), 0);
	assert_int_equal(symlink("loop", "top/loop") | mkfifo("top/fifo", 0666), 0);
	arena_init(&place.arena, &place.out_of_memory);
	assert_int_equal(setjmp(place.out_of_memory), 0);
	*state = &place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;
	char command[128];
	arena_release(&place->arena);
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf '%s'", place->path);
	return system(command); /* NOLINT(cert-env33-c): a path of our own */
}

/* "inside", "secret", or the problem. */
static const char *read_text(struct place *place, const struct tree *tree, const char *path)
{
	struct strbuf text;
	struct tree_file file;
	strbuf_init(&text, &place->arena);
	if (tree_read(tree, slice_from(path), &text, 100, &file) < 0)
		return tree_is_refusal(errno) ? "refused" : strerror(errno);
	return arena_cstr(&place->arena, strbuf_slice(&text));
}

static struct tree tree_of(struct place *place, enum tree_limit limit, const char *top)
{
	struct tree tree;
	assert_int_equal(tree_init(&tree, &place->arena, limit, slice_from(top)), 0);
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
	struct place *place = *state;
	struct tree project = tree_of(place, TREE_PROJECT, "top");
	struct tree closed = tree_of(place, TREE_CLOSED, "top");
	struct tree any = tree_of(place, TREE_ANY, "top");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		if (row->project != NULL)
			assert_string_equal(read_text(place, &project, row->path), row->project);
		assert_string_equal(read_text(place, &closed, row->path), row->closed);
		if (row->any != NULL)
			assert_string_equal(read_text(place, &any, row->path), row->any);
	}
}

/* A name as long as a name can be, and longer; a NUL; an absolute path; a top that is a link. */
static void test_odd_paths(void **state)
{
	struct place *place = *state;
	char name[NAME_MAX + 2];
	memset(name, 'x', sizeof name);
	name[NAME_MAX] = '\0';
	struct tree tree = tree_of(place, TREE_PROJECT, "top");
	struct tree closed = tree_of(place, TREE_CLOSED, "top/mine");
	struct tree_file file;
	struct slice longest = arena_printf(&place->arena, "top/%s", name);
	put(longest.ptr, "inside");
	assert_string_equal(read_text(place, &tree, longest.ptr), "inside");
	struct slice longer = arena_printf(&place->arena, "top/%sx", name);
	assert_string_equal(read_text(place, &tree, longer.ptr), "File name too long");
	assert_int_equal(tree_open(&tree, &place->arena, slice_make("top/in\0x", 8), &file), -1);
	assert_int_equal(errno, EINVAL);
	struct slice absolute = arena_printf(&place->arena, "%s/top/sub/in", place->path);
	assert_string_equal(read_text(place, &tree, absolute.ptr), "inside");
	/* By the name that the user gave it, and by its own. */
	assert_string_equal(read_text(place, &closed, "top/mine/in"), "inside");
	assert_string_equal(read_text(place, &closed, "top/sub/in"), "inside");
	assert_string_equal(read_text(place, &closed, "top/in"), "refused");
}

static void test_looking(void **state)
{
	struct place *place = *state;
	struct tree closed = tree_of(place, TREE_CLOSED, "top");
	struct tree project = tree_of(place, TREE_PROJECT, "top");
	struct arena *arena = &place->arena;
	assert_int_equal(tree_find_file(&closed, arena, SLICE("top/in")), 1);
	assert_int_equal(tree_find_file(&closed, arena, SLICE("top/none")), 0);
	assert_int_equal(tree_find_file(&closed, arena, SLICE("top/sub")), 0);
	assert_int_equal(tree_find_folder(&closed, arena, SLICE("top/sub")), 1);
	assert_int_equal(tree_find_folder(&closed, arena, SLICE("top/in")), 0);
	assert_int_equal(tree_find_file(&closed, arena, SLICE("out")), -1);
	assert_true(tree_is_refusal(errno));
	assert_int_equal(tree_find_folder(&closed, arena, SLICE("top/mine")), -1);
	assert_true(tree_is_refusal(errno));
	assert_int_equal(tree_find_file(&project, arena, SLICE("out")), 1);
	struct tree_file folder;
	struct os_names names = {0};
	assert_int_equal(tree_open_folder(&project, arena, SLICE("top/mine"), &folder), 0);
	assert_int_equal(os_list_descriptor(arena, folder.fd, &names), 0);
	assert_int_equal(names.list.count, 1);
	assert_int_equal(tree_open_folder(&project, arena, SLICE("top/folder"), &folder), -1);
	assert_true(tree_is_refusal(errno));
	assert_int_equal(tree_open_folder(&project, arena, SLICE("top/in"), &folder), -1);
	assert_int_equal(errno, ENOTDIR);
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

static void race(struct place *place, const char *changed, const char *a, const char *b,
                 const char *path)
{
	enum { TRIES = 3000 };
	struct tree project = tree_of(place, TREE_PROJECT, "top");
	size_t read = 0, refused = 0, leaked = 0;
	pid_t child = fork();
	if (child == 0)
		swap_links(changed, a, b);
	/* On a busy machine the child can begin late. */
	for (int i = 0; i < TRIES || read + refused == 0; i++) {
		const char *text = read_text(place, &project, path);
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
	struct place *place = *state;
	put("top/sub/out", "inside");
	race(place, "top/changing", "in", "../out", "top/changing");
	race(place, "top/on_the_way", "sub", "../other", "top/on_the_way/out");
}

RUN(TEST(test_paths), TEST(test_odd_paths), TEST(test_looking), TEST(test_races))
