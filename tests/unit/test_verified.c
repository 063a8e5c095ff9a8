/* driver/python.h: what is remembered of texts that Python has checked. */
#include <sys/wait.h>

#include "driver/python.h"
#include "folder_helpers.h"

enum { NOBODY = 65534 };

static struct verified_key key_of(const char *text)
{
	return verified_key_add(verified_key_start(), slice_from(text));
}

static bool is_remembered(const char *text)
{
	struct verified verified = verified_open(&environment);
	bool found = verified_has(&verified, key_of(text));
	verified_close(&verified);
	return found;
}

static void remember(const char *text)
{
	struct verified verified = verified_open(&environment);
	verified_add(&verified, key_of(text));
	verified_close(&verified);
}

/* Parts count by themselves. */
static void test_keys(void **state)
{
	struct verified_key one = verified_key_add(key_of("ab"), SLICE("c"));
	struct verified_key other = verified_key_add(key_of("a"), SLICE("bc"));
	assert_int_not_equal(one.first, other.first);
	assert_int_not_equal(one.second, other.second);
	assert_int_not_equal(one.first, one.second);
}

static void test_place_of_the_cache(void **state)
{
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	environment_set(&environment, SLICE("XDG_CACHE_HOME"), slice_from(in_folder("xdg")));
	remember("a");
	assert_true(os_is_there(in_folder("xdg/nbscorep/verified")));
	assert_false(os_is_there(in_folder(".cache")));
	environment_set(&environment, SLICE("XDG_CACHE_HOME"), SLICE("relative"));
	assert_false(is_remembered("a"));
	environment_set(&environment, SLICE("XDG_CACHE_HOME"), SLICE(""));
	remember("b");
	assert_true(os_is_there(in_folder(".cache/nbscorep/verified")));
	environment.entries.count = 0;
	remember("c"); /* nowhere */
	assert_false(is_remembered("c"));
}

enum { MOST_BYTES = 16384 * 16, MANY = 20000 };

static struct slice read_cache(void)
{
	struct strbuf out;
	strbuf_init(&out, &arena);
	assert_int_equal(os_read_file(in_folder(".cache/nbscorep/verified"), &out, MOST_BYTES), 0);
	return strbuf_slice(&out);
}

static struct verified_key numbered_key(int i)
{
	return key_of(arena_printf(&arena, "%d", i).ptr);
}

/* The keys of a thousand notebooks do not push each other out. */
static void test_thousand_keys(void **state)
{
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	struct verified verified = verified_open(&environment);
	for (int i = 0; i < 1000; i++)
		verified_add(&verified, numbered_key(i));
	for (int i = 0; i < 1000; i++)
		assert_true(verified_has(&verified, numbered_key(i)));
	verified_close(&verified);
}

/* It does not grow, and new keys find a place. */
static void test_cache_is_bounded(void **state)
{
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	struct verified verified = verified_open(&environment);
	for (int i = 0; i < MANY; i++) {
		verified_add(&verified, numbered_key(i));
		assert_true(verified_has(&verified, numbered_key(i)));
	}
	verified_close(&verified);
	assert_true(read_cache().len <= MOST_BYTES);
	verified = verified_open(&environment);
	size_t found = 0;
	for (int i = 0; i < MANY; i++)
		found += verified_has(&verified, numbered_key(i));
	verified_close(&verified);
	assert_true(found > 16384 / 2);
}

/* Whatever stands in the file: what was not remembered is not found, and what is new is. */
static void test_damaged_cache(void **state)
{
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	remember("a");
	struct slice good = read_cache();
	const char *path = in_folder(".cache/nbscorep/verified");
	for (int bit = 0; bit < 8; bit++) {
		char *bad = arena_alloc(&arena, good.len);
		memcpy(bad, good.ptr, good.len);
		bad[good.len - 1] ^= (char)(1 << bit);
		write_file(path, slice_make(bad, good.len), 0600);
		assert_false(is_remembered("a"));
	}
	for (size_t cut = 1; cut <= 16; cut++) {
		write_file(path, slice_sub(good, 0, good.len - cut), 0600);
		assert_false(is_remembered("a"));
	}
	write_file(path, SLICE(""), 0600);
	assert_false(is_remembered("a"));
	remember("a");
	assert_true(is_remembered("a"));
	size_t size = (size_t)2 * MOST_BYTES;
	char *full = arena_alloc(&arena, size);
	memset(full, 'x', size);
	write_file(path, slice_make(full, size), 0600);
	assert_false(is_remembered("a"));
	remember("a");
	assert_true(is_remembered("a"));
}

/* What is in the way is left alone. */
static void test_no_cache(void **state)
{
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	assert_int_equal(mkdir(in_folder(".cache"), 0700), 0);
	write_file(in_folder(".cache/nbscorep"), SLICE(""), 0600);
	remember("a");
	assert_false(is_remembered("a"));
	assert_int_equal(unlink(in_folder(".cache/nbscorep")), 0);
	assert_int_equal(mkdir(in_folder(".cache/nbscorep"), 0700), 0);
	assert_int_equal(mkfifo(in_folder(".cache/nbscorep/verified"), 0600), 0);
	remember("a");
	assert_false(is_remembered("a"));
	assert_int_equal(unlink(in_folder(".cache/nbscorep/verified")), 0);
	write_file(in_folder("target"), SLICE("mine"), 0600);
	assert_int_equal(symlink("../../target", in_folder(".cache/nbscorep/verified")), 0);
	remember("a");
	assert_false(is_remembered("a"));
	struct strbuf out;
	strbuf_init(&out, &arena);
	assert_int_equal(os_read_file(in_folder("target"), &out, 100), 0);
	assert_text(strbuf_slice(&out), "mine");
}

/* In a process of its own, because root may write everywhere. */
static void test_cache_that_is_only_read(void **state)
{
	int status;
	bool is_root = geteuid() == 0;
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	assert_int_equal(is_root ? chown(folder, NOBODY, NOBODY) : 0, 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (is_root && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
			_exit(1);
		remember("a");
		bool can = chmod(in_folder(".cache/nbscorep/verified"), 0400) == 0;
		remember("b");
		_exit(can && is_remembered("a") && !is_remembered("b") ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Root with the HOME of another user leaves nothing there. */
static void test_folder_of_another_user(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
	environment_set(&environment, SLICE("HOME"), slice_from(folder));
	remember("a");
	assert_false(os_is_there(in_folder(".cache")));
	assert_int_equal(chown(folder, 0, 0), 0);
	remember("a");
	assert_int_equal(chown(in_folder(".cache/nbscorep/verified"), NOBODY, NOBODY), 0);
	assert_false(is_remembered("a"));
}

RUN(TEST(test_keys), TEST(test_place_of_the_cache), TEST(test_thousand_keys),
    TEST(test_cache_is_bounded), TEST(test_damaged_cache), TEST(test_no_cache),
    TEST(test_cache_that_is_only_read), TEST(test_folder_of_another_user))
