/* base/os: what tests/faults, which lets every call fail, does not show of files. */
#include <errno.h>
#include <signal.h>

#include "base/os_put.h"
#include "folder_helpers.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
enum { SIGNAL_COUNT = COUNT(signals) };
static volatile sig_atomic_t delivered, delivered_within;

static int raising_rename(const char *old_path, const char *new_path)
{
	for (int i = 0; i < SIGNAL_COUNT; i++)
		raise(signals[i]);
	delivered_within = delivered;
	return os_system_calls.rename(old_path, new_path);
}

/* Writes "x" into the file NAME of the folder. */
static int put(const char *name, const struct os_calls *calls)
{
	const struct os_file file = {.path = name, .text = SLICE("x"), .mode = 0666}, *failed;
	assert_int_equal(chdir(folder), 0);
	os_set_calls(calls);
	int status = os_put_files(&arena, &file, 1, &failed);
	os_set_calls(NULL);
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
	calls.rename = raising_rename;
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &noting, &before[i]);
	int status = put("out.py", &calls);
	for (int i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &before[i], NULL);
	assert_int_equal(status, 0);
	assert_int_equal(delivered_within, 0);
	assert_int_equal(delivered, SIGNAL_COUNT);
}

static void names_take_any_length_and_no_folder(void **state)
{
	char name[256];
	memset(name, 'n', 255);
	name[255] = '\0';
	assert_int_equal(put(name, NULL), 0);
	struct os_names names = {0};
	assert_int_equal(os_list_folder(&arena, folder, &names), 0);
	assert_int_equal(names.list.count, 1);
}

RUN(TEST(signals_wait_until_all_is_in_place), TEST(names_take_any_length_and_no_folder))
