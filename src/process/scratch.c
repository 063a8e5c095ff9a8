#include "process/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"

enum { DESCRIPTORS = 16 };

const char *scratch_make(struct arena *arena)
{
	const char *place = getenv("TMPDIR");
	if (place == NULL || place[0] == '\0')
		place = "/tmp";
	struct slice folder = os_real_path(arena, slice_from(place));
	if (folder.len == 0)
		return NULL;
	return mkdtemp(
	        arena_cstr(arena, arena_printf(arena, "%.*s/nbscorep-XXXXXX", SLICE_ARG(folder))));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

int scratch_remove(const char *folder)
{
	return nftw(folder, remove_one, DESCRIPTORS, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
}
