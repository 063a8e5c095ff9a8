/* base/os: files, with every system call made to fail in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os_put.h"
#include "base/strbuf.h"

/* What the calls do: fail once COUNTDOWN reaches 0, or be cut short. One test at a time runs. */
static struct {
	const char *call; /* which one fails */
	int countdown, error;
	bool unnamed_refused, link_refused, interrupts;
	size_t write_limit;
	int opened, closed, calls;
	bool raises; /* each of the signals, in rename() */
} plan;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };
static volatile sig_atomic_t delivered, delivered_within;

static bool fails(const char *call)
{
	if (plan.interrupts && strcmp(call, "rename") != 0 && plan.calls++ % 2 == 0) {
		errno = EINTR;
		return true;
	}
	if (plan.call == NULL || strcmp(plan.call, call) != 0 || plan.countdown-- != 0)
		return false;
	errno = plan.error;
	return true;
}

static int fake_open(const char *path, int flags, unsigned mode)
{
	if (plan.unnamed_refused && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (fails("open"))
		return -1;
	int fd = os_system_calls.open(path, flags, mode);
	plan.opened += fd >= 0;
	return fd;
}

static ssize_t fake_read(int fd, void *buffer, size_t size)
{
	return fails("read") ? -1 : os_system_calls.read(fd, buffer, size < 3 ? size : 3);
}

static ssize_t fake_write(int fd, const void *bytes, size_t size)
{
	if (fails("write"))
		return -1;
	if (plan.write_limit > 0 && size > plan.write_limit)
		size = plan.write_limit;
	return os_system_calls.write(fd, bytes, size);
}

static int fake_dup(int fd)
{
	if (plan.call != NULL && strcmp(plan.call, "dup") == 0 && fails("dup"))
		return -1;
	int copy = os_system_calls.dup(fd);
	plan.opened += copy >= 0;
	return copy;
}

/* As Linux does: the descriptor is closed whatever close() says. */
static int fake_close(int fd)
{
	bool bad = fails("close");
	int error = errno;
	plan.closed += os_system_calls.close(fd) == 0;
	errno = error;
	return bad ? -1 : 0;
}

static int fake_link(int old_folder, const char *old_path, int new_folder, const char *new_path,
                     int flags)
{
	if (plan.link_refused) {
		errno = EXDEV;
		return -1;
	}
	if (plan.call != NULL && strcmp(plan.call, "link") == 0 && fails("link"))
		return -1;
	return os_system_calls.link(old_folder, old_path, new_folder, new_path, flags);
}

static int fake_rename(const char *old_path, const char *new_path)
{
	for (int i = 0; plan.raises && i < SIGNAL_COUNT; i++)
		raise(signals[i]);
	delivered_within = delivered;
	return fails("rename") ? -1 : os_system_calls.rename(old_path, new_path);
}

static const struct os_calls fake_calls = {fake_open,  fake_read, fake_write,  fake_dup,
                                           fake_close, fake_link, fake_rename, unlink};

struct fixture {
	struct arena arena;
	char folder[64], path[128];
};

static int set_up(void **state)
{
	static struct fixture fixture;
	arena_init(&fixture.arena, NULL);
	strcpy(fixture.folder, "test_os.XXXXXX");
	if (mkdtemp(fixture.folder) == NULL)
		return -1;
	snprintf(fixture.path, sizeof fixture.path, "%s/out.py", fixture.folder);
	memset(&plan, 0, sizeof plan);
	os_set_calls(&fake_calls);
	*state = &fixture;
	return 0;
}

/* The number of files in the folder; they are removed when REMOVE. */
static int count_files(const char *folder, bool remove)
{
	DIR *listing = opendir(folder);
	assert_non_null(listing);
	int count = 0;
	for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		if (remove)
			unlinkat(dirfd(listing), entry->d_name,
			         entry->d_type == DT_DIR ? AT_REMOVEDIR : 0);
	}
	closedir(listing);
	return count;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	os_set_calls(NULL);
	count_files(fixture->folder, true);
	arena_release(&fixture->arena);
	return rmdir(fixture->folder);
}

static void assert_content(const char *path, const char *expected)
{
	char buffer[4096] = {0};
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t len = fread(buffer, 1, sizeof buffer - 1, file);
	fclose(file);
	assert_int_equal(len, strlen(expected));
	assert_string_equal(buffer, expected);
}

static void create(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Runs BODY with files that have no name until they are complete, without such files, and where
 * they can be made but not linked. */
static void in_all_ways(struct fixture *fixture, void (*body)(struct fixture *fixture))
{
	for (int way = 0; way < 3; way++) {
		memset(&plan, 0, sizeof plan);
		plan.unnamed_refused = way == 1;
		plan.link_refused = way == 2;
		count_files(fixture->folder, true);
		body(fixture);
		assert_int_equal(plan.opened, plan.closed);
	}
}

/* Two new files in place of two old ones, with the NTH call of CALL failing. */
static void put_two(struct fixture *fixture, const char *call, int nth)
{
	char other[sizeof fixture->path + 2];
	const struct os_file *failed = NULL;
	snprintf(other, sizeof other, "%s2", fixture->path);
	const struct os_file files[] = {{.path = fixture->path, .text = SLICE("new"), .mode = 0666},
	                                {.path = other, .text = SLICE("new"), .mode = 0666}};
	create(fixture->path, "old");
	create(other, "old");
	plan.call = call;
	plan.countdown = nth;
	plan.error = ENOSPC;
	int status = os_put_files(&fixture->arena, files, 2, &failed);
	bool second = status != 0 && failed == &files[1];
	int error = errno;
	plan.call = NULL;
	assert_int_equal(count_files(fixture->folder, false), 2);
	if (status != 0)
		assert_int_equal(error, ENOSPC);
	bool parted = status != 0 && second && strcmp(call, "rename") == 0;
	assert_content(fixture->path, status == 0 || parted ? "new" : "old");
	assert_content(other, status == 0 ? "new" : "old");
}

static void only_renames_part_files(struct fixture *fixture)
{
	static const char *const calls[] = {"none", "open", "write", "close", "link", "rename"};
	enum { CALLS_MAX = 8 };
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		for (int nth = 0; nth < CALLS_MAX; nth++)
			put_two(fixture, calls[i], nth);
	}
}

static void several_files_change_together(void **state)
{
	in_all_ways(*state, only_renames_part_files);
}

static void note_signal(int number)
{
	(void)number;
	delivered++;
}

static void signals_wait_until_all_is_in_place(void **state)
{
	struct fixture *fixture = *state;
	struct sigaction before[SIGNAL_COUNT], noting = {.sa_handler = note_signal};
	const struct os_file file = {.path = fixture->path, .text = SLICE("new"), .mode = 0666};
	const struct os_file *failed = NULL;
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &noting, &before[i]);
	plan.raises = true;
	int status = os_put_files(&fixture->arena, &file, 1, &failed);
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &before[i], NULL);
	assert_int_equal(status, 0);
	assert_int_equal(delivered_within, 0);
	assert_int_equal(delivered, SIGNAL_COUNT);
}

static void names_take_any_length_and_no_folder(void **state)
{
	struct fixture *fixture = *state;
	plan.unnamed_refused = true;
	char here[512];
	assert_non_null(getcwd(here, sizeof here));
	char name[256];
	memset(name, 'n', 255);
	name[255] = '\0';
	assert_int_equal(chdir(fixture->folder), 0);
	const struct os_file file = {.path = name, .text = SLICE("x"), .mode = 0666}, *failed;
	int written = os_put_files(&fixture->arena, &file, 1, &failed);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(written, 0);
	assert_int_equal(count_files(fixture->folder, false), 1);
}

static void waits_for_nonblocking_pipes(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	pid_t child = fork();
	if (child == 0) {
		char buffer[4096];
		size_t total = 0;
		close(ends[1]);
		for (long got; (got = os_read(ends[0], buffer, sizeof buffer)) > 0;)
			total += (size_t)got;
		_exit(total == 300000 ? 0 : 1);
	}
	close(ends[0]);
	static char bytes[300000];
	assert_int_equal(os_write_all(ends[1], slice_make(bytes, sizeof bytes)), 0);
	close(ends[1]);
	int status = -1;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        TEST(several_files_change_together),
	        TEST(signals_wait_until_all_is_in_place),
	        TEST(names_take_any_length_and_no_folder),
	        TEST(waits_for_nonblocking_pipes),
	};
	return cmocka_run_group_tests_name("base/os", tests, NULL, NULL);
}
