#include "run/summary.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/quote.h"
#include "base/strbuf.h"

enum { NS = 1000000000, TIME_WIDTH = 12, LARGE_PROFILE = 1 << 20 /* bytes */ };

static double seconds(int64_t time)
{
	return (double)time / NS;
}

static double time_of(const struct progress_cell *cell)
{
	return seconds(cell->end - cell->begin);
}

/* "512 B", "1.5 MiB". */
static struct slice size_text(struct arena *arena, long long size)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double value = (double)(size < 0 ? 0 : size) / 1024;
	size_t unit = 0;
	if (size < 1024)
		return arena_printf(arena, "%lld B", size < 0 ? 0 : size);
	for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
		value /= 1024;
	return arena_printf(arena, "%.1f %s", value, units[unit]);
}

static void add_cell(struct strbuf *out, const struct summary *summary,
                     const struct progress_cell *cell)
{
	struct slice time = SLICE("-");
	if (cell_state_is_timed(cell->state))
		time = arena_printf(out->arena, "%.3f s", time_of(cell));
	strbuf_printf(out, "%6u %*.*s  ", cell->number, TIME_WIDTH, SLICE_ARG(time));
	if (summary->measured)
		strbuf_printf(out, "%-12s  ", cell->instrumented ? "yes" : "");
	strbuf_add(out, cell->title);
	if (cell->state != CELL_DONE)
		strbuf_printf(out, " [%s]", cell_state_name(cell->state));
	strbuf_addc(out, '\n');
}

static void add_column(struct strbuf *out, bool timed, double time)
{
	struct slice text = timed ? arena_printf(out->arena, "%.3f s", time) : SLICE("-");
	strbuf_printf(out, " %*.*s", TIME_WIDTH, SLICE_ARG(text));
}

/* " [failed]", " [failed on 1 of 4 ranks]". */
static void add_states(struct strbuf *out, const struct rank_spread *spread, size_t ranks)
{
	for (int state = 0; state < CELL_STATES; state++) {
		size_t count = spread->states[state];
		if (count == 0 || state == CELL_DONE)
			continue;
		strbuf_printf(out, " [%s", cell_state_name((enum cell_state)state));
		if (count < ranks)
			strbuf_printf(out, " on %zu of %zu ranks", count, ranks);
		strbuf_addc(out, ']');
	}
}

static void add_spread(struct strbuf *out, const struct summary *summary, size_t index)
{
	const struct progress_cell *cell = &summary->progress->cells.items[index];
	const struct rank_spread spread = rank_times_spread(&summary->ranks, index);
	strbuf_printf(out, "%6u", cell->number);
	add_column(out, spread.timed > 0, seconds(spread.minimum));
	add_column(out, spread.timed > 0, spread.mean / NS);
	add_column(out, spread.timed > 0, seconds(spread.maximum));
	strbuf_printf(out, "  %-*.*s  ", TIME_WIDTH, SLICE_ARG(spread.slowest));
	if (summary->measured)
		strbuf_printf(out, "%-12s  ", cell->instrumented ? "yes" : "");
	strbuf_add(out, cell->title);
	add_states(out, &spread, summary->ranks.count);
	strbuf_addc(out, '\n');
}

static void add_spreads(struct strbuf *out, const struct summary *summary)
{
	const struct progress *progress = summary->progress;
	strbuf_printf(out, "%6s %*s %*s %*s  slowest rank  %sfirst line\n", "cell", TIME_WIDTH,
	              "minimum", TIME_WIDTH, "mean", TIME_WIDTH, "maximum",
	              summary->measured ? "instrumented  " : "");
	for (size_t i = 0; i < progress->cells.count; i++)
		add_spread(out, summary, i);
	strbuf_printf(out, "%zu rank%s, %.3f s in all\n", summary->ranks.count,
	              summary->ranks.count == 1 ? "" : "s",
	              seconds(progress->end - progress->start));
}

static void add_cells(struct strbuf *out, const struct summary *summary)
{
	const struct progress *progress = summary->progress;
	double sum = 0, all = seconds(progress->end - progress->start);
	if (progress->reads < 0) {
		strbuf_printf(out, "%.3f s in all; the cells were not timed\n", all);
		return;
	}
	strbuf_printf(out, "%6s %*s  %s%s\n", "cell", TIME_WIDTH, "time",
	              summary->measured ? "instrumented  " : "", "first line");
	for (size_t i = 0; i < progress->cells.count; i++) {
		add_cell(out, summary, &progress->cells.items[i]);
		if (cell_state_is_timed(progress->cells.items[i].state))
			sum += time_of(&progress->cells.items[i]);
	}
	strbuf_printf(out, "%.3f s in cells, %.3f s in all\n", sum, all);
}

/* Score-P writes its files at the end of the program. A profile with many call paths takes longer than
 * a trace. */
static void add_end(struct strbuf *out, const struct summary *summary)
{
	const struct progress *progress = summary->progress;
	const struct experiment *experiment = summary->experiment;
	int64_t in_cells = 0, last = 0;
	for (size_t i = 0; i < progress->cells.count; i++) {
		const struct progress_cell *cell = &progress->cells.items[i];
		if (!cell_state_is_timed(cell->state))
			continue;
		in_cells += cell->end - cell->begin;
		last = cell->end > last ? cell->end : last;
	}
	int64_t after = progress->end - progress->start - last;
	/* The end of ranks is MPI's and the launcher's, too. */
	if (experiment == NULL || experiment->profile < LARGE_PROFILE || summary->ranks.count > 0 ||
	    last == 0 || after < NS || after < in_cells)
		return;
	strbuf_printf(out,
	              "%.3f s after the last cell; Score-P may need less without the profile "
	              "(%sSCOREP_ENABLE_PROFILING=false)\n",
	              seconds(after), experiment->traces < 0 ? "SCOREP_ENABLE_TRACING=true " : "");
}

static void add_result(struct strbuf *out, const struct experiment *experiment, const char *file,
                       long long size, bool is_trace)
{
	if (size < 0)
		return;
	struct slice shown = size_text(out->arena, size);
	struct slice path =
	        arena_printf(out->arena, "%.*s/%s", SLICE_ARG(experiment->results), file);
	strbuf_printf(out, "  %-13s %10.*s  %.*s ", file, SLICE_ARG(shown),
	              SLICE_ARG(experiment_viewer(out->arena, is_trace)));
	bash_word(out, path);
	strbuf_addc(out, '\n');
}

static void add_experiment(struct strbuf *out, const struct experiment *experiment)
{
	if (experiment == NULL) {
		strbuf_puts(out, "no experiment directory was created\n");
		return;
	}
	struct slice size = size_text(out->arena, experiment->size);
	strbuf_puts(out, "experiment directory: ");
	terminal_text(out, experiment->path);
	strbuf_printf(out, " (%.*s", SLICE_ARG(size));
	if (experiment->ranks > 0)
		strbuf_printf(out, ", with one for each of %zu ranks", experiment->ranks);
	strbuf_puts(out, ")\n");
	add_result(out, experiment, "profile.cubex", experiment->profile, false);
	add_result(out, experiment, "traces.otf2", experiment->traces, true);
	if (experiment->has_part)
		strbuf_puts(out, "  a file is incomplete: Score-P was killed while writing it\n");
	else if (experiment->profile < 0 && experiment->traces < 0)
		strbuf_puts(out, "  neither a profile nor traces\n");
}

void summary_text(struct strbuf *out, const struct summary *summary)
{
	if (summary->ranks.count > 0)
		add_spreads(out, summary);
	else
		add_cells(out, summary);
	if (summary->measured) {
		add_end(out, summary);
		add_experiment(out, summary->experiment);
	}
}

/* ---- times of ranks ---- */

enum { FILE_MAX = 1 << 26 };

#define PREFIX SLICE("rank-")

static void read_rank(struct arena *arena, const char *path, struct slice name,
                      const struct progress *of, bool well, rank_list *out)
{
	struct progress rank = {.reads = -1};
	struct strbuf text;
	strbuf_init(&text, arena);
	if (os_read_file(path, &text, FILE_MAX) != 0)
		return;
	for (size_t i = 0; i < of->cells.count; i++) {
		struct progress_cell cell = of->cells.items[i];
		cell.state = CELL_NOT_REACHED;
		cell.begin = cell.end = 0;
		vec_push(arena, &rank.cells, cell);
	}
	progress_replay(&rank, strbuf_slice(&text), well);
	vec_push(arena, out, (struct rank_times){arena_dup(arena, name), rank.cells.items});
}

/* By number, then by name. */
static int compare(const void *left, const void *right)
{
	const struct rank_times *a = left, *b = right;
	long first = strtol(a->name.ptr, NULL, 10), second = strtol(b->name.ptr, NULL, 10);
	if (first != second)
		return first < second ? -1 : 1;
	return strcmp(a->name.ptr, b->name.ptr);
}

static bool is_timed(const struct progress *progress)
{
	for (size_t i = 0; i < progress->cells.count; i++) {
		if (cell_state_is_timed(progress->cells.items[i].state))
			return true;
	}
	return false;
}

void rank_times_read(struct arena *arena, const char *folder, const struct progress *progress,
                     bool well, rank_list *out)
{
	DIR *files = opendir(folder);
	if (files == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
		struct slice name = slice_from(entry->d_name);
		if (!slice_starts_with(name, PREFIX))
			continue;
		const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name).ptr;
		read_rank(arena, path, slice_sub(name, PREFIX.len, name.len), progress, well, out);
	}
	closedir(files);
	if (out->count == 1 && is_timed(progress))
		out->count = 0;
	else if (out->count > 1)
		qsort(out->items, out->count, sizeof *out->items, compare);
}

bool rank_times_has(const struct progress_cell *cell)
{
	return cell_state_is_timed(cell->state) && cell->state != CELL_RUNS;
}

struct rank_spread rank_times_spread(const rank_list *ranks, size_t index)
{
	struct rank_spread spread = {0};
	for (size_t i = 0; i < ranks->count; i++) {
		const struct progress_cell *cell = &ranks->items[i].cells[index];
		int64_t time = cell->end - cell->begin;
		spread.states[cell->state]++;
		if (!rank_times_has(cell))
			continue;
		if (spread.timed == 0 || time < spread.minimum)
			spread.minimum = time;
		if (spread.timed == 0 || time > spread.maximum) {
			spread.maximum = time;
			spread.slowest = ranks->items[i].name;
		}
		spread.timed++;
		spread.mean += ((double)time - spread.mean) / (double)spread.timed;
	}
	return spread;
}
