#include "run/experiment.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_tree.h"
#include "base/paths.h"
#include "process/environment.h"
#include "run/record_results.h"
#include "trace/recording_read.h"

/* ---- whether it is complete ---- */

/* Checks whether files of Score-P are complete. A file that Score-P was writing when it was killed
 * cannot be opened. */

/* A tar archive: for each member a header and its content in whole blocks, then two blocks of zeros. */
enum { BLOCK = 512, NAME_SIZE = 100, SIZE_AT = 124, SIZE_DIGITS = 12, MAGIC_AT = 257 };

/* Reads a member's size, an octal number, or returns -1. GNU tar writes larger sizes in binary. */
static int64_t read_size(const unsigned char *header)
{
	const unsigned char *field = header + SIZE_AT;
	int64_t size = 0;
	if ((field[0] & 0x80) != 0) {
		for (int i = 4; i < SIZE_DIGITS; i++)
			size = (int64_t)((uint64_t)size << 8 | field[i]);
		return size;
	}
	for (int i = 0; i < SIZE_DIGITS && field[i] != '\0' && field[i] != ' '; i++) {
		if (field[i] < '0' || field[i] > '7')
			return -1;
		size = size * 8 + (field[i] - '0');
	}
	return size;
}

static bool is_empty(const unsigned char *block)
{
	for (int i = 0; i < BLOCK; i++) {
		if (block[i] != 0)
			return false;
	}
	return true;
}

static bool reaches_end(int fd)
{
	unsigned char block[BLOCK];
	bool anchored = false;
	for (int64_t at = 0; pread(fd, block, BLOCK, at) == BLOCK;) {
		if (is_empty(block))
			return anchored && pread(fd, block, BLOCK, at + BLOCK) == BLOCK
		&&is_empty(block);
		int64_t size = read_size(block);
		if (size < 0 || size > INT64_MAX / 2 ||
		    memcmp(block + MAGIC_AT, "ustar", strlen("ustar")) != 0)
			return false;
		anchored = strncmp((const char *)block, "anchor.xml", NAME_SIZE) == 0;
		at += BLOCK
		+(size + BLOCK - 1) / BLOCK
		*BLOCK;
		if (at < 0)
			return false;
	}
	return false;
}

/* True if the file PATH is a tar archive with an end, whose last member is Cube's anchor.xml. */
static bool complete_profile(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool complete = fd >= 0 && reaches_end(fd);
	if (fd >= 0)
		close(fd);
	return complete;
}

/* True if the file PATH begins like an anchor of OTF2, which is written last. */
static bool complete_traces(const char *path)
{
	static const char magic[] = "OTF2";
	enum { FIRST = 16 };
	char front[FIRST];
	long len = os_read_own_front(path, front, sizeof front);
	for (long i = 0; i + (long)strlen(magic) <= len; i++) {
		if (memcmp(front + i, magic, strlen(magic)) == 0)
			return true;
	}
	return false;
}

/* ---- the directory ---- */

#define RANK_PREFIX SLICE("rank-")

/* The lines of the file `measurement`. */
struct said {
	char text[PATH_MAX + 256];
	struct slice name, directory;
	unsigned long long older; /* the inode of the directory if it existed before, or 0 */
};

static bool said_read(struct said *said, const char *folder)
{
	char path[PATH_MAX];
	struct slice older;
	if (snprintf(path, sizeof path, "%s/measurement", folder) >= PATH_MAX)
		return false;
	long size = os_read_front(path, said->text, sizeof said->text - 1);
	if (size <= 0)
		return false;
	said->text[size] = '\0';
	struct slice rest = slice_make(said->text, (size_t)size);
	if (!slice_next_line(&rest, &said->name) || !slice_next_line(&rest, &said->directory) ||
	    !slice_next_line(&rest, &older))
		return false;
	said->older = strtoull(older.ptr, NULL, 10);
	said->text[said->directory.ptr - said->text + (long)said->directory.len] = '\0';
	return true;
}

/* True if the run has made the directory. */
static bool said_is_made(const struct said *said)
{
	struct stat status;
	return said->directory.len > 0 && stat(said->directory.ptr, &status) == 0 &&
	       S_ISDIR(status.st_mode) && status.st_ino != said->older;
}

long long experiment_growth(void *data)
{
	const char *const *folder = data;
	struct said said;
	if (!said_read(&said, *folder) || !said_is_made(&said))
		return 0;
	return os_tree_size(said.directory.ptr, 0);
}

static long long size_of(struct arena *arena, struct slice folder, const char *name)
{
	return os_tree_size(arena_printf(arena, "%.*s/%s", SLICE_ARG(folder), name).ptr, 0);
}

/* The size of a result of Score-P, or -1 if it is missing or incomplete. */
static long long size_of_result(struct arena *arena, struct experiment *out, const char *name,
                                bool (*is_complete)(const char *path))
{
	const char *path = arena_printf(arena, "%.*s/%s", SLICE_ARG(out->results), name).ptr;
	long long size = os_tree_size(path, 0);
	if (size < 0 || is_complete(path))
		return size;
	out->has_part = true;
	return -1;
}

/* Counts the directories of ranks in OUT, and finds that of the lowest rank. */
static void find_ranks(struct arena *arena, struct experiment *out)
{
	struct stat status;
	long lowest = LONG_MAX;
	DIR *folder = opendir(arena_cstr(arena, out->path));
	out->results = out->path;
	if (folder == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		struct slice name = slice_from(entry->d_name);
		if (!slice_starts_with(name, RANK_PREFIX) ||
		    fstatat(dirfd(folder), entry->d_name, &status, 0) != 0 ||
		    !S_ISDIR(status.st_mode))
			continue;
		long rank = strtol(entry->d_name + RANK_PREFIX.len, NULL, 10);
		if (out->ranks++ == 0 || rank < lowest) {
			lowest = rank;
			out->results = path_join(arena, out->path, arena_dup(arena, name));
		}
	}
	closedir(folder);
}

bool experiment_read(struct arena *arena, const char *folder, bool quiet, struct experiment *out)
{
	static const char *const beside[] = {"traces.def", "traces"};
	struct said said;
	*out = (struct experiment){.profile = -1, .traces = -1};
	if (!said_read(&said, folder) || slice_eq(said.name, SLICE("none")))
		return false;
	if (!said_is_made(&said))
		return true;
	out->path = arena_dup(arena, said.directory);
	if (recording_exists(arena, out->path))
		(void)record_results(arena, said.directory.ptr, true, quiet);
	find_ranks(arena, out);
	out->size = size_of(arena, out->path, ".");
	out->profile = size_of_result(arena, out, "profile.cubex", complete_profile);
	out->traces = size_of_result(arena, out, "traces.otf2", complete_traces);
	/* traces.otf2 only describes the files beside it. */
	for (size_t i = 0; out->traces >= 0 && i < sizeof beside / sizeof *beside; i++) {
		long long size = size_of(arena, out->results, beside[i]);
		out->traces += size > 0 ? size : 0;
	}
	return true;
}

struct slice experiment_viewer(struct arena *arena, bool is_trace)
{
	static const char *const viewers[][2] = {{"cube", "cube_stat"}, {"vampir", "otf2-print"}};
	struct environment users;
	environment_init(&users, arena, environ);
	for (size_t i = 0; i < 2; i++) {
		if (environment_find_program(&users, viewers[is_trace][i]) != NULL)
			return arena_printf(arena, "open with: %s", viewers[is_trace][i]);
	}
	return arena_printf(arena, "open elsewhere with: %s", viewers[is_trace][0]);
}
