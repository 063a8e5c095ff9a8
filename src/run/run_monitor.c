#include "run/run_monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "diag/message.h"
#include "run/monitor.h"
#include "sample/sampler_marks.h"

int run_monitor_init(struct run_monitor *monitor, struct arena *arena,
                     const struct build_settings *build, const struct run_settings *settings)
{
	struct optional_text interval = settings->monitor;
	*monitor = (struct run_monitor){.arena = arena,
	                                .order = {.output = -1, .marks = -1, .adopts = true},
	                                .poll = -1,
	                                .force = build->force};
	if (!interval.given)
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

static void begin(void *data, pid_t pid)
{
	struct run_monitor *monitor = data;
	if (monitor->sampler == NULL)
		return;
	sampler_begin(monitor->sampler, pid);
	for (size_t i = 0; i < monitor->progress->cells.count; i++) {
		const struct progress_cell *cell = &monitor->progress->cells.items[i];
		const struct series_title title = {cell->number, cell->title, cell->source};
		sampler_title(monitor->sampler, &title);
	}
}

static void look(void *data)
{
	struct run_monitor *monitor = data;
	const struct launch_watch *watch = &monitor->progress->watch;
	if (monitor->progress->reads >= 0)
		watch->look(watch->data);
	if (monitor->sampler != NULL)
		sampler_look(monitor->sampler);
}

static void stop(void *data)
{
	const struct run_monitor *monitor = data;
	const struct launch_watch *watch = &monitor->progress->watch;
	if (monitor->progress->reads >= 0 && watch->stop != NULL)
		watch->stop(watch->data);
}

static void hear(void *data, const struct cell_mark *mark)
{
	struct run_monitor *monitor = data;
	if (monitor->sampler != NULL)
		sampler_mark(monitor->sampler, mark);
}

/* ---- before and after ---- */

static int watch_both(struct run_monitor *monitor)
{
	struct epoll_event event = {.events = EPOLLIN};
	monitor->poll = epoll_create1(EPOLL_CLOEXEC);
	if (monitor->poll < 0 || epoll_ctl(monitor->poll, EPOLL_CTL_ADD,
	                                   sampler_descriptor(monitor->sampler), &event) != 0)
		return -1;
	return monitor->progress->reads < 0
	               ? 0
	               : epoll_ctl(monitor->poll, EPOLL_CTL_ADD, monitor->progress->reads, &event);
}

int run_monitor_begin(struct run_monitor *monitor, struct slice run_script,
                      struct progress *progress)
{
	static const struct slice ending = SLICE_INIT("_run.sh");
	struct slice program = run_script;
	if (slice_ends_with(program, ending))
		program.len -= ending.len;
	monitor->order.command = path_file(program);
	if (monitor->folder.len > 0)
		program = path_join(monitor->arena, monitor->folder, path_file(program));
	monitor->path = monitor_path(monitor->arena, program);
	monitor->progress = progress;
	monitor->order.output = monitor_open_output(monitor->arena, monitor->path, monitor->force);
	if (monitor->order.output < 0)
		return EXIT_SYSTEM;
	monitor->sampler = sampler_open(monitor->arena, &monitor->order);
	if (monitor->sampler == NULL || watch_both(monitor) != 0)
		return message_fail(monitor->arena, EXIT_SYSTEM, "", "cannot sample: %s",
		                    strerror(errno));
	progress->heard = hear;
	progress->hearer = monitor;
	monitor->watch = (struct launch_watch){
	        .descriptor = monitor->poll,
	        .every = progress->reads < 0 ? 0 : progress->watch.every,
	        .begin = begin,
	        .look = look,
	        .stop = progress->reads < 0 || progress->watch.stop == NULL ? NULL : stop,
	        .data = monitor,
	};
	return EXIT_DONE;
}

void run_monitor_finish(struct run_monitor *monitor, int status, const struct launch_guard *guard,
                        const char *notebook, bool quiet)
{
	struct rusage usage;
	monitor_await_ranks(monitor->sampler, status, guard);
	getrusage(RUSAGE_CHILDREN, &usage);
	int ended = sampler_end(monitor->sampler, status, &usage);
	monitor->sampler = NULL;
	if (ended != 0 || monitor_close_output(&monitor->order.output, monitor->path) != 0)
		message_fail(monitor->arena, 0, "", "cannot sample to the end: %s",
		             strerror(errno));
	if (!quiet || notebook != NULL)
		monitor_print_report(monitor->arena, monitor->path, notebook, quiet);
}

void run_monitor_close(struct run_monitor *monitor)
{
	if (monitor->sampler != NULL)
		sampler_close(monitor->sampler);
	if (monitor->poll >= 0)
		close(monitor->poll);
	(void)monitor_close_output(&monitor->order.output, monitor->path);
}
