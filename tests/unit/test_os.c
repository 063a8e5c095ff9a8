/* base/os: what tests/faults, which lets every call fail, does not show of files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os_put.h"
#include "unit.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
enum { SIGNAL_COUNT = COUNT(signals) };
static volatile sig_atomic_t delivered, delivered_within;

/* As where no file can be without a name. */
static int open_named(const char *path, int flags, unsigned mode)
{
	if ((flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return os_system_calls.open(path, flags, mode);
}

static int raising_rename(const char *old_path, const char *new_path)
{
	for (int i = 0; i < SIGNAL_COUNT; i++)
		raise(signals[i]);
	delivered_within = delivered;
	return os_system_calls.rename(old_path, new_path);
}

/* Writes "x" into the file NAME of a new folder, which it removes. Returns the status, and in COUNT how many
 * files there were. */
static int put(const char *name, const struct os_calls *calls, int *count)
{
	char here[512], folder[] = "test_os.XXXXXX";
	const struct os_file file = {.path = name, .text = SLICE("x"), .mode = 0666}, *failed;
	struct arena arena;
	assert_non_null(getcwd(here, sizeof here));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	arena_init(&arena, NULL);
	os_set_calls(calls);
	int status = os_put_files(&arena, &file, 1, &failed);
	os_set_calls(NULL);
	arena_release(&arena);
	DIR *listing = opendir(".");
	assert_non_null(listing);
	*count = 0;
	for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
		*count += unlinkat(dirfd(listing), entry->d_name, 0) == 0;
	closedir(listing);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(rmdir(folder), 0);
	return status;
}

static void note_signal(int number)
{
	(void)number;
	delivered++;
}

static void signals_wait_until_all_is_in_place(void **state)
{
	struct sigaction before[SIGNAL_COUNT], noting = {.sa_handler = note_signal};
	struct os_calls calls = os_system_calls;
	int count;
	calls.rename = raising_rename;
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &noting, &before[i]);
	int status = put("out.py", &calls, &count);
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &before[i], NULL);
	assert_int_equal(status, 0);
	assert_int_equal(delivered_within, 0);
	assert_int_equal(delivered, SIGNAL_COUNT);
}

static void names_take_any_length_and_no_folder(void **state)
{
	struct os_calls calls = os_system_calls;
	char name[256];
	int count;
	calls.open = open_named;
	memset(name, 'n', 255);
	name[255] = '\0';
	assert_int_equal(put(name, &calls, &count), 0);
	assert_int_equal(count, 1);
}

RUN(cmocka_unit_test(signals_wait_until_all_is_in_place),
    cmocka_unit_test(names_take_any_length_and_no_folder))
