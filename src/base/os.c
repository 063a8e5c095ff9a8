#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"

enum { MARKER_WITHIN = 1024, NAME_KEPT = 200, NAME_ATTEMPTS = 100 };

static int system_open(const char *path, int flags, unsigned mode)
{
	return open(path, flags, (mode_t)mode);
}

const struct os_calls os_system_calls = {
        .open = system_open,
        .read = read,
        .write = write,
        .dup = dup,
        .close = close,
        .link = linkat,
        .rename = rename,
        .unlink = unlink,
};

static const struct os_calls *calls = &os_system_calls;

void os_set_calls(const struct os_calls *other)
{
	calls = other == NULL ? &os_system_calls : other;
}

static int open_retrying(const char *path, int flags, unsigned mode)
{
	int fd;
	do {
		fd = calls->open(path, flags | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/* After a failed read or write: should it be tried again? Waits where somebody else who shares the
 * descriptor has made it non-blocking. */
static bool try_again(int fd, short event)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	struct pollfd wait = {.fd = fd, .events = event};
	return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

long os_read(int fd, void *buffer, size_t size)
{
	ssize_t got;
	do {
		got = calls->read(fd, buffer, size < SSIZE_MAX ? size : SSIZE_MAX);
	} while (got < 0 && try_again(fd, POLLIN));
	return got;
}

int os_read_all(int fd, struct strbuf *out, size_t limit)
{
	char chunk[16 * 1024];
	size_t before = out->len;
	long got;
	while ((got = os_read(fd, chunk, sizeof chunk)) > 0) {
		strbuf_add(out, slice_make(chunk, (size_t)got));
		if (out->len - before > limit) {
			errno = EFBIG;
			return -1;
		}
	}
	return got < 0 ? -1 : 0;
}

int os_write_all(int fd, struct slice text)
{
	while (text.len > 0) {
		ssize_t written = calls->write(fd, text.ptr, text.len);
		if (written > 0) {
			text = slice_sub(text, (size_t)written, text.len);
		} else if (written == 0) {
			errno = EIO;
			return -1;
		} else if (!try_again(fd, POLLOUT)) {
			return -1;
		}
	}
	return 0;
}

/* Closes without touching errno: for the way out after another failure. */
static void close_quietly(int fd)
{
	int error = errno;
	calls->close(fd);
	errno = error;
}

static void unlink_quietly(const char *path)
{
	int error = errno;
	calls->unlink(path);
	errno = error;
}

/* Linux has closed the descriptor also when close() says EINTR: never close it again. */
static int close_checked(int fd)
{
	return calls->close(fd) == 0 || errno == EINTR ? 0 : -1;
}

/* NFS, FUSE and others report late write errors (quota, disk full) when a descriptor is closed.
 * Closing a duplicate asks for them while the file is still open, and can be repeated. */
static int flush_checked(int fd)
{
	for (;;) {
		int copy = calls->dup(fd);
		if (copy < 0)
			return -1;
		if (calls->close(copy) == 0)
			return 0;
		if (errno != EINTR)
			return -1;
	}
}

/* Fills BUFFER from FD as far as the file goes; -1 and errno on failure. */
static long read_front(int fd, char *buffer, size_t size)
{
	size_t len = 0;
	while (len < size) {
		long got = os_read(fd, buffer + len, size - len);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (long)len;
}

int os_occupant(const char *path, struct slice marker, enum os_occupant *out)
{
	struct stat status;
	if (lstat(path, &status) != 0) {
		*out = OS_FREE;
		return errno == ENOENT ? 0 : -1;
	}
	*out = OS_FOREIGN;
	/* Looked at before it is opened: opening some devices does something. A link that leads
	 * nowhere is somebody's all the same. */
	if (stat(path, &status) != 0)
		return 0;
	if (!S_ISREG(status.st_mode)) {
		*out = OS_SPECIAL;
		return 0;
	}
	int fd = open_retrying(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return -1;
	char front[MARKER_WITHIN];
	long len = read_front(fd, front, sizeof front);
	close_quietly(fd);
	if (len < 0)
		return -1;
	struct slice text = slice_make(front, (size_t)len);
	if (slice_starts_with(text, marker))
		*out = OS_MARKED;
	return 0;
}

double os_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

bool os_is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool os_is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_ours(const struct stat *status)
{
	return status->st_uid == geteuid() || status->st_uid == 0;
}

bool os_is_trusted(struct arena *arena, struct slice path)
{
	struct stat file, link, folder;
	const char *name = arena_cstr(arena, path);
	if (stat(name, &file) < 0 || lstat(name, &link) < 0 || (is_ours(&file) && is_ours(&link)))
		return true;
	return stat(arena_cstr(arena, path_folder(path)), &folder) < 0 ||
	       (folder.st_mode & S_IWOTH) == 0;
}

int os_check_readable(const char *path)
{
	if (os_is_directory(path)) {
		errno = EISDIR;
		return -1;
	}
	return access(path, R_OK);
}

int os_open_input(const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
	                  : open_retrying(path, O_RDONLY | O_NOCTTY, 0);
	struct stat status;
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		close_quietly(fd);
		errno = EISDIR;
		return -1;
	}
	return fd;
}

/* PATH's folder, with its slash; empty for the current folder. */
static struct slice folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slice_make(path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
}

/* FOLDER/.NAME.nbscorep-XXXXXX; a very long name is cut, so that the whole stays a legal one. */
static char *temporary_name(struct arena *arena, const char *path)
{
	struct slice folder = folder_of(path);
	struct slice name = slice_sub(slice_from(path), folder.len, folder.len + NAME_KEPT);
	struct slice pattern = arena_printf(arena, "%.*s.%.*s.nbscorep-XXXXXX", SLICE_ARG(folder),
	                                    SLICE_ARG(name));
	return arena_cstr(arena, pattern);
}

/* Another try: replaces the last six letters. They need not be unpredictable, as the file is only
 * ever made with O_EXCL or link(). */
static void shuffle_name(char *temporary)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t random = 0;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		random ^= (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15 + (uint64_t)getpid();
	}
	char *end = temporary + strlen(temporary);
	for (int i = 1; i <= 6; i++, random /= sizeof letters - 1)
		end[-i] = letters[random % (sizeof letters - 1)];
}

static int open_named(struct os_pending *pending)
{
	int fd = -1;
	for (int i = 0; i < NAME_ATTEMPTS && fd < 0; i++) {
		shuffle_name(pending->temporary);
		fd = open_retrying(pending->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
		                   pending->mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

static int write_named(struct os_pending *pending)
{
	int fd = open_named(pending);
	if (fd < 0)
		return -1;
	bool good = os_write_all(fd, pending->text) == 0 && flush_checked(fd) == 0;
	if (!good)
		close_quietly(fd);
	else
		good = close_checked(fd) == 0;
	if (good)
		return 0;
	unlink_quietly(pending->temporary);
	return -1;
}

/* A file without a name in the folder of PATH, or -1 where that cannot be had. */
static int open_unnamed(struct arena *arena, const char *path, unsigned mode)
{
	struct slice folder = folder_of(path);
	const char *name = folder.len == 0 ? "." : arena_cstr(arena, folder);
	/* Without /proc it could not be given its name later. */
	if (access("/proc/self/fd", X_OK) != 0)
		return -1;
	return open_retrying(name, O_TMPFILE | O_WRONLY, mode);
}

int os_pending_write(struct os_pending *pending, struct arena *arena, const char *path,
                     struct slice text, unsigned mode)
{
	*pending = (struct os_pending){.fd = -1, .text = text, .mode = mode};
	char *copy = arena_cstr(arena, slice_from(path));
	pending->temporary = temporary_name(arena, path);
	int fd = open_unnamed(arena, path, mode);
	if (fd < 0) {
		if (write_named(pending) != 0)
			return -1;
	} else if (os_write_all(fd, text) != 0 || flush_checked(fd) != 0) {
		close_quietly(fd);
		return -1;
	}
	pending->fd = fd;
	pending->path = copy;
	return 0;
}

/* Gives the file without a name its temporary one: link() cannot replace what stands at PATH. */
static int link_unnamed(struct os_pending *pending)
{
	char self[64];
	snprintf(self, sizeof self, "/proc/self/fd/%d", pending->fd);
	for (int i = 0; i < NAME_ATTEMPTS; i++) {
		shuffle_name(pending->temporary);
		if (calls->link(AT_FDCWD, self, AT_FDCWD, pending->temporary, AT_SYMLINK_FOLLOW) ==
		    0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* Sees to it that the file exists under its temporary name and is closed. */
static int give_name(struct os_pending *pending)
{
	if (pending->fd < 0)
		return 0;
	int fd = pending->fd;
	bool linked = link_unnamed(pending) == 0;
	pending->fd = -1;
	if (!linked) {
		/* Some file systems make such files but cannot link them: write it once more. */
		close_quietly(fd);
		return write_named(pending);
	}
	if (close_checked(fd) == 0)
		return 0;
	unlink_quietly(pending->temporary);
	return -1;
}

int os_pending_commit(struct os_pending *pending)
{
	const char *path = pending->path;
	pending->path = NULL;
	if (give_name(pending) != 0)
		return -1;
	if (calls->rename(pending->temporary, path) == 0)
		return 0;
	unlink_quietly(pending->temporary);
	return -1;
}

void os_pending_discard(struct os_pending *pending)
{
	if (pending->path == NULL)
		return;
	if (pending->fd >= 0)
		close_quietly(pending->fd);
	else
		unlink_quietly(pending->temporary);
	pending->path = NULL;
}

/* Resolves PATH without its last component, then puts that back. */
static struct slice real_folder(struct arena *arena, const char *path)
{
	struct slice folder = folder_of(path);
	const char *name = path + folder.len;
	char resolved[PATH_MAX];
	bool is_name = name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	if (!is_name) {
		errno = ENOENT;
		return SLICE("");
	}
	if (realpath(folder.len == 0 ? "." : arena_cstr(arena, folder), resolved) == NULL)
		return SLICE("");
	return arena_printf(arena, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, name);
}

struct slice os_real_path(struct arena *arena, struct slice path)
{
	if (slice_find(path, '\0', 0) < path.len) {
		errno = EINVAL;
		return SLICE("");
	}
	const char *copy = arena_cstr(arena, path);
	char resolved[PATH_MAX];
	if (realpath(copy, resolved) != NULL)
		return arena_dup(arena, slice_from(resolved));
	if (errno != ENOENT)
		return SLICE("");
	return real_folder(arena, copy);
}

bool os_is_inside(struct arena *arena, struct slice path, struct slice top)
{
	struct slice inner = os_real_path(arena, path), outer = os_real_path(arena, top);
	if (inner.len == 0 || outer.len <= 1 || !slice_starts_with(inner, outer))
		return inner.len == 0 || outer.len <= 1;
	return inner.len == outer.len || inner.ptr[outer.len] == '/';
}

struct slice os_program_path(struct arena *arena)
{
	return os_real_path(arena, SLICE("/proc/self/exe"));
}

bool os_is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static int compare_names(const void *a, const void *b)
{
	const struct slice *left = a, *right = b;
	size_t shorter = left->len < right->len ? left->len : right->len;
	int order = memcmp(left->ptr, right->ptr, shorter);
	return order != 0 ? order : (left->len > right->len) - (left->len < right->len);
}

/* Returns 0, or an errno. */
static int add_names(struct arena *arena, DIR *folder, struct os_names *names)
{
	const struct dirent *entry;
	while (errno = 0, (entry = readdir(folder)) != NULL) {
		struct slice name = slice_from(entry->d_name);
		if (!slice_eq(name, SLICE(".")) && !slice_eq(name, SLICE("..")))
			vec_push(arena, &names->list, arena_dup(arena, name));
	}
	return errno;
}

int os_list_folder(struct arena *arena, const char *path, struct os_names *names)
{
	jmp_buf out_of_memory;
	volatile int error = 0;
	volatile bool failed = false;
	DIR *folder = opendir(path);
	if (folder == NULL)
		return -1;
	jmp_buf *before = arena_set_handler(arena, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
		error = add_names(arena, folder, names);
	else
		failed = true;
	arena_set_handler(arena, before);
	closedir(folder);
	if (failed)
		arena_fail(arena);
	errno = error;
	if (names->list.count > 0)
		qsort(names->list.items, names->list.count, sizeof *names->list.items,
		      compare_names);
	return error == 0 ? 0 : -1;
}
