#include "run/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/os.h"

enum { CHUNK = 1 << 16, REPEATED_MAX = 256 };

static const struct slice repeated_lines[] = {
        SLICE_INIT("[Score-P] Trace buffer flush on rank "),
        SLICE_INIT("[Score-P] Increase SCOREP_TOTAL_MEMORY and try again."),
};

enum { REPEATED_LINES = sizeof repeated_lines / sizeof *repeated_lines };

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

enum line_kind { LINE_PLAIN, LINE_REPEATED, LINE_UNKNOWN };

/* LINE ends with its line feed, or earlier if the rest is not written yet. */
static enum line_kind kind_of(struct follow *follow, struct slice line)
{
	for (size_t i = 0; i < REPEATED_LINES; i++) {
		struct slice start = repeated_lines[i];
		if (!slice_starts_with(line, start) && !slice_starts_with(start, line))
			continue;
		if (line.ptr[line.len - 1] != '\n')
			return follow->ended || line.len > REPEATED_MAX ? LINE_PLAIN : LINE_UNKNOWN;
		bool seen = follow->seen[i];
		follow->seen[i] = true;
		return seen ? LINE_REPEATED : LINE_PLAIN;
	}
	return LINE_PLAIN;
}

/* Passes on TEXT, which continues the text before it, up to a line whose kind is not known yet.
 * Returns the number of bytes that are done, or -1 and sets errno. */
static ssize_t pass_on_text(struct follow *follow, struct slice text)
{
	size_t done = 0, begin = 0; /* from BEGIN to DONE is to be written */
	while (done < text.len) {
		size_t end = slice_find(text, '\n', done);
		end += end < text.len;
		struct slice line = slice_sub(text, done, end);
		enum line_kind kind = follow->inside ? LINE_PLAIN : kind_of(follow, line);
		if (kind == LINE_UNKNOWN)
			break;
		if (kind == LINE_REPEATED) {
			if (os_write_all(follow->target, slice_sub(text, begin, done)) != 0)
				return -1;
			begin = end;
		}
		done = end;
		follow->inside = line.ptr[line.len - 1] != '\n';
	}
	if (os_write_all(follow->target, slice_sub(text, begin, done)) != 0)
		return -1;
	return (ssize_t)done;
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
		ssize_t done = pass_on_text(follow, slice_make(chunk, (size_t)got));
		if (done < 0)
			return -1;
		if (done == 0)
			return status;
		follow->offset += done;
		status = 1;
	}
}

/* Opens the file each time, because over NFS only this shows what another node has written. */
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
		if (info.st_size < follow->offset) {
			follow->offset = 0;
			follow->inside = false;
		}
		status = follow->is_old ? 0 : pass_on(follow, fd);
	}
	int error = errno;
	close(fd);
	errno = error;
	return status;
}
