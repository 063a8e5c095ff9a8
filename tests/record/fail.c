/* To be preloaded into a Python that is recorded: lets call number NBSCOREP_FAIL_NTH of the function NBSCOREP_FAIL,
 * for a file of the recording, and all later ones if NBSCOREP_FAIL_ALL is set, fail with ENOSPC. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long calls;

static bool is_wanted(const char *function, const char *path)
{
	const char *name = getenv("NBSCOREP_FAIL"), *nth = getenv("NBSCOREP_FAIL_NTH");
	if (name == NULL || nth == NULL || strcmp(name, function) != 0 ||
	    strstr(path, "/recording") == NULL)
		return false;
	unsigned long number = strtoul(nth, NULL, 10);
	calls++;
	return calls == number || (calls > number && getenv("NBSCOREP_FAIL_ALL") != NULL);
}

/* The path of an open file. */
static const char *path_of(int fd, char *path, size_t size)
{
	char place[64];
	snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
	ssize_t length =
	        readlink(place, path, size - 1); /* NOLINT(readability-suspicious-call-argument) */
	path[length < 0 ? 0 : length] = '\0';
	return path;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int open(const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	if (is_wanted("open", path))
		return errno = ENOSPC, -1;
	return REAL(int, "open", const char *, int, ...)(path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
	if (is_wanted("mkdir", path))
		return errno = ENOSPC, -1;
	return REAL(int, "mkdir", const char *, mode_t)(path, mode);
}

int posix_fallocate(int fd, off_t offset, off_t size)
{
	char path[4096];
	if (is_wanted("posix_fallocate", path_of(fd, path, sizeof path)))
		return ENOSPC;
	return REAL(int, "posix_fallocate", int, off_t, off_t)(fd, offset, size);
}

/* A file system without shared mappings. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	char path[4096];
	if (fd >= 0 && (flags & MAP_SHARED) != 0 &&
	    is_wanted("mmap", path_of(fd, path, sizeof path)))
		return errno = ENODEV, MAP_FAILED;
	return REAL(void *, "mmap", void *, size_t, int, int, int, off_t)(at, size, protection,
	                                                                  flags, fd, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	char path[4096];
	if (is_wanted("pwrite", path_of(fd, path, sizeof path)))
		return errno = ENOSPC, -1;
	return REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, bytes, size, offset);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	char path[4096];
	if (is_wanted("write", path_of(fd, path, sizeof path)))
		return errno = ENOSPC, -1;
	return REAL(ssize_t, "write", int, const void *, size_t)(fd, bytes, size);
}
