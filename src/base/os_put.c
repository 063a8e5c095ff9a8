/* Files that are written beside their destination and put in place when they are complete. */
#include "base/os_put.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"

enum { NAME_KEPT = 200, NAME_ATTEMPTS = 100 };

/* A file being written beside its destination. It has no name until it is complete, if the file
 * system supports this (O_TMPFILE), so a killed program leaves nothing in the folder. Otherwise it
 * is called ".NAME.nbscorep-XXXXXX". */
struct os_pending {
	const char *path;           /* NULL: nothing pending */
	char *temporary;            /* its name until the final rename */
	int fd;                     /* of a file that has no name yet, else -1 */
	const struct os_file *file; /* what to write */
};

static void unlink_quietly(const char *path)
{
	int error = errno;
	os_calls_in_use->unlink(path);
	errno = error;
}

/* Linux has closed the descriptor even if close() fails with EINTR: never close it again. */
static int close_checked(int fd)
{
	return os_calls_in_use->close(fd) == 0 || errno == EINTR ? 0 : -1;
}

/* Replaces the last six letters for another attempt. They need not be unpredictable, because the
 * file is only created with O_EXCL or link(). */
static void shuffle_name(char *temporary)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t random = 0;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
		random ^= (uint64_t)os_clock(CLOCK_REALTIME) * 0x9E3779B97F4A7C15 +
		          (uint64_t)getpid();
	char *end = temporary + strlen(temporary);
	for (int i = 1; i <= 6; i++, random /= sizeof letters - 1)
		end[-i] = letters[random % (sizeof letters - 1)];
}

/* NFS, FUSE and others report late write errors (quota, disk full) when a descriptor is closed.
 * Closing a duplicate reports them while the file is still open, and can be repeated. */
static int write_content(int fd, const struct os_file *file)
{
	if (os_write_all(fd, file->head) != 0 || os_write_all(fd, file->text) != 0)
		return -1;
	for (;;) {
		int copy = os_calls_in_use->dup(fd);
		if (copy < 0)
			return -1;
		if (os_calls_in_use->close(copy) == 0)
			return 0;
		if (errno != EINTR)
			return -1;
	}
}

static int write_named(struct os_pending *pending)
{
	int fd = -1;
	for (int i = 0; i < NAME_ATTEMPTS && fd < 0; i++) {
		shuffle_name(pending->temporary);
		fd = os_open_retrying(pending->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
		                      pending->file->mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd < 0)
		return -1;
	bool good = write_content(fd, pending->file) == 0;
	if (!good)
		os_close_quietly(fd);
	else
		good = close_checked(fd) == 0;
	if (good)
		return 0;
	unlink_quietly(pending->temporary);
	return -1;
}

struct putting {
	struct arena *arena;
	const struct os_file *files, *at; /* AT: the one being written */
	size_t count;
	struct os_pending *pending;
	sigset_t signals; /* that were held before */
};

/* Writes file number I to a new file in the folder of its path. Errors that close() would report are found here.
 * Nothing appears at the path yet. Returns 0, or -1 and sets errno; then the new file is removed. */
static int pending_write(struct putting *p, size_t i)
{
	const struct os_file *file = p->at = &p->files[i];
	struct os_pending *pending = &p->pending[i];
	struct slice folder = path_folder(slice_from(file->path));
	/* FOLDER/.NAME.nbscorep-XXXXXX; a very long name is cut, so that the result is a legal name. */
	struct slice name = slice_sub(path_file(slice_from(file->path)), 0, NAME_KEPT);
	*pending = (struct os_pending){.fd = -1, .file = file};
	pending->temporary =
	        arena_cstr(p->arena, arena_printf(p->arena, "%.*s/.%.*s.nbscorep-XXXXXX",
	                                          SLICE_ARG(folder), SLICE_ARG(name)));
	const char *place = arena_cstr(p->arena, folder);
	/* Without /proc, a file without a name could not get one later. */
	int fd = access("/proc/self/fd", X_OK) != 0
	                 ? -1
	                 : os_open_retrying(place, O_TMPFILE | O_WRONLY, file->mode);
	if (fd < 0) {
		if (write_named(pending) != 0)
			return -1;
	} else if (write_content(fd, file) != 0) {
		os_close_quietly(fd);
		return -1;
	}
	pending->fd = fd;
	pending->path = file->path;
	return 0;
}

/* Makes the file exist under its temporary name, and closes it: link() cannot replace an existing file at its path.
 * Removes the file on failure. */
static int pending_name(struct os_pending *pending)
{
	int fd = pending->fd;
	char self[64];
	bool linked = false;
	if (pending->path == NULL || fd < 0)
		return 0;
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	errno = EEXIST;
	for (int i = 0; i < NAME_ATTEMPTS && !linked && errno == EEXIST; i++) {
		shuffle_name(pending->temporary);
		linked = os_calls_in_use->link(AT_FDCWD, self, AT_FDCWD, pending->temporary,
		                               AT_SYMLINK_FOLLOW) == 0;
	}
	pending->fd = -1;
	if (linked && close_checked(fd) == 0)
		return 0;
	if (linked)
		unlink_quietly(pending->temporary);
	else
		os_close_quietly(fd);
	/* Some file systems create unnamed files but cannot link them: write the file again. */
	if (!linked && write_named(pending) == 0)
		return 0;
	pending->path = NULL;
	return -1;
}

static int name_files(struct putting *p, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		p->at = &p->files[i];
		if (pending_name(&p->pending[i]) != 0)
			return -1;
	}
	return 0;
}

/* True if TEXT comes next in the file FD. */
static bool has_next(int fd, struct slice text)
{
	char chunk[1 << 16];
	while (text.len > 0) {
		size_t want = text.len < sizeof chunk ? text.len : sizeof chunk;
		long got = os_read(fd, chunk, want);
		if (got <= 0 || memcmp(chunk, text.ptr, (size_t)got) != 0)
			return false;
		text = slice_sub(text, (size_t)got, text.len);
	}
	return true;
}

/* True if FILE is in place already, as where a notebook is built again: this user's, under no other name, with the
 * permissions of a new file. Many file systems flush a file that replaces another, which takes longer than a build. */
static bool is_in_place(const struct os_file *file)
{
	struct stat found;
	int fd = os_open_retrying(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return false;
	mode_t mask = umask(0);
	umask(mask);
	bool result = fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
	              found.st_uid == geteuid() && found.st_nlink == 1 &&
	              (found.st_mode & 07777) == (file->mode & ~mask) &&
	              (size_t)found.st_size == file->head.len + file->text.len &&
	              has_next(fd, file->head) && has_next(fd, file->text);
	os_close_quietly(fd);
	return result;
}

static int put_all(struct putting *p)
{
	for (size_t i = 0; i < p->count; i++) {
		if (is_in_place(&p->files[i]) || pending_write(p, i) == 0)
			continue;
		/* An unnamed file holds a descriptor, a named file does not. */
		if (errno != EMFILE && errno != ENFILE)
			return -1;
		if (name_files(p, i) != 0 || pending_write(p, i) != 0)
			return -1;
	}
	/* A name takes disk space, too. */
	if (name_files(p, p->count) != 0)
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		struct os_pending *pending = &p->pending[i];
		p->at = &p->files[i];
		/* One that is in place gets a new time, for make: as late as the others. */
		if (pending->path == NULL) {
			if (utimensat(AT_FDCWD, p->at->path, NULL, AT_SYMLINK_NOFOLLOW) != 0)
				return -1;
			continue;
		}
		pending->path = NULL;
		if (os_calls_in_use->rename(pending->temporary, p->at->path) != 0) {
			unlink_quietly(pending->temporary);
			return -1;
		}
	}
	return 0;
}

/* Removes what was not put in place. */
static void end_putting(void *data)
{
	const struct putting *p = data;
	for (size_t i = 0; i < p->count; i++) {
		struct os_pending *pending = &p->pending[i];
		if (pending->path != NULL && pending->fd >= 0)
			os_close_quietly(pending->fd);
		else if (pending->path != NULL)
			unlink_quietly(pending->temporary);
	}
	sigprocmask(SIG_SETMASK, &p->signals, NULL);
}

int os_put_files(struct arena *arena, const struct os_file *files, size_t count,
                 const struct os_file **failed)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
	struct putting p = {.arena = arena,
	                    .files = files,
	                    .at = files,
	                    .count = count,
	                    .pending = arena_calloc(arena, count, sizeof *p.pending)};
	struct arena_guard guard;
	sigset_t held;
	sigemptyset(&held);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, &p.signals);
	arena_guard(arena, &guard, end_putting, &p);
	int status = put_all(&p), error = errno;
	arena_unguard(arena);
	*failed = p.at;
	errno = error;
	return status;
}
