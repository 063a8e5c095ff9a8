#include "run/progress.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum { NS = 1000000000, QUIET_NS = 500000000, LOOK_MS = 250, READS_MAX = 64 };

const char *const cell_state_names[] = {
#define CELL_STATE(id, name) [CELL_##id] = (name),
#include "run/cell_state.def"
};

bool cell_state_is_timed(enum cell_state state)
{
	return state != CELL_NOT_REACHED && state != CELL_NOT_TIMED;
}

static bool has_current(const struct progress *progress)
{
	return progress->current < progress->cells.count;
}

/* Ends the current cell at MOMENT. */
static void end_cell(struct progress *progress, enum cell_state state, int64_t moment)
{
	if (!has_current(progress))
		return;
	struct progress_cell *cell = &progress->cells.items[progress->current];
	cell->state = state;
	cell->end = moment < cell->begin ? cell->begin : moment;
	progress->current = progress->cells.count;
}

static void begin_cell(struct progress *progress, unsigned number, int64_t moment)
{
	size_t index = 0, high = progress->cells.count; /* INDEX: of cells with a lower number */
	while (index < high) {
		size_t middle = index + (high - index) / 2;
		if (progress->cells.items[middle].number < number)
			index = middle + 1;
		else
			high = middle;
	}
	end_cell(progress, CELL_DONE, moment); /* its end was not reported */
	if (index == progress->cells.count || progress->cells.items[index].number != number)
		return;
	progress->current = index;
	progress->cells.items[index].state = CELL_RUNS;
	progress->cells.items[index].begin = moment;
}

/* Returns the text after the last complete line. */
static struct slice take_lines_of(struct progress *progress, struct slice rest)
{
	for (size_t end; (end = slice_find(rest, '\n', 0)) < rest.len;) {
		struct cell_mark mark;
		struct slice line = slice_sub(rest, 0, end);
		rest = slice_tail(rest, end + 1);
		if (!cell_mark_read(line, &mark))
			continue;
		if (progress->sampler != NULL)
			sampler_mark(progress->sampler, &mark);
		int64_t moment = mark.moment > progress->start ? mark.moment - progress->start : 0;
		if (mark.begins) {
			begin_cell(progress, mark.cell, moment);
			continue;
		}
		if (!has_current(progress) ||
		    progress->cells.items[progress->current].number != mark.cell)
			continue;
		/* "unknown": the program's status decides. */
		enum cell_state state = slice_eq(mark.state, SLICE("failed"))    ? CELL_FAILED
		                        : slice_eq(mark.state, SLICE("exited"))  ? CELL_EXITED
		                        : slice_eq(mark.state, SLICE("unknown")) ? CELL_NOT_TIMED
		                                                                 : CELL_DONE;
		end_cell(progress, state, moment);
	}
	return rest;
}

/* Reads the available text, with a limit against floods. os_read() would wait for more. */
static void read_all(struct progress *progress)
{
	for (int i = 0; i < READS_MAX; i++) {
		ssize_t got = read(progress->reads, progress->line + progress->filled,
		                   sizeof progress->line - progress->filled);
		if (got <= 0)
			return;
		progress->filled += (size_t)got;
		struct slice rest =
		        take_lines_of(progress, slice_make(progress->line, progress->filled));
		/* The runtime writes no line that long. */
		progress->filled = rest.len == sizeof progress->line ? 0 : rest.len;
		memmove(progress->line, rest.ptr, progress->filled);
	}
}

/* "1:05", "1:00:05". */
static void put_time(char *out, size_t size, int64_t time)
{
	long long seconds = time / NS;
	if (seconds < 3600)
		snprintf(out, size, "%lld:%02lld", seconds / 60, seconds % 60);
	else
		snprintf(out, size, "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60,
		         seconds % 60);
}

/* Shows nothing for programs that end at once. */
static void progress_look(void *data)
{
	struct progress *progress = data;
	char of_cell[32], of_all[32], out[STATUS_LINE_MAX];
	read_all(progress);
	int64_t time = os_clock(CLOCK_MONOTONIC) - progress->start;
	if (!progress->shows || time < QUIET_NS || !has_current(progress))
		return;
	const struct progress_cell *cell = &progress->cells.items[progress->current];
	put_time(of_cell, sizeof of_cell, time - cell->begin);
	put_time(of_all, sizeof of_all, time);
	snprintf(out, sizeof out, "cell %u of %u, %s (%s in all): %.*s", cell->number,
	         progress->cells.items[progress->cells.count - 1].number, of_cell, of_all,
	         SLICE_ARG(cell->title));
	status_line_show(&progress->status, slice_from(out));
}

static void progress_stop(void *data)
{
	struct progress *progress = data;
	status_line_clear(&progress->status);
}

/* Opened for writing as well, the FIFO has no end of file, which would wake up the reader repeatedly. */
int progress_open(struct progress *progress, const char *path)
{
	if (mkfifo(path, 0600) != 0)
		return -1;
	progress->reads = os_open_retrying(path, O_RDWR | O_NONBLOCK, 0);
	progress->watch = (struct launch_watch){
	        .descriptor = progress->reads,
	        .every = progress->shows ? LOOK_MS : 0,
	        .look = progress_look,
	        .stop = progress->shows ? progress_stop : NULL,
	        .data = progress,
	};
	return progress->reads < 0 ? -1 : 0;
}

void progress_begin(struct progress *progress)
{
	progress->current = progress->cells.count;
	progress->start = os_clock(CLOCK_MONOTONIC);
}

/* The program has ended at MOMENT. A cell without a report has run if a later cell has, or if no cell has a report and
 * the program ended well. */
static void settle_cells(struct progress *progress, int64_t moment, bool well)
{
	bool later = well;
	end_cell(progress, CELL_RUNS, moment);
	for (size_t i = 0; i < progress->cells.count; i++)
		later = later && progress->cells.items[i].state == CELL_NOT_REACHED;
	for (size_t i = progress->cells.count; i > 0; i--) {
		struct progress_cell *cell = &progress->cells.items[i - 1];
		if (cell->state == CELL_NOT_TIMED)
			cell->state = well ? CELL_DONE : CELL_FAILED;
		else if (cell->state == CELL_NOT_REACHED && later)
			cell->state = CELL_NOT_TIMED;
		later = later || cell->state != CELL_NOT_REACHED;
	}
}

void progress_end(struct progress *progress, bool well)
{
	if (progress->reads >= 0)
		read_all(progress);
	progress->end = os_clock(CLOCK_MONOTONIC);
	status_line_clear(&progress->status);
	settle_cells(progress, progress->end - progress->start, well);
}

void progress_replay(struct progress *progress, struct slice text, bool well)
{
	progress->current = progress->cells.count;
	(void)take_lines_of(progress, text);
	settle_cells(progress, 0, well); /* when it ended is not known */
}
