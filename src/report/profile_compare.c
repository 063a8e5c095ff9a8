#include "report/profile_compare.h"

#include <math.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "report/report_json.h"
#include "report/report_svg.h"

enum { GROUPS = 2, TABLES = 2 };

/* ---- two groups ---- */

/* A cell or a function: seconds of both groups, NaN where it did not run. */
struct compared {
	struct slice name, verdict;
	double a, b, change, ratio, noise; /* b / a */
	VECTOR(double) seconds[GROUPS];    /* of the runs that have it */
	const struct profile *last;        /* the run that was added last */
};

typedef VECTOR(struct compared) compared_list;

enum { CELLS, FUNCTIONS, LISTS };

/* Functions of one run may have the same name. */
static void compare_add(compared_list *list, const struct profile *run, size_t group,
                        struct slice name, double seconds)
{
	size_t i = 0;
	while (i < list->count && !slice_eq(list->items[i].name, name))
		i++;
	if (i == list->count)
		vec_push(run->arena, list, (struct compared){.name = name});
	struct compared *row = &list->items[i];
	if (row->last == run)
		row->seconds[group].items[row->seconds[group].count - 1] += seconds;
	else
		vec_push(run->arena, &row->seconds[group], seconds);
	row->last = run;
}

/* The median, and half of the distance between the outermost ones, which with a single one is NaN. */
static double median_of(double *seconds, size_t count, double *spread)
{
	*spread = NAN;
	if (count == 0)
		return NAN;
	qsort(seconds, count, sizeof *seconds, measure_compare);
	if (count > 1)
		*spread = (seconds[count - 1] - seconds[0]) / 2;
	return (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
}

static int compare_changes(const void *left, const void *right)
{
	double a = fabs(((const struct compared *)left)->change);
	double b = fabs(((const struct compared *)right)->change);
	return a > b ? -1 : a < b;
}

static void compare_groups(const struct profile_group groups[GROUPS], compared_list lists[LISTS])
{
	compared_list whole = {0}; /* the last row of the cells */
	for (size_t k = 0; k < GROUPS; k++) {
		for (size_t j = 0; j < groups[k].runs.count; j++) {
			const struct profile *run = groups[k].runs.items[j];
			compare_add(&whole, run, k, SLICE("all"), run->seconds);
			for (size_t i = 0; i < run->cells.count; i++)
				compare_add(&lists[CELLS], run, k, run->cells.items[i].title,
				            run->cells.items[i].seconds);
			for (size_t i = 0; i < run->functions.count; i++)
				compare_add(&lists[FUNCTIONS], run, k,
				            run->functions.items[i].function,
				            run->functions.items[i].exclusive);
		}
	}
	vec_each(const struct compared, row, &whole)
		vec_push(row->last->arena, &lists[CELLS], *row);
	for (size_t k = 0; k < LISTS; k++) {
		vec_each(struct compared, row, &lists[k]) {
			double spread_a, spread_b;
			row->a = median_of(row->seconds[0].items, row->seconds[0].count, &spread_a);
			row->b = median_of(row->seconds[1].items, row->seconds[1].count, &spread_b);
			row->noise = measure_sum(spread_a, spread_b);
			row->ratio = row->a > 0 ? row->b / row->a : NAN;
			row->change =
			        (isfinite(row->b) ? row->b : 0) - (isfinite(row->a) ? row->a : 0);
			if (isfinite(row->noise) && fabs(row->change) <= row->noise)
				row->verdict = SLICE("noise");
		}
	}
	vec_sort(&lists[FUNCTIONS], compare_changes);
}

/* ---- conditions ---- */

/* Reads "cell 9 > 1.2x" or "all > 2s". */
static bool read_condition(struct arena *arena, struct slice text, struct slice *name,
                           double *limit, bool *is_factor)
{
	size_t at = text.len;
	while (at > 0 && text.ptr[at - 1] != '>')
		at--;
	if (at == 0)
		return false;
	struct slice number = slice_trim(slice_tail(text, at));
	*name = slice_trim(slice_sub(text, 0, at - 1));
	if (name->len == 0 || number.len < 2 || !ascii_is_digit(number.ptr[0]))
		return false;
	char unit = number.ptr[number.len - 1], *end;
	*limit = strtod(arena_cstr(arena, slice_sub(number, 0, number.len - 1)), &end);
	*is_factor = unit == 'x';
	return *end == '\0' && isfinite(*limit) && (unit == 'x' || unit == 's');
}

int profile_compare_check(struct strbuf *out, const struct profile_groups *groups,
                          struct slice conditions, struct slice *wrong)
{
	compared_list lists[LISTS] = {0};
	struct slice part, name;
	double limit;
	bool is_factor;
	int met = 0;
	compare_groups(groups->items, lists);
	while (slice_next_part(&conditions, ';', &part)) {
		const struct compared *row = NULL;
		*wrong = slice_trim(part);
		if (!read_condition(out->arena, part, &name, &limit, &is_factor))
			return -1;
		for (size_t k = 0; k < LISTS && row == NULL; k++) {
			for (size_t i = 0; i < lists[k].count && row == NULL; i++) {
				if (slice_eq(lists[k].items[i].name, name))
					row = &lists[k].items[i];
			}
		}
		if (row == NULL)
			return -1;
		double value = is_factor ? row->ratio : row->change;
		bool is_new = is_factor && isfinite(row->b) && !isfinite(row->ratio);
		if (!is_new && !(value > limit))
			continue;
		bool is_noise = row->verdict.len > 0;
		met += !is_noise;
		terminal_text(out, name);
		if (is_new) {
			strbuf_printf(out, " takes %.3f s, and A has none of it\n", row->b);
			continue;
		}
		strbuf_printf(out, is_factor ? " takes %.2f times as long" : " takes %.3f s longer",
		              value);
		strbuf_printf(out, is_factor ? ", more than %g times" : ", more than %g s", limit);
		strbuf_puts(out, is_noise ? ", but that is noise\n" : "\n");
	}
	return met;
}

/* ---- a series ---- */

/* A run, or a cell of one. */
struct scaled {
	struct slice cell, directory; /* CELL is empty: the run */
	double ranks, seconds, speedup, strong, computation, global;
	struct profile_efficiency efficiency;
	double useful; /* seconds outside of MPI, of all ranks */
};

typedef VECTOR(struct scaled) scaled_list;

/* Puts ROW after those of the same cell, the first of which is what it is compared with. */
static void add_scaled(struct arena *arena, scaled_list *list, struct scaled row)
{
	const struct scaled *first = NULL;
	size_t at = list->count;
	for (size_t i = 0; i < list->count; i++) {
		if (!slice_eq(list->items[i].cell, row.cell))
			continue;
		first = first == NULL ? &list->items[i] : first;
		at = i + 1;
	}
	if (first == NULL)
		first = &row;
	row.speedup = row.seconds > 0 ? first->seconds / row.seconds : NAN;
	row.strong = row.speedup * first->ranks / row.ranks;
	row.computation = row.useful > 0 ? first->useful / row.useful : NAN;
	row.global = row.efficiency.parallel * row.computation;
	vec_push(arena, list, row);
	memmove(&list->items[at + 1], &list->items[at], (list->count - 1 - at) * sizeof row);
	list->items[at] = row;
}

/* By the number of ranks, then by name. */
static int compare_runs(const void *a, const void *b)
{
	const struct profile *left = *(const struct profile *const *)a;
	const struct profile *right = *(const struct profile *const *)b;
	if (left->ranks != right->ranks)
		return left->ranks < right->ranks ? -1 : 1;
	return slice_compare(left->directory, right->directory);
}

static void scale_runs(const struct profile_group *group, scaled_list *runs, scaled_list *cells)
{
	size_t count = group->runs.count;
	struct arena *arena = group->runs.items[0]->arena;
	const struct profile **sorted = arena_calloc(arena, count, sizeof(struct profile *));
	memcpy(sorted, group->runs.items, count * sizeof(struct profile *));
	qsort(sorted, count, sizeof(struct profile *), compare_runs);
	for (size_t i = 0; i < count; i++) {
		const struct profile *run = sorted[i];
		struct scaled row = {.directory = run->directory,
		                     .ranks = (double)run->ranks,
		                     .seconds = run->seconds,
		                     .efficiency = run->efficiency};
		vec_each(const struct profile_location, location, &run->locations) {
			size_t process = (size_t)location->rank;
			if (location->thread == 0 &&
			    !run->measurement->processes.items[process].is_child)
				row.useful += isfinite(location->outside_mpi)
				                      ? location->outside_mpi
				                      : location->seconds;
		}
		add_scaled(arena, runs, row);
		vec_each(const struct profile_cell, cell, &run->cells) {
			row.cell = cell->title;
			row.seconds = fmax(cell->seconds, cell->seconds_max);
			row.efficiency = cell->efficiency;
			/* All ranks were in it for the mean of their times. */
			row.useful = cell->seconds * row.ranks;
			for (enum time_kind kind = TIME_COLLECTIVE; kind <= TIME_MPI; kind++)
				row.useful -= profile_cell_time(cell, kind) * row.ranks;
			add_scaled(arena, cells, row);
		}
	}
}

/* ---- forms of both ---- */

static void make_tables(const struct profile_groups *groups, struct figure_table tables[TABLES])
{
	static const struct figure_column compared_columns[] = {
	        FIGURE(compared, a, "A", SECONDS),
	        FIGURE(compared, b, "B", SECONDS),
	        FIGURE(compared, change, "B - A", SECONDS),
	        FIGURE(compared, ratio, "B / A", RATIO),
	        FIGURE(compared, noise, "noise", SECONDS),
	        FIGURE(compared, verdict, "change", TEXT),
	        FIGURE(compared, name, "", TEXT),
	        {0},
	};
	static const struct figure_column scaled_columns[] = {
	        FIGURE(scaled, cell, "cell", TEXT),
	        FIGURE(scaled, ranks, "ranks", COUNT),
	        FIGURE(scaled, seconds, "wall", SECONDS),
	        FIGURE(scaled, speedup, "speedup", RATIO),
	        FIGURE(scaled, strong, "strong eff.", RATIO),
	        FIGURE_AT(scaled, speedup, "weak", "weak eff.", RATIO, NULL),
	        FIGURE(scaled, global, "global eff.", RATIO),
	        FIGURE_AT(scaled, efficiency.parallel, "parallel", "parallel eff.", RATIO, NULL),
	        FIGURE_AT(scaled, efficiency.load_balance, "load_balance", "load balance", RATIO,
	                  NULL),
	        FIGURE_AT(scaled, efficiency.communication, "communication", "comm. eff.", RATIO,
	                  NULL),
	        FIGURE(scaled, computation, "comp. scaling", RATIO),
	        FIGURE(scaled, directory, "measurement", TEXT),
	        {0},
	};
	if (groups->count == 1) {
		scaled_list runs = {0}, cells = {0};
		scale_runs(&groups->items[0], &runs, &cells);
		tables[0] =
		        (struct figure_table){"runs", "Runs", scaled_columns, FIGURE_ROWS(runs)};
		tables[1] =
		        (struct figure_table){"cells", "Cells", scaled_columns, FIGURE_ROWS(cells)};
		return;
	}
	compared_list lists[LISTS] = {0};
	compare_groups(groups->items, lists);
	tables[0] = (struct figure_table){"cells", "Cells", compared_columns,
	                                  FIGURE_ROWS(lists[CELLS])};
	tables[1] = (struct figure_table){"functions", "Functions, by the change of their own time",
	                                  compared_columns, FIGURE_ROWS(lists[FUNCTIONS])};
}

void profile_groups_text(struct strbuf *out, const struct profile_groups *groups)
{
	enum { FUNCTIONS_SHOWN = 10 };
	struct figure_table tables[TABLES];
	make_tables(groups, tables);
	size_t runs = groups->items[0].runs.count;
	bool is_series = groups->count == 1;
	if (is_series)
		strbuf_printf(out, PROFILE_TEXT_MARKER "%zu measurement%s\n", runs,
		              runs == 1 ? "" : "s");
	else
		strbuf_puts(out, PROFILE_TEXT_MARKER "two measurements\n");
	for (size_t k = 0; k < groups->count && !is_series; k++) {
		strbuf_printf(out, "%c: ", "AB"[k]);
		terminal_text(out, groups->items[k].name);
		if (groups->items[k].runs.count > 1)
			strbuf_printf(out, " (the median of %zu runs)",
			              groups->items[k].runs.count);
		strbuf_addc(out, '\n');
	}
	if (!is_series && tables[1].row_count > FUNCTIONS_SHOWN)
		tables[1].row_count = FUNCTIONS_SHOWN;
	for (size_t i = 0; i < TABLES; i++) {
		strbuf_addc(out, '\n');
		figure_table_text(out, &tables[i]);
	}
}

void profile_groups_json(struct strbuf *out, const struct profile_groups *groups)
{
	struct figure_table tables[TABLES];
	make_tables(groups, tables);
	struct json_writer json = {.out = out};
	json_put(&json, "{'nbscorep_report': ?, 'measurements': [", J(REPORT_JSON_VERSION));
	for (size_t k = 0; k < groups->count; k++) {
		json_put(&json, "{'directory': ?*, 'runs': [", J(groups->items[k].name));
		for (size_t j = 0; j < groups->items[k].runs.count; j++)
			json_put(&json, "?", J(groups->items[k].runs.items[j]->directory));
		json_put(&json, "]}");
	}
	json_put(&json, "], ?: {", J(groups->count == 1 ? "series" : "comparison"));
	for (size_t i = 0; i < TABLES; i++)
		figure_table_json(&json, &tables[i]);
	json_put(&json, "}}");
	strbuf_addc(out, '\n');
}

void profile_series_csv(struct strbuf *out, const struct profile_groups *groups)
{
	struct figure_table tables[TABLES];
	make_tables(groups, tables);
	figure_table_csv(out, &tables[0]);
}

/* A mark of an axis every so many ranks or times: about five of them. */
static double mark_step(double highest)
{
	double step = 1;
	while (highest / step > 6)
		step *= 2;
	return step;
}

void profile_series_svg(struct strbuf *out, const struct profile_groups *groups)
{
	enum { LEFT = 60, RIGHT = 620, TOP = 20, BOTTOM = 360, WIDTH = 640, HEIGHT = 410 };
	scaled_list runs = {0}, cells = {0};
	scale_runs(&groups->items[0], &runs, &cells);
	double ranks = runs.items[runs.count - 1].ranks, first = runs.items[0].ranks;
	double highest = ranks / first;
	for (size_t i = 0; i < runs.count; i++)
		highest = fmax(highest, runs.items[i].speedup);
#define X(value) (LEFT + (RIGHT - LEFT) * (value) / ranks)
#define Y(value) (BOTTOM - (BOTTOM - TOP) * (value) / highest)
	strbuf_printf(
	        out,
	        REPORT_SVG_MARKER
	        " viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"
	        "<title>Speedup over ranks</title>\n<rect width=\"%d\" height=\"%d\" "
	        "fill=\"white\"/>\n<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n",
	        WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT);
	const double steps[] = {mark_step(ranks), mark_step(highest)};
	for (unsigned i = 0; i * steps[0] <= ranks; i++)
		strbuf_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
		              X(i * steps[0]), BOTTOM + 18, i * steps[0]);
	for (unsigned i = 0; i * steps[1] <= highest; i++)
		strbuf_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n",
		              LEFT - 8, Y(i * steps[1]) + 4, i * steps[1]);
	strbuf_printf(
	        out,
	        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">ranks</text>\n"
	        "<text x=\"16\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\">"
	        "speedup (dashed: ideal)</text>\n"
	        "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"gray\" stroke-dasharray=\"6 4\"/>\n"
	        "<path fill=\"none\" stroke=\"black\" stroke-width=\"2\" d=\"",
	        (LEFT + RIGHT) / 2, BOTTOM + 40, (TOP + BOTTOM) / 2, (TOP + BOTTOM) / 2, X(first),
	        Y(1), X(ranks), Y(ranks / first));
	for (size_t i = 0; i < runs.count; i++)
		strbuf_printf(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', X(runs.items[i].ranks),
		              Y(runs.items[i].speedup));
	strbuf_puts(out, "\"/>\n");
	for (size_t i = 0; i < runs.count; i++)
		strbuf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
		              X(runs.items[i].ranks), Y(runs.items[i].speedup));
#undef X
#undef Y
	strbuf_puts(out, "</svg>\n");
}
