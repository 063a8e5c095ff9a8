#include "driver/verified.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/paths.h"

enum { ROWS = 4096, ROW_KEYS = 4, KEY_SIZE = sizeof(struct verified_key) };
enum { FOLDER_MODE = 0700, FILE_MODE = 0600 };

/* Any seeds are possible, if they differ. */
static const uint64_t SECOND_START = 0x9e3779b97f4a7c15;

struct verified_key verified_key_start(void)
{
	return (struct verified_key){DIGEST_START, SECOND_START};
}

struct verified_key verified_key_add(struct verified_key key, struct slice part)
{
	return (struct verified_key){digest_add(key.first, part), digest_add(key.second, part)};
}

static bool is_own(const struct stat *status)
{
	return status->st_uid == geteuid();
}

/* Does not open a file of another user, or anything that is not a regular file. */
static int open_own(const char *path, int flags)
{
	struct stat status;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, FILE_MODE);
	if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_own(&status)))
		return fd;
	close(fd);
	return -1;
}

struct verified verified_open(struct environment *environment)
{
	struct arena *arena = environment->arena;
	struct verified verified = {.arena = arena, .descriptor = -1};
	const char *cache = environment_get(environment, SLICE("XDG_CACHE_HOME"));
	const char *home = environment_get(environment, SLICE("HOME"));
	/* A relative path in XDG_CACHE_HOME must be ignored (XDG Base Directory Specification). */
	if (cache != NULL && cache[0] == '/')
		verified.path = arena_printf(arena, "%s/nbscorep/verified", cache).ptr;
	else if (home != NULL && home[0] == '/')
		verified.path = arena_printf(arena, "%s/.cache/nbscorep/verified", home).ptr;
	else
		return verified;
	verified.descriptor = open_own(verified.path, O_RDWR);
	verified.may_write = verified.descriptor >= 0;
	if (!verified.may_write)
		verified.descriptor = open_own(verified.path, O_RDONLY);
	return verified;
}

/* True if KEY is in its row. Else *PLACE is where it goes: a free place, or that of a key that it replaces. */
static bool find_key(const struct verified *verified, struct verified_key key, off_t *place)
{
	struct verified_key row[ROW_KEYS] = {{0, 0}}; /* beyond the end of the file, too */
	off_t begin = (off_t)(key.first % ROWS * sizeof row);
	size_t at = key.second % ROW_KEYS;
	if (verified->descriptor >= 0)
		(void)!pread(verified->descriptor, row, sizeof row, begin);
	for (size_t i = ROW_KEYS; i-- > 0;) {
		if (row[i].first == key.first && row[i].second == key.second)
			return true;
		if (row[i].first == 0 && row[i].second == 0)
			at = i;
	}
	*place = begin + (off_t)(at * KEY_SIZE);
	return false;
}

bool verified_has(const struct verified *verified, struct verified_key key)
{
	off_t place;
	return find_key(verified, key, &place);
}

/* Makes a folder only in a folder of this user, so that root with the HOME of another user leaves
 * nothing there. */
static bool make_folder(struct arena *arena, struct slice path)
{
	struct stat status;
	const char *parent = arena_cstr(arena, path_folder(path));
	if (stat(parent, &status) != 0 || !is_own(&status))
		return false;
	return mkdir(arena_cstr(arena, path), FOLDER_MODE) == 0 || errno == EEXIST;
}

void verified_add(struct verified *verified, struct verified_key key)
{
	if (verified->descriptor < 0 && verified->path != NULL) {
		struct arena *arena = verified->arena;
		struct slice folder = path_folder(slice_from(verified->path));
		(void)make_folder(arena, path_folder(folder));
		if (make_folder(arena, folder))
			verified->descriptor = open_own(verified->path, O_RDWR | O_CREAT);
		verified->may_write = verified->descriptor >= 0;
		verified->path = NULL; /* once is enough */
	}
	off_t place;
	if (!verified->may_write || find_key(verified, key, &place))
		return;
	if (pwrite(verified->descriptor, &key, KEY_SIZE, place) != KEY_SIZE)
		verified->may_write = false; /* a full disk stays full */
}

void verified_close(struct verified *verified)
{
	if (verified->descriptor >= 0)
		close(verified->descriptor);
	verified->descriptor = -1;
	verified->may_write = false;
}
