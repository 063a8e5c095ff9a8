#include "run/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/os.h"

enum { CHUNK = 1 << 16 };

void follow_mark_old(struct follow *follow, bool appends)
{
	follow->is_old = stat(follow->path, &follow->before) == 0;
	follow->offset = follow->is_old && appends ? follow->before.st_size : 0;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int pass_on(struct follow *follow, int fd)
{
	char chunk[CHUNK];
	int status = 0;
	for (;;) {
		ssize_t got = pread(fd, chunk, sizeof chunk, follow->offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return status;
		if (os_write_all(follow->target, slice_make(chunk, (size_t)got)) != 0)
			return -1;
		follow->offset += got;
		status = 1;
	}
}

/* It is opened each time: over NFS that is what shows what another node has written. */
int follow_pass_on(struct follow *follow)
{
	struct stat info;
	int fd = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	int status = 0;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		follow->found = true;
		follow->is_old = follow->is_old && is_unchanged(&info, &follow->before);
		if (info.st_size < follow->offset)
			follow->offset = 0;
		status = follow->is_old ? 0 : pass_on(follow, fd);
	}
	int error = errno;
	close(fd);
	errno = error;
	return status;
}
