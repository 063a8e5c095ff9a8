#include "cli/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "cli/cli.h"
#include "monitor/report_formats.h"
#include "monitor/series.h"
#include "monitor/series_format.h"

bool monitor_read_interval(const char *text, int64_t *out)
{
	const double ns = 1e9, least = 0.001, most = 1e6;
	char *end;
	if (!ascii_is_digit(text[0]) && text[0] != '.')
		return false;
	double seconds = strtod(text, &end);
	if (strcmp(end, "ms") == 0)
		seconds /= 1000;
	else if (end[0] != '\0' && strcmp(end, "s") != 0)
		return false;
	*out = (int64_t)(seconds * ns + 0.5);
	return seconds >= least && seconds <= most;
}

bool monitor_read_levels(const char *text, unsigned *out, struct slice *wrong)
{
	struct slice rest = slice_from(text);
	*out = 1u << LEVEL_PROCESS;
	while (rest.len > 0) {
		size_t comma = slice_find(rest, ',', 0);
		struct slice word = slice_trim(slice_sub(rest, 0, comma));
		enum level level = level_find(word);
		if (level == LEVEL_COUNT) {
			*wrong = word;
			return false;
		}
		*out |= 1u << level;
		rest = slice_sub(rest, comma + 1, rest.len);
	}
	return true;
}

unsigned monitor_standard_levels(void)
{
	unsigned levels = 1u << LEVEL_PROCESS | 1u << LEVEL_USER | 1u << LEVEL_SYSTEM;
	return getenv("SLURM_JOB_ID") == NULL ? levels : levels | 1u << LEVEL_SLURM;
}

int monitor_local_rank(void)
{
	/* A batch script has Slurm's, too, but no step (facts of sbatch(1), srun(1)). */
	static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
	                                    "PMI_LOCAL_RANK", "SLURM_LOCALID"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		bool is_slurms = strcmp(names[i], "SLURM_LOCALID") == 0;
		if (value != NULL && ascii_is_digit(value[0]) &&
		    (!is_slurms || getenv("SLURM_STEP_ID") != NULL))
			return (int)strtol(value, NULL, 10);
	}
	return -1;
}

const char *monitor_path(struct arena *arena, struct slice name)
{
	const char *job = getenv("SLURM_JOB_ID"), *node = getenv("SLURM_NODEID");
	char host[256] = "";
	struct strbuf path;
	strbuf_init(&path, arena);
	strbuf_add(&path, name);
	if (job != NULL)
		strbuf_printf(&path, ".%s", job);
	if (node == NULL && gethostname(host, sizeof host - 1) == 0)
		node = host;
	if (monitor_local_rank() >= 0)
		strbuf_printf(&path, ".%s", node);
	strbuf_puts(&path, ".samples");
	return arena_cstr(arena, strbuf_slice(&path));
}

/* Moves FD behind the standard descriptors: where one of these is closed, what is said would get
 * into the samples. */
static int leave_standard(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
	close(fd);
	errno = error;
	return higher;
}

/* The samples of two would be one run's. Whether it can be emptied is seen here, as it cannot be
 * told later. Returns FD, or -1 after a message. */
static int reserve(struct arena *arena, int fd, const char *path)
{
	struct stat status;
	/* Where files cannot be locked, nobody does. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		cli_fail(arena, EXIT_SYSTEM, "", "another nbscorep writes samples into '%s'", path);
	else if (fstat(fd, &status) != 0 || ftruncate(fd, status.st_size) != 0)
		cli_fail(arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path, strerror(errno));
	else
		return fd;
	close(fd);
	return -1;
}

static bool is_empty(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

int monitor_open_output(struct arena *arena, const char *path, bool force, int *status)
{
	enum { OUTPUT_MODE = 0666 };
	enum os_occupant occupant;
	*status = EXIT_SYSTEM;
	if (os_occupant(path, SLICE(SERIES_MAGIC), &occupant) < 0) {
		cli_fail(arena, EXIT_SYSTEM, "", "cannot look at '%s': %s", path, strerror(errno));
		return -1;
	}
	bool is_foreign = occupant == OS_FOREIGN && !is_empty(path);
	if (occupant == OS_SPECIAL || (is_foreign && !force)) {
		const char *hint = is_foreign ? "--force overwrites it\n" : "";
		*status = EXIT_USAGE;
		cli_fail(arena, EXIT_USAGE, hint, "'%s' exists and holds no samples", path);
		return -1;
	}
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
	int fd = leave_standard(open(path, flags, OUTPUT_MODE));
	if (fd < 0)
		cli_fail(arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path, strerror(errno));
	return fd < 0 ? fd : reserve(arena, fd, path);
}

void monitor_empty_output(int fd)
{
	(void)!ftruncate(fd, 0);
}

void monitor_close_output(int fd, const char *path)
{
	if (is_empty(path))
		unlink(path);
	close(fd);
}

void monitor_print_report(struct arena *arena, const char *path)
{
	struct report_run run;
	struct report report;
	struct slice failed;
	struct strbuf out;
	strbuf_init(&out, arena);
	if (report_run_read(arena, path, &run, &failed) != 0)
		cli_fail(arena, 0, "", "cannot read '%.*s': %s", SLICE_ARG(failed),
		         strerror(errno));
	else if (run.nodes.count > 0 &&
	         report_make(arena, &run, LEVEL_PROCESS, REPORT_RANGE_ALL, &report) == 0)
		report_text(&out, &report);
	(void)os_write_all(STDERR_FILENO, strbuf_slice(&out));
}
