/* For tests of what looks at files: an arena, an environment without variables, and an empty folder, for
 * each test anew. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "process/environment.h"
#include "unit.h"

static struct arena arena;
static struct environment environment;
static const char *folder;

static inline int set_up(void **state)
{
	arena_init(&arena, NULL);
	environment = (struct environment){.arena = &arena};
	folder = scratch_make(&arena);
	return folder == NULL ? -1 : 0;
}

static inline int tear_down(void **state)
{
	int status = scratch_remove(folder);
	arena_release(&arena);
	return status;
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
