#include "report/script_cells.h"

#include <stdlib.h>

#include "base/os.h"

enum { TEXT_WIDTH = 48 };
#define SCRIPT_LIMIT ((size_t)64 << 20)

/* ---- cells and lines ---- */

/* The name of the cell whose text begins after LINE, or an empty slice. */
static struct slice marker_name(struct slice line)
{
	struct slice mark = SLICE("# %% ");
	if (!slice_starts_with(line, mark))
		return slice_make("", 0);
	struct slice name = slice_trim_end(slice_sub(line, mark.len, line.len));
	size_t at = name.len;
	while (at > 0 && ascii_is_digit(name.ptr[at - 1]))
		at--;
	return at < name.len && slice_ends_with(slice_sub(name, 0, at), SLICE("cell "))
	               ? name
	               : slice_make("", 0);
}

/* Notes the lines of a cell's frame (emit/script.c), which are none of the notebook. LINE comes after PREVIOUS and has
 * NUMBER. */
static void note_frame(struct script_cell *cell, struct slice previous, struct slice line,
                       uint32_t number)
{
	struct slice function = SLICE("async def _cell_");
	bool is_with = slice_starts_with(line, SLICE("with scorep"));
	if (cell->before + 1 == number && (is_with || slice_starts_with(line, function) ||
	                                   (slice_starts_with(previous, function) &&
	                                    slice_starts_with(slice_trim(line), SLICE("global ")))))
		cell->before++;
	else if (!ascii_is_blank(slice_at(line, 0)) &&
	         slice_find_slice(line, SLICE("scorep_notebook.run_async(_cell_"), 0) < line.len)
		cell->call = number;
}

static void read_script(struct script_cells *cells, struct slice path)
{
	struct strbuf text;
	struct slice line, previous = {0};
	strbuf_init(&text, cells->arena);
	if (os_read_file(arena_cstr(cells->arena, path), &text, SCRIPT_LIMIT) != 0)
		return;
	struct slice rest = strbuf_slice(&text);
	vec_push(cells->arena, &cells->list, (struct script_cell){0});
	while (slice_next_line(&rest, &line)) {
		vec_push(cells->arena, &cells->script, line);
		uint32_t number = (uint32_t)cells->script.count;
		note_frame(&cells->list.items[cells->list.count - 1], previous, line, number);
		previous = line;
		const struct script_cell cell = {
		        .name = marker_name(line), .marker = number, .before = number};
		if (cell.name.len > 0)
			vec_push(cells->arena, &cells->list, cell);
	}
}

/* The cell that has LINE of the script. */
static struct script_cell *cell_of_line(const struct script_cells *cells, uint32_t line)
{
	size_t low = 0, high = cells->list.count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (cells->list.items[middle].marker < line)
			low = middle;
		else
			high = middle;
	}
	return &cells->list.items[low];
}

static void add_line_time(struct line_time *sum, const struct line_time *time)
{
	sum->total += time->total;
	sum->cpu += time->cpu;
	sum->native += time->native;
	sum->delay += time->delay;
	sum->lock += time->lock;
}

static int compare_lines(const void *a, const void *b)
{
	const struct cell_line *left = a, *right = b;
	if (left->time.total != right->time.total)
		return left->time.total > right->time.total ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

void script_cells_make(struct script_cells *out, struct arena *arena,
                       const struct measurement *measurement)
{
	*out = (struct script_cells){.arena = arena};
	if (measurement->lines.count > 0)
		read_script(out, measurement->script);
	for (size_t i = 0; out->list.count > 0 && i < measurement->lines.count; i++) {
		const struct recording_line *sample = &measurement->lines.items[i];
		struct script_cell *cell = cell_of_line(out, sample->outer);
		size_t k = 0;
		out->total += sample->time.total;
		if (sample->outer == 0) /* Python's start and end, imports before the script */
			continue;
		add_line_time(&cell->time, &sample->time);
		if ((sample->inner <= cell->before && sample->inner >= cell->marker) ||
		    sample->inner == cell->call) /* its frame */
			continue;
		while (k < cell->lines.count && cell->lines.items[k].number != sample->inner)
			k++;
		if (k == cell->lines.count)
			vec_push(arena, &cell->lines, (struct cell_line){sample->inner, {0}});
		add_line_time(&cell->lines.items[k].time, &sample->time);
	}
	for (size_t i = 0; i < out->list.count; i++) {
		struct script_cell *cell = &out->list.items[i];
		if (cell->lines.count > 0)
			qsort(cell->lines.items, cell->lines.count, sizeof *cell->lines.items,
			      compare_lines);
	}
}

const struct script_cell *script_cells_find(const struct script_cells *cells, struct slice name)
{
	for (size_t i = 1; i < cells->list.count; i++) {
		if (slice_eq(cells->list.items[i].name, name))
			return &cells->list.items[i];
	}
	return NULL;
}

static struct slice script_line(const struct script_cells *cells, uint32_t line)
{
	return line == 0 || line > cells->script.count ? slice_make("", 0)
	                                               : slice_trim(cells->script.items[line - 1]);
}

struct slice script_cells_line(const struct script_cells *cells, const struct script_cell *cell,
                               uint32_t line)
{
	const struct script_cell *home = cell_of_line(cells, line);
	unsigned number = line - home->before;
	return home->before == cell->before || home->name.len == 0
	               ? arena_printf(cells->arena, "line %u", number)
	               : arena_printf(cells->arena, "%.*s, line %u", SLICE_ARG(home->name), number);
}

struct slice script_cells_text(const struct script_cells *cells, uint32_t line)
{
	struct slice text = script_line(cells, line);
	return text.len <= TEXT_WIDTH ? text
	                              : arena_printf(cells->arena, "%.*s...", TEXT_WIDTH, text.ptr);
}

bool script_cells_is_import(const struct script_cells *cells, uint32_t line)
{
	struct slice text = script_line(cells, line);
	return slice_starts_with(text, SLICE("import ")) ||
	       (slice_starts_with(text, SLICE("from ")) &&
	        slice_find_slice(text, SLICE(" import "), 0) < text.len);
}

struct slice script_cells_place(const struct script_cells *cells, const struct script_cell *cell,
                                uint32_t line)
{
	struct slice name = script_cells_line(cells, cell, line);
	struct slice text = script_cells_text(cells, line);
	return arena_printf(cells->arena, "%.*s: %.*s", SLICE_ARG(name), SLICE_ARG(text));
}
