#include "report/script_cells.h"

#include "base/os.h"
#include "trace/measurement_read.h"

enum { TEXT_WIDTH = 48 };

/* ---- cells and lines ---- */

/* Reads "# %% cell 9", "# %% other.ipynb cell 2", "# %% cell 9 line 3" or "# %% file.py line 1" (emit/script.c). Returns
 * false if LINE, which has NUMBER, is none of them. */
static bool read_marker(struct slice line, uint32_t number, struct script_part *part)
{
	struct slice title = SLICE("cell "), first = SLICE(" line "), name = slice_trim(line);
	if (!slice_cut_prefix(&name, SLICE("# %% ")))
		return false;
	size_t at = name.len;
	uint64_t value;
	while (at > 0 && ascii_is_digit(name.ptr[at - 1]))
		at--;
	if (!slice_read_number(slice_sub(name, at, name.len), UINT32_MAX, &value))
		return false;
	*part = (struct script_part){.marker = number, .name = name, .before = number};
	part->is_cell = slice_ends_with(slice_sub(name, 0, at), title);
	if (part->is_cell)
		return true;
	part->name = slice_sub(name, 0, at < first.len ? 0 : at - first.len);
	part->before = (int64_t)number + 1 - (int64_t)value;
	return slice_ends_with(slice_sub(name, 0, at), first);
}

static void read_script(struct script_cells *cells, struct slice path)
{
	const struct slice function = SLICE("async def _cell_");
	struct slice line, previous = {0};
	const char *name = arena_cstr(cells->arena, path);
	bool has_included = false;
	struct strbuf text = {.arena = cells->arena};
	if (!os_is_file(name) || os_read_file(name, &text, SCRIPT_LIMIT) != 0)
		return;
	struct slice rest = strbuf_slice(&text);
	vec_push(cells->arena, &cells->list, (struct script_cell){0});
	vec_push(cells->arena, &cells->parts, (struct script_part){0});
	while (slice_next_line(&rest, &line)) {
		struct script_part part;
		vec_push(cells->arena, &cells->script, line);
		uint32_t number = (uint32_t)cells->script.count;
		/* The lines of a part's frame (emit/script.c) are none of the notebook. */
		struct script_part *open = &cells->parts.items[cells->parts.count - 1];
		struct slice code = slice_trim(line);
		if (open->before + 1 == number && (slice_starts_with(code, SLICE("with scorep")) ||
		                                   slice_starts_with(code, function) ||
		                                   (slice_starts_with(previous, function) &&
		                                    slice_starts_with(code, SLICE("global ")))))
			open->before++;
		else if (slice_find_slice(code, SLICE("scorep_notebook.run_async(_cell_"), 0) <
		         code.len)
			open->call = number;
		previous = code;
		has_included |= slice_find_slice(line, SLICE("  # included below: "), 0) < line.len;
		/* The markers of what a cell includes are indented, as its text is, which may have such comments. */
		bool is_outermost = !ascii_is_blank(slice_at(line, 0));
		if (!(is_outermost || has_included) || !read_marker(line, number, &part))
			continue;
		if (part.is_cell && is_outermost) {
			const struct script_cell cell = {.name = part.name, .marker = number};
			vec_push(cells->arena, &cells->list, cell);
			has_included = false;
		}
		part.cell = cells->list.count - 1;
		vec_push(cells->arena, &cells->parts, part);
	}
}

/* The part that has LINE of the script. */
static const struct script_part *part_of_line(const struct script_cells *cells, uint32_t line)
{
	size_t low = 0, high = cells->parts.count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (cells->parts.items[middle].marker < line)
			low = middle;
		else
			high = middle;
	}
	return &cells->parts.items[low];
}

static void add_line_time(struct line_time *sum, const struct line_time *time)
{
	sum->total += time->total;
	sum->cpu += time->cpu;
	sum->native += time->native;
	sum->delay += time->delay;
	sum->lock += time->lock;
}

static int compare_line_numbers(const void *a, const void *b)
{
	const struct cell_line *left = a, *right = b;
	return left->number < right->number ? -1 : left->number > right->number;
}

static int compare_line_times(const void *a, const void *b)
{
	const struct cell_line *left = a, *right = b;
	if (left->time.total != right->time.total)
		return left->time.total > right->time.total ? -1 : 1;
	return compare_line_numbers(a, b);
}

/* Makes the lines of CELL with one number one line, and sorts them by time. */
static void merge_lines(struct script_cell *cell)
{
	struct cell_line *last = NULL;
	size_t count = 0;
	vec_sort(&cell->lines, compare_line_numbers);
	for (size_t i = 0; i < cell->lines.count; i++) {
		const struct cell_line line = cell->lines.items[i];
		if (last != NULL && last->number == line.number) {
			add_line_time(&last->time, &line.time);
		} else {
			last = &cell->lines.items[count++];
			*last = line;
		}
	}
	cell->lines.count = count;
	vec_sort(&cell->lines, compare_line_times);
}

void script_cells_make(struct script_cells *out, struct arena *arena,
                       const struct measurement *measurement, const struct name_set *measured)
{
	*out = (struct script_cells){.arena = arena};
	if (measurement->lines.count > 0)
		read_script(out, measurement->script);
	for (size_t i = 0; out->list.count > 0 && i < measurement->lines.count; i++) {
		const struct recording_line *sample = &measurement->lines.items[i];
		struct script_cell *cell = &out->list.items[part_of_line(out, sample->outer)->cell];
		out->total += sample->time.total;
		if (sample->outer == 0) {
			add_line_time(&out->outside.time, &sample->time);
			continue;
		}
		add_line_time(&cell->time, &sample->time);
		const struct script_part *part = part_of_line(out, sample->inner);
		if (sample->inner <= part->before || sample->inner == part->call) /* its frame */
			continue;
		vec_push(arena, &cell->lines, (struct cell_line){sample->inner, sample->time});
	}
	vec_each(struct script_cell, cell, &out->list) {
		merge_lines(cell);
		if (name_set_has(measured, cell->name))
			continue;
		add_line_time(&out->outside.time, &cell->time);
		for (size_t k = 0; k < cell->lines.count; k++)
			vec_push(arena, &out->outside.lines, cell->lines.items[k]);
	}
	merge_lines(&out->outside);
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
	const struct script_part *part = part_of_line(cells, line);
	long long number = (long long)(line - part->before);
	return part->name.len == 0 || slice_eq(part->name, cell->name)
	               ? arena_printf(cells->arena, "line %lld", number)
	               : arena_printf(cells->arena, "%.*s, line %lld", SLICE_ARG(part->name),
	                              number);
}

struct slice script_cells_text(const struct script_cells *cells, uint32_t line)
{
	struct slice text = script_line(cells, line), echo = SLICE("scorep_notebook.echo(");
	size_t at = slice_find_slice(text, echo, 0);
	if (at < text.len && slice_ends_with(text, SLICE(")"))) /* of a value that is shown */
		text = arena_printf(cells->arena, "%.*s%.*s", (int)at, text.ptr,
		                    SLICE_ARG(slice_sub(text, at + echo.len, text.len - 1)));
	return text.len <= TEXT_WIDTH ? text
	                              : arena_printf(cells->arena, "%.*s...", TEXT_WIDTH, text.ptr);
}

bool script_cells_is_import(const struct script_cells *cells, uint32_t line)
{
	struct slice statement, text = script_line(cells, line);
	bool is_import = false;
	while (slice_next_part(&text, ';', &statement)) {
		statement = slice_trim(statement);
		is_import = slice_starts_with(statement, SLICE("import ")) ||
		            (slice_starts_with(statement, SLICE("from ")) &&
		             slice_find_slice(statement, SLICE(" import "), 0) < statement.len);
		if (!is_import)
			return false;
	}
	return is_import;
}

struct slice script_cells_place(const struct script_cells *cells, const struct script_cell *cell,
                                uint32_t line)
{
	struct slice name = script_cells_line(cells, cell, line);
	struct slice text = script_cells_text(cells, line);
	return arena_printf(cells->arena, "%.*s: %.*s", SLICE_ARG(name), SLICE_ARG(text));
}
