#include "base/os_put.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

enum { NAME_KEPT = 200, NAME_ATTEMPTS = 100 };

struct putting {
	size_t count;
	char **temporaries; /* ".NAME.nbscorep-NUMBER" beside each, until it is renamed; else NULL */
	sigset_t signals;   /* that were held before */
};

/* Writes FILE to a new file in the folder of its path. Returns its name, or NULL and sets errno; then nothing is left. */
static char *write_beside(struct arena *arena, const struct os_file *file)
{
	struct slice folder = path_folder(slice_from(file->path));
	/* A very long name is cut, so that the result is a legal name. */
	struct slice name = slice_sub(path_file(slice_from(file->path)), 0, NAME_KEPT);
	char *temporary = NULL;
	int fd = -1;
	errno = EEXIST; /* also of another node's process with this number */
	for (unsigned i = 0; i < NAME_ATTEMPTS && fd < 0 && errno == EEXIST; i++) {
		temporary = arena_cstr(arena, arena_printf(arena, "%.*s/.%.*s.nbscorep-%06x",
		                                           SLICE_ARG(folder), SLICE_ARG(name),
		                                           (unsigned)getpid() + i));
		fd = os_open_retrying(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
		                      file->mode);
	}
	if (fd < 0)
		return NULL;
	bool is_written = os_write_all(fd, file->head) == 0 && os_write_all(fd, file->text) == 0;
	if (!is_written)
		os_close_quietly(fd);
	/* NFS, FUSE and others report late errors (quota, disk full) here. Linux has closed the descriptor even if close()
	 * fails with EINTR: never close it again. */
	else if (os_calls_in_use->close(fd) == 0 || errno == EINTR)
		return temporary;
	int error = errno;
	os_calls_in_use->unlink(temporary);
	errno = error;
	return NULL;
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
		text = slice_tail(text, (size_t)got);
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

/* Removes what was not put in place. */
static void end_putting(void *data)
{
	const struct putting *p = data;
	for (size_t i = 0; i < p->count; i++) {
		if (p->temporaries[i] != NULL)
			os_calls_in_use->unlink(p->temporaries[i]);
	}
	sigprocmask(SIG_SETMASK, &p->signals, NULL);
}

int os_put_files(struct arena *arena, const struct os_file *files, size_t count,
                 const struct os_file **failed)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
	struct putting p = {.count = count,
	                    .temporaries = arena_calloc(arena, count, sizeof *p.temporaries)};
	struct arena_guard guard;
	sigset_t held;
	int status = 0;
	*failed = files;
	sigemptyset(&held);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, &p.signals);
	arena_guard(arena, &guard, end_putting, &p);
	for (size_t i = 0; i < count && status == 0; i++) {
		*failed = &files[i];
		if (is_in_place(&files[i]))
			continue;
		p.temporaries[i] = write_beside(arena, &files[i]);
		status = p.temporaries[i] == NULL ? -1 : 0;
	}
	for (size_t i = 0; i < count && status == 0; i++) {
		const char *path = files[i].path;
		*failed = &files[i];
		/* One that is in place gets a new time, for make: as late as the others. */
		status = p.temporaries[i] == NULL
		                 ? utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW)
		                 : os_calls_in_use->rename(p.temporaries[i], path);
		if (status == 0)
			p.temporaries[i] = NULL;
	}
	int error = errno;
	arena_unguard(arena);
	errno = error;
	return status;
}
