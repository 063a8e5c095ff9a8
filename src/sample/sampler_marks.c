/* Begins, ends and titles of cells, as calls and as lines that others write (nbscorep-monitor(1)). */
#include "sample/sampler_marks.h"

#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "sample/sampler.h"
#include "sample/sampler_gpus.h"
#include "sample/sampler_inside.h"
#include "sample/sampler_read.h"
#include "sample/series_write.h"

/* Writes the memory at MARK, of which the script has reported its own: until the sampler has read the
 * program, the next cell may have allocated more. PEAK is the highest one known before that.
 *
 * The script could have the kernel forget its peak when a cell begins (5 to /proc/self/clear_refs),
 * which would show the peak of each cell. It does not: ru_maxrss would be forgotten, too, which
 * scripts, Score-P and batch systems report of the whole run. */
static void write_memory(struct sampler *s, const struct cell_mark *mark, int64_t peak)
{
	struct process_memory memory = {mark->resident, peak};
	struct series_time time = {mark->moment, mark->moment, mark->moment};
	if (mark->pid == 0 || mark->moment < s->last_mark ||
	    !processes_correct(&s->processes, (pid_t)mark->pid, &memory))
		return;
	s->last_mark = mark->moment;
	time.wall += os_clock(CLOCK_REALTIME) - os_clock(CLOCK_MONOTONIC);
	const int64_t values[] = {memory.resident, memory.peak};
	series_write_sample(&s->writer, s->sources[SOURCE_MARKS].group, &time, values);
}

static void write_mark(struct sampler *s)
{
	const struct cell_mark *mark = s->mark;
	processes_had(&s->processes, mark->children);
	processes_had(&s->processes, mark->peak);
	int64_t peak = s->processes.tree.of[METRIC_PEAK_RSS];
	sampler_read_program(s, os_clock(CLOCK_MONOTONIC), true);
	write_memory(s, mark, peak);
	if (mark->begins)
		series_write_begin(&s->writer, mark->cell, mark->moment);
	else
		series_write_end(&s->writer, mark->cell, mark->moment, mark->state);
}

void sampler_mark(struct sampler *s, const struct cell_mark *mark)
{
	s->mark = mark;
	sampler_guard(s, write_mark);
}

static void write_title(struct sampler *s)
{
	series_write_title(&s->writer, s->title);
}

void sampler_title(struct sampler *s, const struct series_title *title)
{
	s->title = title;
	sampler_guard(s, write_title);
}

/* "7 the title" */
static void take_title(struct sampler *s, struct slice rest)
{
	struct series_title title = {0};
	struct slice number = slice_next_word(&rest);
	if (!cell_number_read(number, &title.number) || title.number == 0)
		return;
	title.title = slice_trim(rest);
	sampler_title(s, &title);
}

/* Whoever waits for the answer finds all in the file, what is read beside the program only with
 * EVERYTHING. */
static void answer(struct sampler *s, bool everything)
{
	sampler_read_program(s, os_clock(CLOCK_MONOTONIC), true);
	if (everything) {
		sampler_read_gpus(s);
		sampler_read_up_to_now(s);
	}
	series_write_missed(&s->writer, s->due, s->missed);
	sampler_write_out(s);
	if (s->failed == 0 && os_write_all(s->order.answers, SLICE("done\n")) != 0)
		s->heard_all = true;
}

static void take_line(struct sampler *s, struct slice line)
{
	struct cell_mark mark;
	struct slice rest = line, word = slice_next_word(&rest);
	if (cell_mark_read(line, &mark))
		sampler_mark(s, &mark);
	else if (slice_eq(word, SLICE("title")))
		take_title(s, rest);
	else if (slice_eq(word, SLICE("sync")))
		answer(s, slice_eq(slice_next_word(&rest), SLICE("all")));
	else if (slice_eq(word, SLICE("quit")))
		s->heard_all = true;
}

static void take_lines(struct sampler *s)
{
	struct slice rest = slice_make(s->marks, s->marks_filled);
	for (size_t end; (end = slice_find(rest, '\n', 0)) < rest.len;) {
		if (!s->skips_line && !s->heard_all)
			take_line(s, slice_sub(rest, 0, end));
		s->skips_line = false;
		rest = slice_sub(rest, end + 1, rest.len);
	}
	s->skips_line |= rest.len == sizeof s->marks; /* no mark is that long */
	s->marks_filled = s->skips_line ? 0 : rest.len;
	memmove(s->marks, rest.ptr, s->marks_filled);
}

static bool is_readable(int fd)
{
	struct pollfd descriptor = {.fd = fd, .events = POLLIN};
	return fd >= 0 && poll(&descriptor, 1, 0) > 0;
}

void sampler_read_marks(struct sampler *s)
{
	while (!s->heard_all && is_readable(s->order.marks)) {
		ssize_t got = read(s->order.marks, s->marks + s->marks_filled,
		                   sizeof s->marks - s->marks_filled);
		if (got == 0) { /* the lines have ended; otherwise the descriptor stays readable */
			epoll_ctl(s->poll, EPOLL_CTL_DEL, s->order.marks, NULL);
			s->order.marks = -1;
			s->heard_all = true;
		}
		if (got <= 0)
			return;
		s->marks_filled += (size_t)got;
		take_lines(s);
	}
}
