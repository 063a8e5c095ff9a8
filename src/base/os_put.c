/* Files that are written beside their destination and put in place when they are complete. */
#include "base/os_put.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
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

/* NFS, FUSE and others report late write errors (quota, disk full) when a descriptor is closed.
 * Closing a duplicate reports them while the file is still open, and can be repeated. */
static int flush_checked(int fd)
{
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

/* FOLDER/.NAME.nbscorep-XXXXXX; a very long name is cut, so that the result is a legal name. */
static char *temporary_name(struct arena *arena, const char *path)
{
	struct slice folder = path_folder(slice_from(path));
	struct slice name = slice_sub(path_file(slice_from(path)), 0, NAME_KEPT);
	struct slice pattern = arena_printf(arena, "%.*s/.%.*s.nbscorep-XXXXXX", SLICE_ARG(folder),
	                                    SLICE_ARG(name));
	return arena_cstr(arena, pattern);
}

/* Replaces the last six letters for another attempt. They need not be unpredictable, because the
 * file is only created with O_EXCL or link(). */
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
		fd = os_open_retrying(pending->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
		                      pending->file->mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

static int write_content(int fd, const struct os_file *file)
{
	int status = os_write_all(fd, file->text);
	return status != 0 ? status : flush_checked(fd);
}

static int write_named(struct os_pending *pending)
{
	int fd = open_named(pending);
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

/* Opens a file without a name in the folder of PATH, or returns -1 if that is not supported. */
static int open_unnamed(struct arena *arena, const char *path, unsigned mode)
{
	const char *folder = arena_cstr(arena, path_folder(slice_from(path)));
	/* Without /proc, the file could not get its name later. */
	if (access("/proc/self/fd", X_OK) != 0)
		return -1;
	return os_open_retrying(folder, O_TMPFILE | O_WRONLY, mode);
}

/* Writes FILE, which must stay valid until the commit, to a new file in the folder of its path.
 * Errors that close() would report are found here. Nothing appears at the path yet. Returns 0, or
 * -1 and sets errno; then the new file is removed. */
static int pending_write(struct os_pending *pending, struct arena *arena,
                         const struct os_file *file)
{
	*pending = (struct os_pending){.fd = -1, .file = file};
	pending->temporary = temporary_name(arena, file->path);
	int fd = open_unnamed(arena, file->path, file->mode);
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

/* Gives the unnamed file its temporary name: link() cannot replace an existing file at PATH. */
static int link_unnamed(struct os_pending *pending)
{
	char self[64];
	snprintf(self, sizeof self, "/proc/self/fd/%d", pending->fd);
	for (int i = 0; i < NAME_ATTEMPTS; i++) {
		shuffle_name(pending->temporary);
		if (os_calls_in_use->link(AT_FDCWD, self, AT_FDCWD, pending->temporary,
		                          AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* Makes the file exist under its temporary name, and closes it. Removes the file on failure. */
static int pending_name(struct os_pending *pending)
{
	int fd = pending->fd;
	if (fd < 0)
		return 0;
	bool linked = link_unnamed(pending) == 0;
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

/* Renames the file, which has its temporary name, into place. Returns 0, or -1 and sets errno; then the new file is
 * removed and PATH is unchanged. */
static int pending_commit(struct os_pending *pending)
{
	const char *path = pending->path;
	pending->path = NULL;
	if (os_calls_in_use->rename(pending->temporary, path) == 0)
		return 0;
	unlink_quietly(pending->temporary);
	return -1;
}

/* Removes the pending file, if PENDING has one. Keeps errno. */
static void pending_discard(struct os_pending *pending)
{
	if (pending->path == NULL)
		return;
	if (pending->fd >= 0)
		os_close_quietly(pending->fd);
	else
		unlink_quietly(pending->temporary);
	pending->path = NULL;
}

struct putting {
	struct arena *arena;
	const struct os_file *files, *at; /* AT: the one being written */
	size_t count;
	struct os_pending *pending;
};

static int write_file(struct putting *p, size_t i)
{
	p->at = &p->files[i];
	return pending_write(&p->pending[i], p->arena, p->at);
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

static int put_all(struct putting *p)
{
	for (size_t i = 0; i < p->count; i++) {
		if (write_file(p, i) == 0)
			continue;
		/* An unnamed file holds a descriptor, a named file does not. */
		if (errno != EMFILE && errno != ENFILE)
			return -1;
		if (name_files(p, i) != 0 || write_file(p, i) != 0)
			return -1;
	}
	/* A name takes disk space, too. */
	if (name_files(p, p->count) != 0)
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		p->at = &p->files[i];
		if (pending_commit(&p->pending[i]) != 0)
			return -1;
	}
	return 0;
}

/* False if memory ran out. */
static bool put_guarded(struct putting *p, int *status)
{
	jmp_buf out_of_memory;
	jmp_buf *before = arena_set_handler(p->arena, &out_of_memory);
	volatile bool finished = false;
	if (setjmp(out_of_memory) == 0) {
		*status = put_all(p);
		finished = true;
	}
	arena_set_handler(p->arena, before);
	for (size_t i = 0; i < p->count; i++)
		pending_discard(&p->pending[i]);
	return finished;
}

static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
enum { HELD_SIGNALS = sizeof held_signals / sizeof *held_signals };

int os_put_files(struct arena *arena, const struct os_file *files, size_t count,
                 const struct os_file **failed)
{
	struct putting p = {arena, files, files, count, NULL};
	sigset_t before;
	int status = -1;
	p.pending = arena_calloc(arena, count, sizeof *p.pending);
	sigset_t held;
	sigemptyset(&held);
	for (size_t i = 0; i < HELD_SIGNALS; i++)
		sigaddset(&held, held_signals[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	bool finished = put_guarded(&p, &status);
	int error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!finished)
		arena_fail(arena);
	*failed = p.at;
	errno = error;
	return status;
}
