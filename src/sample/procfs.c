#include "sample/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum { NS = 1000000000 };

int procfs_open(pid_t pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct slice procfs_read(int fd, char *buffer, size_t size)
{
	ssize_t got = fd < 0 ? -1 : pread(fd, buffer, size, 0);
	return slice_make(buffer, got < 0 ? 0 : (size_t)got);
}

struct slice procfs_read_end(int fd, char *buffer, size_t size)
{
	off_t at = 0;
	struct slice text = procfs_read(fd, buffer, size);
	while (text.len == size) {
		at += (off_t)(size - PROCFS_END);
		ssize_t got = pread(fd, buffer, size, at);
		text.len = got < 0 ? 0 : (size_t)got;
	}
	return text;
}

int64_t procfs_cpu(pid_t pid)
{
	/* As clock_getcpuclockid(3) makes it, which would ask the system once more. */
	enum { PROCESS_CLOCK = 2 };
	clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | PROCESS_CLOCK);
	struct timespec time;
	/* The C library's would look at the vDSO first. */
	if (syscall(SYS_clock_gettime, clock, &time) != 0)
		return -1;
	return (int64_t)time.tv_sec * NS + time.tv_nsec;
}

/* Cuts a number, after blanks, off the beginning of REST. */
static int64_t take_number(struct slice *rest)
{
	struct slice word = slice_next_word(rest);
	int64_t number = 0;
	for (size_t i = 0; i < word.len && ascii_is_digit(word.ptr[i]); i++)
		number = number * 10 + (word.ptr[i] - '0');
	return number;
}

static void skip_words(struct slice *rest, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		slice_next_word(rest);
}

/* The name of the program, in brackets, may hold anything. */
static struct slice behind_name(struct slice text)
{
	size_t at = text.len;
	while (at > 0 && text.ptr[at - 1] != ')')
		at--;
	return slice_sub(text, at, text.len);
}

bool procfs_parse_stat(struct slice text, struct procfs_stat *out)
{
	struct slice rest = behind_name(text), state = slice_next_word(&rest);
	if (state.len != 1)
		return false;
	out->state = state.ptr[0];
	out->parent = (pid_t)take_number(&rest);
	skip_words(&rest, 5);
	out->minor_faults = take_number(&rest);
	out->child_minor_faults = take_number(&rest);
	out->major_faults = take_number(&rest);
	out->child_major_faults = take_number(&rest);
	skip_words(&rest, 2);
	int64_t ticks = take_number(&rest);
	ticks += take_number(&rest);
	out->child_time = ticks * (NS / sysconf(_SC_CLK_TCK));
	skip_words(&rest, 2);
	out->threads = take_number(&rest);
	skip_words(&rest, 1);
	out->start = take_number(&rest);
	out->size = take_number(&rest);
	out->resident = take_number(&rest) * sysconf(_SC_PAGESIZE);
	return rest.len > 0;
}

int64_t procfs_start(pid_t pid)
{
	char text[4096];
	struct procfs_stat stat;
	int fd = procfs_open(pid, "stat");
	bool good = procfs_parse_stat(procfs_read(fd, text, sizeof text), &stat);
	if (fd >= 0)
		close(fd);
	if (!good)
		return -1;
	int64_t since_boot = stat.start * (NS / sysconf(_SC_CLK_TCK));
	return since_boot - os_clock(CLOCK_BOOTTIME) + os_clock(CLOCK_MONOTONIC);
}

int64_t procfs_number(struct slice text, struct slice name)
{
	for (struct slice rest = text, line; slice_next_line(&rest, &line);) {
		if (!slice_starts_with(line, name))
			continue;
		line = slice_sub(line, name.len, line.len);
		return take_number(&line);
	}
	return -1;
}

bool procfs_parse_io(struct slice text, struct procfs_io *out)
{
	out->read_chars = procfs_number(text, SLICE("rchar:"));
	out->write_chars = procfs_number(text, SLICE("wchar:"));
	out->read_calls = procfs_number(text, SLICE("syscr:"));
	out->write_calls = procfs_number(text, SLICE("syscw:"));
	out->read_bytes = procfs_number(text, SLICE("read_bytes:"));
	out->write_bytes = procfs_number(text, SLICE("write_bytes:"));
	return out->write_bytes >= 0;
}

int64_t procfs_resident(struct slice text)
{
	skip_words(&text, 1);
	return take_number(&text) * sysconf(_SC_PAGESIZE);
}

int64_t procfs_last_pid(struct slice text)
{
	skip_words(&text, 4);
	return text.len == 0 ? -1 : take_number(&text);
}

void procfs_net(struct slice text, int64_t *received, int64_t *sent)
{
	*received = *sent = 0;
	for (struct slice rest = text, line; slice_next_line(&rest, &line);) {
		size_t colon = slice_find(line, ':', 0);
		struct slice name = slice_trim(slice_sub(line, 0, colon));
		if (colon == line.len || slice_eq(name, SLICE("lo")))
			continue;
		line = slice_sub(line, colon + 1, line.len);
		*received += take_number(&line);
		skip_words(&line, 7);
		*sent += take_number(&line);
	}
}
