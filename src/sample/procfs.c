#include "sample/procfs.h"

#include <fcntl.h>
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

struct slice procfs_read_file(pid_t pid, const char *name, char *buffer, size_t size)
{
	int fd = procfs_open(pid, name);
	struct slice text = procfs_read(fd, buffer, size);
	os_close_quietly(fd);
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

int64_t procfs_take_number(struct slice *rest)
{
	struct slice word = slice_next_word(rest);
	int64_t number = 0;
	for (size_t i = 0; i < word.len && ascii_is_digit(word.ptr[i]); i++)
		number = number * 10 + (word.ptr[i] - '0');
	return number;
}

bool procfs_parse_stat(struct slice text, struct procfs_stat *out)
{
	/* By the numbers of proc_pid_stat(5). */
	enum {
		STATE = 3,
		PPID = 4,
		MINFLT = 10,
		CMINFLT = 11,
		MAJFLT = 12,
		CMAJFLT = 13,
		CUTIME = 16,
		CSTIME = 17,
		NUM_THREADS = 20,
		STARTTIME = 22,
		VSIZE = 23,
		RSS = 24,
		COUNT
	};
	int64_t field[COUNT];
	size_t at = text.len;
	while (at > 0 &&
	       text.ptr[at - 1] != ')') /* field 2, the program's name, may hold anything */
		at--;
	struct slice rest = slice_tail(text, at), state = slice_next_word(&rest);
	if (state.len != 1)
		return false;
	for (int i = STATE + 1; i < COUNT; i++)
		field[i] = procfs_take_number(&rest);
	*out = (struct procfs_stat){.state = state.ptr[0],
	                            .parent = (pid_t)field[PPID],
	                            .minor_faults = field[MINFLT],
	                            .child_minor_faults = field[CMINFLT],
	                            .major_faults = field[MAJFLT],
	                            .child_major_faults = field[CMAJFLT],
	                            .child_time = (field[CUTIME] + field[CSTIME]) *
	                                          (NS / sysconf(_SC_CLK_TCK)),
	                            .threads = field[NUM_THREADS],
	                            .start = field[STARTTIME],
	                            .size = field[VSIZE],
	                            .resident = field[RSS] * sysconf(_SC_PAGESIZE)};
	return rest.len > 0;
}

bool procfs_read_stat(pid_t pid, struct procfs_stat *out)
{
	char text[4096];
	return procfs_parse_stat(procfs_read_file(pid, "stat", text, sizeof text), out);
}

int64_t procfs_start(pid_t pid)
{
	struct procfs_stat stat;
	if (!procfs_read_stat(pid, &stat))
		return -1;
	int64_t since_boot = stat.start * (NS / sysconf(_SC_CLK_TCK));
	return since_boot - os_clock(CLOCK_BOOTTIME) + os_clock(CLOCK_MONOTONIC);
}

int64_t procfs_number(struct slice text, struct slice name)
{
	for (struct slice rest = text, line; slice_next_line(&rest, &line);) {
		if (slice_cut_prefix(&line, name))
			return procfs_take_number(&line);
	}
	return -1;
}

int64_t procfs_resident(struct slice text)
{
	(void)procfs_take_number(&text); /* its size: proc_pid_statm(5) */
	return procfs_take_number(&text) * sysconf(_SC_PAGESIZE);
}
