#include "run/monitor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "diag/message.h"
#include "process/launch.h"
#include "report/report_notebook.h"
#include "report/report_read.h"
#include "report/report_text.h"
#include "sample/node.h"
#include "sample/series.h"
#include "sample/series_write.h"

int monitor_read_interval(struct arena *arena, const char *option, const char *text, int64_t *out)
{
	const double ns = 1e9, least = 0.001, most = 1e6;
	text = text == NULL ? MONITOR_INTERVAL : text;
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

/* ---- ranks ---- */

/* What a launcher's environment variables give about this process. */
struct rank {
	int64_t local;          /* the number among the ranks of its node; -1: it is none */
	const char *variable;   /* that gives it, or NULL */
	bool has_several_nodes; /* known from the launcher; false: it may have */
	int64_t node;           /* the number of the node in Slurm's job or step; -1: not known */
};

static struct rank find_rank(void)
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
		int64_t local = node_variable(launchers[i].rank),
		        here = node_variable(launchers[i].here);
		if (local >= 0) /* the number of the node is of the step that the launcher made */
			return (struct rank){.local = local,
			                     .variable = launchers[i].rank,
			                     .has_several_nodes =
			                             here < 0 ||
			                             here != node_variable(launchers[i].everywhere),
			                     .node = -1};
	}
	/* Slurm's are last, because processes that another launcher started in a step have them, too. A batch
	 * script has one, but no step. */
	struct rank rank = {.local = -1, .node = node_variable("SLURM_NODEID")};
	if (node_variable("SLURM_STEP_ID") < 0 || node_variable("SLURM_LOCALID") < 0)
		return rank;
	rank.variable = "SLURM_LOCALID";
	rank.local = node_variable(rank.variable);
	rank.has_several_nodes = node_variable("SLURM_STEP_NUM_NODES") != 1;
	return rank;
}

bool monitor_init(struct monitor *monitor, struct arena *arena, pid_t parent)
{
	enum { INIT = 1 }; /* its children are anybody's */
	const struct rank rank = find_rank();
	bool in_job = getenv("SLURM_JOB_ID") != NULL;
	*monitor = (struct monitor){
	        .arena = arena,
	        .order = {.launcher = rank.local == 0 && parent > INIT ? parent : 0,
	                  .rank_variable = rank.variable,
	                  .levels = 1u << LEVEL_PROCESS | 1u << LEVEL_USER | 1u << LEVEL_SYSTEM |
	                            (in_job ? 1u << LEVEL_SLURM : 0),
	                  .output = -1,
	                  .marks = -1,
	                  .node = rank.node}};
	return rank.local <= 0;
}

/* ---- files ---- */

const char *monitor_path(struct arena *arena, struct slice name, const char *output)
{
	const struct rank rank = find_rank();
	const char *job = getenv("SLURM_JOB_ID");
	struct slice ending = SLICE(".samples");
	struct strbuf path = {.arena = arena};
	if (output != NULL) {
		name = slice_from(output);
		ending.len = slice_ends_with(name, ending) ? ending.len : 0;
		name.len -= ending.len;
	}
	strbuf_add(&path, name);
	if (output == NULL && job != NULL)
		strbuf_printf(&path, ".%s", job);
	if (output == NULL && rank.local >= 0 && rank.node >= 0)
		strbuf_printf(&path, ".%d", (int)node_variable("SLURM_STEP_ID"));
	if (rank.local >= 0 && (output == NULL || rank.has_several_nodes)) {
		if (rank.node >= 0)
			strbuf_printf(&path, ".%d", (int)rank.node);
		else
			strbuf_printf(&path, ".%.*s", SLICE_ARG(node_name(arena)));
	}
	strbuf_add(&path, ending);
	return arena_cstr(arena, strbuf_slice(&path));
}

enum { OUTPUT_MODE = 0666 };

/* Renames PATH, the samples of an earlier run, to PATH.1 or the like. Returns EXIT_DONE or EXIT_SYSTEM, after a message. */
static int move_aside(struct arena *arena, const char *path)
{
	struct slice aside = {0};
	int made = -1;
	errno = EEXIST;
	for (unsigned number = 1; made < 0 && errno == EEXIST; number++) {
		aside = arena_printf(arena, "%s.%u", path, number);
		made = open(aside.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OUTPUT_MODE);
	}
	if (made < 0 || close(made) != 0 || rename(path, aside.ptr) != 0)
		return message_fail(arena, EXIT_SYSTEM, "--force overwrites it\n",
		                    "cannot rename '%s': %s", path, strerror(errno));
	return message_fail(arena, EXIT_DONE, "", "renamed the samples of an earlier run to '%s'",
	                    aside.ptr);
}

int monitor_open(struct monitor *monitor, bool force)
{
	static const struct slice markers[] = {SLICE_INIT(SERIES_MAGIC), {0}};
	struct arena *arena = monitor->arena;
	const char *path = monitor->path;
	struct stat status;
	bool forcible, is_new = stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	                        status.st_size == 0; /* another process may have just made it */
	const char *reason = os_keep_reason(path, markers, force, &forcible);
	if (reason != NULL && !is_new)
		return message_kept(arena, path, reason, forcible);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, OUTPUT_MODE);
	/* The samples of two monitors would look like one run. On a file system without locks, no monitor has
	 * one. That the file can be emptied is checked here, because it cannot be reported later. */
	bool is_taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	bool is_usable = fd >= 0 && !is_taken && fstat(fd, &status) == 0 &&
	                 ftruncate(fd, status.st_size) == 0;
	if (is_usable && (force || status.st_size == 0)) {
		(void)!ftruncate(fd, 0);
		monitor->order.output = fd;
		return EXIT_DONE;
	}
	os_close_quietly(fd);
	if (is_taken)
		return message_fail(arena, EXIT_SYSTEM, "",
		                    "another nbscorep writes samples into '%s'", path);
	if (!is_usable)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path,
		                    strerror(errno));
	return move_aside(arena, path) == EXIT_DONE ? monitor_open(monitor, force) : EXIT_SYSTEM;
}

/* Returns 0, or -1 with errno: some file systems report only now that they could not store data. */
static int close_output(struct monitor *monitor)
{
	int fd = monitor->order.output;
	struct stat status;
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0 && status.st_size == 0)
		unlink(monitor->path);
	monitor->order.output = -1;
	return close(fd) == 0 || errno == EINTR ? 0 : -1;
}

/* ---- the program ---- */

static void begin(void *data, pid_t pid)
{
	const struct monitor *monitor = data;
	const struct progress *progress = monitor->progress;
	sampler_begin(monitor->sampler, pid);
	for (size_t i = 0; progress != NULL && i < progress->cells.count; i++) {
		const struct progress_cell *cell = &progress->cells.items[i];
		const struct series_title title = {cell->number, cell->title, cell->source};
		sampler_title(monitor->sampler, &title);
	}
}

static void look(void *data)
{
	const struct monitor *monitor = data;
	sampler_look(monitor->sampler);
}

int monitor_begin(struct monitor *monitor)
{
	monitor->sampler = sampler_open(monitor->arena, &monitor->order);
	if (monitor->sampler == NULL)
		return -1;
	monitor->watch = (struct launch_watch){.descriptor = sampler_descriptor(monitor->sampler),
	                                       .begin = begin,
	                                       .look = look,
	                                       .data = monitor};
	return 0;
}

int monitor_end(struct monitor *monitor, int status)
{
	enum { MOMENT_MS = 50 }; /* signals are held */
	struct sampler *sampler = monitor->sampler;
	struct pollfd descriptor = {.fd = sampler_descriptor(sampler), .events = POLLIN};
	struct rusage usage;
	bool is_child = monitor->order.adopts;
	while (is_child && status == 0 && sampler_has_other_ranks(sampler) &&
	       launch_guard_pending() == 0) {
		if (poll(&descriptor, 1, MOMENT_MS) > 0)
			sampler_look(sampler);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	monitor->sampler = NULL;
	if (sampler_end(sampler, status, is_child ? &usage : NULL) == 0 &&
	    close_output(monitor) == 0)
		return EXIT_DONE;
	return message_fail(monitor->arena, EXIT_SYSTEM, "", "cannot sample to the end: %s",
	                    strerror(errno));
}

void monitor_report(const struct monitor *monitor, const char *notebook, bool quiet)
{
	struct arena *arena = monitor->arena;
	struct report_files files;
	struct report report;
	struct strbuf out = {.arena = arena};
	if (quiet && notebook == NULL)
		return;
	if (report_read(arena, monitor->path, &files) != 0)
		message_fail(arena, 0, "", "cannot read '%s': %s", monitor->path, strerror(errno));
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

void monitor_close(void *data)
{
	struct monitor *monitor = data;
	if (monitor->sampler != NULL)
		sampler_close(monitor->sampler);
	monitor->sampler = NULL;
	(void)close_output(monitor);
}
