#include "run/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "diag/message.h"
#include "process/launch.h"
#include "report/report_notebook.h"
#include "report/report_read.h"
#include "report/report_text.h"
#include "sample/node.h"
#include "sample/sampler.h"
#include "sample/series.h"
#include "sample/series_write.h"

int monitor_read_interval(struct arena *arena, const char *option, const char *text, int64_t *out)
{
	const double ns = 1e9, least = 0.001, most = 1e6;
	size_t decimal = strspn(text, "0123456789."); /* strtod() takes more */
	char *end;
	double seconds = strtod(text, &end);
	if (strcmp(end, "ms") == 0)
		seconds /= 1000;
	else if (end[0] != '\0' && strcmp(end, "s") != 0)
		seconds = 0;
	if (decimal == 0 || end > text + decimal || seconds < least || seconds > most)
		return message_usage(
		        arena,
		        "'%s' requires seconds from 0.001 to 1000000, or a number with "
		        "the unit s or ms, not '%s'",
		        option, text);
	*out = (int64_t)(seconds * ns + 0.5);
	return EXIT_DONE;
}

unsigned monitor_standard_levels(void)
{
	unsigned levels = 1u << LEVEL_PROCESS | 1u << LEVEL_USER | 1u << LEVEL_SYSTEM;
	return getenv("SLURM_JOB_ID") == NULL ? levels : levels | 1u << LEVEL_SLURM;
}

/* ---- ranks ---- */

/* A number in the environment, or -1. */
static int number_of(const char *name)
{
	const char *value = name == NULL ? NULL : getenv(name);
	return value != NULL && ascii_is_digit(value[0]) ? (int)strtol(value, NULL, 10) : -1;
}

struct monitor_rank monitor_rank(void)
{
	/* Variables of launchers: the rank on the node, the number of ranks there, and on all nodes. */
	static const struct {
		const char *rank, *here, *everywhere;
	} launchers[] = {
	        {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
	         "OMPI_COMM_WORLD_SIZE"},
	        {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE"},
	        {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "PMI_SIZE"},
	};
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		int local = number_of(launchers[i].rank), here = number_of(launchers[i].here);
		if (local >= 0) /* the number of the node is of the step that the launcher made */
			return (struct monitor_rank){
			        .local = local,
			        .variable = launchers[i].rank,
			        .has_several_nodes =
			                here < 0 || here != number_of(launchers[i].everywhere),
			        .node = -1};
	}
	/* Slurm's are last, because processes that another launcher started in a step have them, too. A batch
	 * script has one, but no step. */
	struct monitor_rank rank = {.local = -1, .node = number_of("SLURM_NODEID")};
	if (number_of("SLURM_STEP_ID") < 0 || number_of("SLURM_LOCALID") < 0)
		return rank;
	rank.variable = "SLURM_LOCALID";
	rank.local = number_of(rank.variable);
	rank.has_several_nodes = number_of("SLURM_STEP_NUM_NODES") != 1;
	return rank;
}

void monitor_await_ranks(struct sampler *sampler, int status)
{
	enum { MOMENT_MS = 50 }; /* signals are held */
	struct pollfd descriptor = {.fd = sampler_descriptor(sampler), .events = POLLIN};
	while (status == 0 && sampler_has_other_ranks(sampler) && launch_guard_pending() == 0) {
		if (poll(&descriptor, 1, MOMENT_MS) > 0)
			sampler_look(sampler);
	}
}

/* ---- files ---- */

/* ".9.0.1" */
static void add_node(struct strbuf *path, const struct monitor_rank *rank)
{
	if (rank->node >= 0) {
		strbuf_printf(path, ".%d", (int)rank->node);
		return;
	}
	strbuf_addc(path, '.');
	strbuf_add(path, node_name(path->arena));
}

const char *monitor_path(struct arena *arena, struct slice name)
{
	const struct monitor_rank rank = monitor_rank();
	const char *job = getenv("SLURM_JOB_ID");
	struct strbuf path = {.arena = arena};
	strbuf_add(&path, name);
	if (job != NULL)
		strbuf_printf(&path, ".%s", job);
	if (rank.local >= 0 && rank.node >= 0)
		strbuf_printf(&path, ".%d", number_of("SLURM_STEP_ID"));
	if (rank.local >= 0)
		add_node(&path, &rank);
	strbuf_puts(&path, ".samples");
	return arena_cstr(arena, strbuf_slice(&path));
}

const char *monitor_node_path(struct arena *arena, const char *path)
{
	const struct monitor_rank rank = monitor_rank();
	struct slice ending = SLICE(".samples"), name = slice_from(path);
	if (rank.local < 0 || !rank.has_several_nodes)
		return path;
	if (slice_ends_with(name, ending))
		name.len -= ending.len;
	struct strbuf out = {.arena = arena};
	strbuf_add(&out, name);
	add_node(&out, &rank);
	strbuf_puts(&out, path + name.len);
	return arena_cstr(arena, strbuf_slice(&out));
}

enum { OUTPUT_MODE = 0666 };

/* Renames PATH, the samples of an earlier run, to PATH.1 or the like. Returns 0, or -1 after a message. */
static int move_aside(struct arena *arena, const char *path)
{
	struct slice aside = {0};
	int made = -1;
	errno = EEXIST;
	for (unsigned number = 1; made < 0 && errno == EEXIST; number++) {
		aside = arena_printf(arena, "%s.%u", path, number);
		made = open(aside.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OUTPUT_MODE);
	}
	if (made < 0 || close(made) != 0 || rename(path, aside.ptr) != 0) {
		message_fail(arena, 0, "--force overwrites it\n", "cannot rename '%s': %s", path,
		             strerror(errno));
		return -1;
	}
	message_fail(arena, 0, "", "renamed the samples of an earlier run to '%s'", aside.ptr);
	return 0;
}

int monitor_open_output(struct arena *arena, const char *path, bool force)
{
	static const struct slice markers[] = {SLICE_INIT(SERIES_MAGIC), {0}};
	struct stat status;
	bool forcible, is_new = stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	                        status.st_size == 0; /* another process may have just made it */
	const char *reason = os_keep_reason(path, markers, force, &forcible);
	if (reason != NULL && !is_new) {
		message_kept(arena, path, reason, forcible);
		return -1;
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, OUTPUT_MODE);
	/* The samples of two monitors would look like one run. On a file system without locks, no monitor has
	 * one. That the file can be emptied is checked here, because it cannot be reported later. */
	bool is_taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (is_taken)
		message_fail(arena, EXIT_SYSTEM, "", "another nbscorep writes samples into '%s'",
		             path);
	else if (fd < 0 || fstat(fd, &status) != 0 || ftruncate(fd, status.st_size) != 0)
		message_fail(arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path,
		             strerror(errno));
	else if (force || status.st_size == 0) {
		(void)!ftruncate(fd, 0);
		return fd;
	} else {
		close(fd);
		return move_aside(arena, path) == 0 ? monitor_open_output(arena, path, force) : -1;
	}
	os_close_quietly(fd);
	return -1;
}

int monitor_close_output(int *fd, const char *path)
{
	if (*fd < 0)
		return 0;
	struct stat status_of;
	if (fstat(*fd, &status_of) == 0 && status_of.st_size == 0)
		unlink(path);
	int status = close(*fd) == 0 || errno == EINTR ? 0 : -1;
	*fd = -1;
	return status;
}

/* ---- a run ---- */

int run_monitor_init(struct run_monitor *monitor, struct arena *arena,
                     const struct build_settings *build, const struct run_settings *settings)
{
	struct optional_text interval = settings->monitor;
	*monitor = (struct run_monitor){.arena = arena,
	                                .order = {.output = -1, .marks = -1, .adopts = true},
	                                .force = build->force};
	if (!interval.given || settings->report) /* for that the script has samples of its own */
		return EXIT_DONE;
	if (build->temporary)
		monitor->folder = os_real_path(arena, SLICE("."));
	const struct monitor_rank rank = monitor_rank();
	/* Else the first rank of the node samples this one; each set of a sweep samples itself. */
	monitor->wanted = rank.local <= 0 && !build->sweep.given;
	monitor->order.rank_variable = rank.variable;
	monitor->order.launcher = rank.local == 0 ? getppid() : 0;
	monitor->order.node = rank.node;
	monitor->order.levels = monitor_standard_levels();
	return monitor_read_interval(arena, "--monitor",
	                             interval.text == NULL ? "1" : interval.text,
	                             &monitor->order.interval);
}

/* ---- while it runs ---- */

static void run_monitor_started(void *data, pid_t pid)
{
	struct run_monitor *monitor = data;
	sampler_begin(monitor->sampler, pid);
	for (size_t i = 0; i < monitor->progress->cells.count; i++) {
		const struct progress_cell *cell = &monitor->progress->cells.items[i];
		const struct series_title title = {cell->number, cell->title, cell->source};
		sampler_title(monitor->sampler, &title);
	}
}

static void run_monitor_look(void *data)
{
	struct run_monitor *monitor = data;
	sampler_look(monitor->sampler);
}

/* ---- before and after ---- */

int run_monitor_begin(struct run_monitor *monitor, struct slice program, struct progress *progress)
{
	monitor->order.command = path_file(program);
	if (monitor->folder.len > 0)
		program = path_join(monitor->arena, monitor->folder, path_file(program));
	monitor->path = monitor_path(monitor->arena, program);
	monitor->progress = progress;
	monitor->order.output = monitor_open_output(monitor->arena, monitor->path, monitor->force);
	if (monitor->order.output < 0)
		return EXIT_SYSTEM;
	monitor->sampler = sampler_open(monitor->arena, &monitor->order);
	if (monitor->sampler == NULL)
		return message_fail(monitor->arena, EXIT_SYSTEM, "", "cannot sample: %s",
		                    strerror(errno));
	progress->sampler = monitor->sampler;
	monitor->watch = (struct launch_watch){
	        .descriptor = sampler_descriptor(monitor->sampler),
	        .begin = run_monitor_started,
	        .look = run_monitor_look,
	        .data = monitor,
	};
	return EXIT_DONE;
}

void run_monitor_finish(struct run_monitor *monitor, int status, const char *notebook, bool quiet)
{
	struct arena *arena = monitor->arena;
	struct report_files files;
	struct report report;
	struct slice failed;
	struct rusage usage;
	monitor_await_ranks(monitor->sampler, status);
	getrusage(RUSAGE_CHILDREN, &usage);
	int ended = sampler_end(monitor->sampler, status, &usage);
	monitor->sampler = NULL;
	if (ended != 0 || monitor_close_output(&monitor->order.output, monitor->path) != 0)
		message_fail(arena, 0, "", "cannot sample to the end: %s", strerror(errno));
	if (quiet && notebook == NULL)
		return;
	/* What `report` prints. */
	struct strbuf out = {.arena = arena};
	if (report_read(arena, monitor->path, &files, &failed) != 0)
		message_fail(arena, 0, "", "cannot read '%.*s': %s", SLICE_ARG(failed),
		             strerror(errno));
	else if (files.runs.count > 0 && report_make(arena, &files.runs.items[0], LEVEL_PROCESS,
	                                             REPORT_RANGE_ALL, &report) == 0) {
		if (!quiet)
			report_text(&out, &report);
		if (notebook != NULL && report_add_to_notebook(&report, notebook) != 0)
			message_fail(arena, 0, "", "cannot add figures to '%s': %s", notebook,
			             strerror(errno));
	}
	(void)os_write_all(STDERR_FILENO, strbuf_slice(&out));
}

void run_monitor_close(struct run_monitor *monitor)
{
	if (monitor->sampler != NULL)
		sampler_close(monitor->sampler);
	(void)monitor_close_output(&monitor->order.output, monitor->path);
}
