#include "report/slow_cells.h"

#include <stdlib.h>

#include "base/os.h"
#include "report/table.h"

enum { SHOWN = 3, CELLS_SHOWN = 10, TEXT_WIDTH = 48 };
#define SCRIPT_LIMIT ((size_t)64 << 20)
#define SHORTEST UINT64_C(250000000) /* nanoseconds */

/* A line of the script, or a function. */
struct slow_part {
	uint32_t number; /* of the line, or of the region */
	uint64_t time, visits;
};

typedef VECTOR(struct slow_part) part_list;

struct slow_cell {
	struct slow_part whole; /* its number is the line before its first one */
	struct slice name;      /* "cell 9", "other.ipynb cell 2"; empty: outside of all cells */
	part_list lines;
};

struct slow_cells {
	struct arena *arena;
	const struct measurement *measurement;
	VECTOR(struct slice) script; /* its lines */
	VECTOR(struct slow_cell) list;
	uint64_t total;
};

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

static void read_script(struct slow_cells *cells, struct slice path)
{
	struct strbuf text;
	struct slice line;
	strbuf_init(&text, cells->arena);
	if (os_read_file(arena_cstr(cells->arena, path), &text, SCRIPT_LIMIT) != 0)
		return;
	struct slice rest = strbuf_slice(&text);
	vec_push(cells->arena, &cells->list, (struct slow_cell){0});
	while (slice_next_line(&rest, &line)) {
		struct slow_cell *last = &cells->list.items[cells->list.count - 1];
		/* The line with a cell's frame is none of the notebook. */
		if (last->whole.number == cells->script.count &&
		    slice_starts_with(line, SLICE("with scorep")))
			last->whole.number++;
		vec_push(cells->arena, &cells->script, line);
		struct slow_cell cell = {.name = marker_name(line),
		                         .whole.number = (uint32_t)cells->script.count};
		if (cell.name.len > 0)
			vec_push(cells->arena, &cells->list, cell);
	}
}

/* The cell that has LINE of the script. */
static struct slow_cell *find_cell(struct slow_cells *cells, uint32_t line)
{
	size_t low = 0, high = cells->list.count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (cells->list.items[middle].whole.number < line)
			low = middle;
		else
			high = middle;
	}
	return &cells->list.items[low];
}

/* Of parts, or of cells, which begin with one. */
static int compare_parts(const void *a, const void *b)
{
	const struct slow_part *left = a, *right = b;
	if (left->time != right->time)
		return left->time > right->time ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* ---- functions ---- */

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

static void find_functions(struct slow_cells *cells, const struct slow_cell *cell, part_list *list)
{
	const struct measurement *m = cells->measurement;
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

static void add_cell(struct slow_cells *cells, struct table *table, struct slow_cell *cell)
{
	struct arena *arena = cells->arena;
	part_list functions = {0};
	bool has_cells = cells->list.count > 1;
	struct slice name = cell->name.len > 0 ? cell->name
	                    : has_cells        ? SLICE("outside of cells")
	                                       : SLICE("the script");
	add_row(table, cell->whole.time, name, SLICE(""));
	qsort(cell->lines.items, cell->lines.count, sizeof *cell->lines.items, compare_parts);
	for (size_t i = 0; i < cell->lines.count && i < SHOWN; i++) {
		const struct slow_part *line = &cell->lines.items[i];
		const struct slow_cell *home = find_cell(cells, line->number);
		struct slice where =
		        arena_printf(arena, "  line %u", line->number - home->whole.number);
		if (home->whole.number != cell->whole.number && home->name.len > 0)
			where = arena_printf(arena, "  %.*s, line %u", SLICE_ARG(home->name),
			                     line->number - home->whole.number);
		if (line->time >= cell->whole.time / 100 && line->number - 1 < cells->script.count)
			add_row(table, line->time, where,
			        slice_trim(cells->script.items[line->number - 1]));
	}
	find_functions(cells, cell, &functions);
	for (size_t i = 0; i < functions.count && i < SHOWN; i++) {
		const struct slow_part *function = &functions.items[i];
		const struct measured_region *region =
		        &cells->measurement->regions.items[function->number];
		if (function->time >= cell->whole.time / 100)
			add_row(table, function->time, SLICE("  function"),
			        arena_printf(arena, "%.*s:%.*s, %llu visit%s",
			                     SLICE_ARG(region->module), SLICE_ARG(region->name),
			                     (unsigned long long)function->visits,
			                     function->visits == 1 ? "" : "s"));
	}
}

void slow_cells_text(struct strbuf *out, const struct recording *recording)
{
	struct arena *arena = out->arena;
	struct slow_cells cells = {.arena = arena, .measurement = &recording->measurement};
	struct table table = {.arena = arena, .columns = 3, .left = 1u << 1 | 1u << 2};
	const struct recorded_process *process = &recording->processes.items[0];
	if (process->lines.count == 0)
		return;
	read_script(&cells, process->script);
	for (size_t i = 0; cells.list.count > 0 && i < process->lines.count; i++) {
		const struct recording_line *sample = &process->lines.items[i];
		struct slow_cell *cell = find_cell(&cells, sample->outer);
		size_t k = 0;
		cells.total += sample->nanoseconds;
		if (sample->outer == 0) /* Python's start and end, imports before the script */
			continue;
		cell->whole.time += sample->nanoseconds;
		while (k < cell->lines.count && cell->lines.items[k].number != sample->inner)
			k++;
		if (k == cell->lines.count)
			vec_push(arena, &cell->lines, (struct slow_part){sample->inner, 0, 0});
		cell->lines.items[k].time += sample->nanoseconds;
	}
	if (cells.total < SHORTEST)
		return;
	/* find_cell() needs the order of the script. */
	VECTOR(struct slow_cell) order = {0};
	for (size_t i = 0; i < cells.list.count; i++) {
		const struct slow_cell *cell = &cells.list.items[i];
		if (cell->whole.time > 0 && cell->whole.time >= cells.total / 100)
			vec_push(arena, &order, *cell);
	}
	if (order.count > 0)
		qsort(order.items, order.count, sizeof *order.items, compare_parts);
	for (size_t i = 0; i < order.count && i < CELLS_SHOWN; i++)
		add_cell(&cells, &table, &order.items[i]);
	table_put(&table, out, 2);
}
