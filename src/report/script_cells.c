#include "report/script_cells.h"

#include <stdlib.h>

#include "base/os.h"
#include "report/table.h"

enum { SHOWN = 3, CELLS_SHOWN = 10, TEXT_WIDTH = 48 };
#define SCRIPT_LIMIT ((size_t)64 << 20)
#define SHORTEST UINT64_C(250000000) /* nanoseconds */

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

static void read_script(struct script_cells *cells, struct slice path)
{
	struct strbuf text;
	struct slice line;
	strbuf_init(&text, cells->arena);
	if (os_read_file(arena_cstr(cells->arena, path), &text, SCRIPT_LIMIT) != 0)
		return;
	struct slice rest = strbuf_slice(&text);
	vec_push(cells->arena, &cells->list, (struct script_cell){0});
	while (slice_next_line(&rest, &line)) {
		struct script_cell *last = &cells->list.items[cells->list.count - 1];
		/* The line with a cell's frame is none of the notebook. */
		if (last->before == cells->script.count &&
		    slice_starts_with(line, SLICE("with scorep")))
			last->before++;
		vec_push(cells->arena, &cells->script, line);
		uint32_t number = (uint32_t)cells->script.count;
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
		if (sample->inner <= cell->before && sample->inner >= cell->marker) /* its frame */
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

/* "line 3", or "cell 2, line 3" */
static struct slice line_name(const struct script_cells *cells, const struct script_cell *cell,
                              uint32_t line)
{
	const struct script_cell *home = cell_of_line(cells, line);
	unsigned number = line - home->before;
	return home->before == cell->before || home->name.len == 0
	               ? arena_printf(cells->arena, "line %u", number)
	               : arena_printf(cells->arena, "%.*s, line %u", SLICE_ARG(home->name), number);
}

static struct slice line_text(const struct script_cells *cells, uint32_t line)
{
	return line == 0 || line > cells->script.count ? slice_make("", 0)
	                                               : slice_trim(cells->script.items[line - 1]);
}

bool script_cells_is_import(const struct script_cells *cells, uint32_t line)
{
	struct slice text = line_text(cells, line);
	return slice_starts_with(text, SLICE("import ")) ||
	       (slice_starts_with(text, SLICE("from ")) &&
	        slice_find_slice(text, SLICE(" import "), 0) < text.len);
}

struct slice script_cells_place(const struct script_cells *cells, const struct script_cell *cell,
                                uint32_t line)
{
	struct slice name = line_name(cells, cell, line), text = line_text(cells, line);
	return arena_printf(cells->arena, "%.*s: %.*s%s", SLICE_ARG(name),
	                    (int)(text.len < TEXT_WIDTH ? text.len : TEXT_WIDTH), text.ptr,
	                    text.len > TEXT_WIDTH ? "..." : "");
}

/* ---- functions ---- */

/* A function, by the number of its region. */
struct slow_part {
	uint32_t number;
	uint64_t time, visits;
};

typedef VECTOR(struct slow_part) part_list;

static int compare_parts(const void *a, const void *b)
{
	const struct slow_part *left = a, *right = b;
	if (left->time != right->time)
		return left->time > right->time ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Time on PATH itself, of all locations. */
static struct slow_part own_time(const struct measurement *m, uint32_t path)
{
	struct slow_part own = {m->paths.items[path].region, 0, 0};
	for (size_t i = 0; i < m->locations.count; i++) {
		own.time += measurement_own_time(m, &m->locations.items[i], path);
		own.visits += measurement_time(&m->locations.items[i], path).visits;
	}
	return own;
}

/* Adds the functions below PATH to SUMS, one for each region. */
static void add_functions(const struct measurement *m, uint32_t top, struct slow_part *sums)
{
	for (uint32_t path = measurement_next_path(m, top, top); path != 0;
	     path = measurement_next_path(m, top, path)) {
		struct slow_part own = own_time(m, path);
		if (path >= PATH_COUNT) {
			sums[own.number].time += own.time;
			sums[own.number].visits += own.visits;
		}
	}
}

static void find_functions(const struct measurement *m, const struct script_cells *cells,
                           const struct script_cell *cell, part_list *list)
{
	struct slow_part *sums = arena_calloc(cells->arena, m->regions.count + 1, sizeof *sums);
	if (cell->name.len == 0 && cells->list.count == 1)
		add_functions(m, PATH_PROGRAM, sums);
	for (uint32_t path = PATH_COUNT; cell->name.len > 0 && path < m->paths.count; path++) {
		const struct measured_region *region =
		        &m->regions.items[m->paths.items[path].region];
		if (region->kind == REGION_CELL && slice_eq(region->name, cell->name))
			add_functions(m, path, sums);
	}
	for (uint32_t i = 0; i < m->regions.count; i++) {
		sums[i].number = i;
		if (sums[i].time > 0)
			vec_push(cells->arena, list, sums[i]);
	}
	if (list->count > 0)
		qsort(list->items, list->count, sizeof *list->items, compare_parts);
}

/* ---- the table ---- */

static void add_row(struct table *table, uint64_t time, struct slice what, struct slice text)
{
	if (text.len > TEXT_WIDTH)
		text = arena_printf(table->arena, "%.*s...", TEXT_WIDTH, text.ptr);
	table_text(table, arena_printf(table->arena, "%.2f s", (double)time / 1e9));
	table_text(table, what);
	table_text(table, text);
}

static void add_cell(const struct measurement *m, const struct script_cells *cells,
                     struct table *table, const struct script_cell *cell)
{
	struct arena *arena = cells->arena;
	part_list functions = {0};
	bool has_cells = cells->list.count > 1;
	struct slice name = cell->name.len > 0 ? cell->name
	                    : has_cells        ? SLICE("outside of cells")
	                                       : SLICE("the script");
	add_row(table, cell->time.total, name, SLICE(""));
	for (size_t i = 0; i < cell->lines.count && i < SHOWN; i++) {
		const struct cell_line *line = &cell->lines.items[i];
		if (line->time.total >= cell->time.total / 100 &&
		    line->number - 1 < cells->script.count)
			add_row(table, line->time.total,
			        arena_printf(arena, "  %.*s",
			                     SLICE_ARG(line_name(cells, cell, line->number))),
			        line_text(cells, line->number));
	}
	find_functions(m, cells, cell, &functions);
	for (size_t i = 0; i < functions.count && i < SHOWN; i++) {
		const struct slow_part *function = &functions.items[i];
		struct slice text =
		        measurement_region_text(arena, &m->regions.items[function->number]);
		if (function->time >= cell->time.total / 100)
			add_row(table, function->time, SLICE("  function"),
			        arena_printf(arena, "%.*s, %llu visit%s", SLICE_ARG(text),
			                     (unsigned long long)function->visits,
			                     function->visits == 1 ? "" : "s"));
	}
}

static int compare_cells(const void *a, const void *b)
{
	const struct script_cell *left = a, *right = b;
	if (left->time.total != right->time.total)
		return left->time.total > right->time.total ? -1 : 1;
	return left->marker < right->marker ? -1 : left->marker > right->marker;
}

void slow_cells_text(struct strbuf *out, const struct measurement *measurement)
{
	struct arena *arena = out->arena;
	struct script_cells cells;
	struct table table = {.arena = arena, .columns = 3, .left = 1u << 1 | 1u << 2};
	VECTOR(struct script_cell) order = {0};
	script_cells_make(&cells, arena, measurement);
	if (cells.total < SHORTEST)
		return;
	for (size_t i = 0; i < cells.list.count; i++) {
		const struct script_cell *cell = &cells.list.items[i];
		if (cell->time.total > 0 && cell->time.total >= cells.total / 100)
			vec_push(arena, &order, *cell);
	}
	if (order.count > 0)
		qsort(order.items, order.count, sizeof *order.items, compare_cells);
	for (size_t i = 0; i < order.count && i < CELLS_SHOWN; i++)
		add_cell(measurement, &cells, &table, &order.items[i]);
	table_put(&table, out, 2);
}
