/* For tests of what looks at files: an arena, an environment without variables, and an empty folder, for
 * each test anew. */
#ifndef NBSCOREP_TESTS_FOLDER_HELPERS_H
#define NBSCOREP_TESTS_FOLDER_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "process/environment.h"

static struct arena arena;
static struct environment environment;
static const char *folder;

static inline int setup(void **state)
{
	(void)state;
	char *none[] = {NULL};
	arena_init(&arena, NULL);
	environment_init(&environment, &arena, none);
	folder = scratch_make(&arena);
	return folder == NULL ? -1 : 0;
}

static inline int teardown(void **state)
{
	(void)state;
	int status = scratch_remove(folder);
	arena_release(&arena);
	return status;
}

static inline void assert_text(struct slice text, const char *expected)
{
	if (!slice_eq(text, slice_from(expected)))
		fail_msg("'%.*s' is not '%s'", SLICE_ARG(text), expected);
}

static inline const char *in_folder(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name).ptr;
}

static inline void write_file(const char *path, struct slice text, unsigned mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(os_write_all(fd, text), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

#endif
