#include "report/report_profile.h"

#include <math.h>

#include "base/quote.h"
#include "report/report_json.h"

/* A column is described here once, for all forms. */
static const struct figure_column finding_columns[] = {
        FIGURE(finding, name, "finding", TEXT),
        FIGURE(finding, cell, "cell", TEXT),
        FIGURE(finding, place, "place", TEXT),
        FIGURE(finding, evidence, NULL, TEXT),
        FIGURE(finding, advice, NULL, TEXT),
        FIGURE(finding, certainty, "certainty", TEXT),
        FIGURE(finding, seconds, "could save", SECONDS),
        FIGURE(finding, gain, NULL, RATIO),
        {0},
};

static const struct figure_column cell_columns[] = {
        FIGURE(profile_cell, cell, NULL, TEXT),
        FIGURE(profile_cell, title, "cell", TEXT),
        FIGURE(profile_cell, visits, "visits", COUNT),
        FIGURE(profile_cell, seconds, "wall", SECONDS),
        FIGURE(profile_cell, seconds_min, "min", SECONDS),
        FIGURE(profile_cell, seconds_max, "max", SECONDS),
        FIGURE(profile_cell, threads, "threads", SECONDS),
        FIGURE(profile_cell, cpu, "CPU", PERCENT),
        FIGURE(profile_cell, peak, "peak", BYTES),
        FIGURE(profile_cell, read, "read", BYTES),
        FIGURE(profile_cell, written, "written", BYTES),
        FIGURE(profile_cell, events, NULL, COUNT),
        FIGURE(profile_cell, recording, "recording", PERCENT),
#define TIME_KIND(id, key, title, text)                                                            \
	FIGURE_AT(profile_cell, share[TIME_##id], key, title, PERCENT, NULL),
#include "report/time_kind.def"
        FIGURE(profile_cell, hottest, NULL, TEXT),
        FIGURE(profile_cell, hottest_share, NULL, PERCENT),
        FIGURE_AT(profile_cell, efficiency.parallel, "parallel_efficiency", "parallel eff.", RATIO,
                  NULL),
        FIGURE_AT(profile_cell, efficiency.load_balance, "load_balance", "load balance", RATIO,
                  NULL),
        FIGURE_AT(profile_cell, efficiency.communication, "communication_efficiency", "comm. eff.",
                  RATIO, NULL),
        {0},
};

static const struct figure_column efficiency_columns[] = {
        FIGURE(profile_efficiency, parallel, "parallel", RATIO),
        FIGURE(profile_efficiency, load_balance, "load balance", RATIO),
        FIGURE(profile_efficiency, communication, "communication", RATIO),
        {0},
};

static const struct figure_column function_columns[] = {
        FIGURE(profile_function, share, "share", PERCENT),
        FIGURE(profile_function, exclusive, "own", SECONDS),
        FIGURE(profile_function, inclusive, "with calls", SECONDS),
        FIGURE(profile_function, visits, "visits", COUNT),
        FIGURE(profile_function, per_visit, "own per visit", MICROSECONDS),
        FIGURE(profile_function, function, "function", TEXT),
        FIGURE(profile_function, file, NULL, TEXT),
        FIGURE(profile_function, line, NULL, COUNT),
        {0},
};

static const struct figure_column call_columns[] = {
        FIGURE(profile_call, path, NULL, COUNT),
        FIGURE(profile_call, parent, NULL, COUNT),
        FIGURE(profile_call, visits, "visits", COUNT),
        FIGURE(profile_call, inclusive, "with calls", SECONDS),
        FIGURE(profile_call, exclusive, "own", SECONDS),
        FIGURE(profile_call, call, NULL, TEXT),
        FIGURE(profile_call, tree, "call path", TEXT),
        {0},
};

static const struct figure_column location_columns[] = {
        FIGURE(profile_location, name, "process and thread", TEXT),
        FIGURE(profile_location, rank, "rank", COUNT),
        FIGURE(profile_location, thread, "thread", COUNT),
        FIGURE(profile_location, host, "host", TEXT),
        FIGURE(profile_location, events, "events", COUNT),
        FIGURE(profile_location, seconds, "wall", SECONDS),
        FIGURE(profile_location, outside_mpi, "outside MPI", SECONDS),
        FIGURE(profile_location, mpi, "MPI", SECONDS),
        {0},
};

static const struct figure_column message_columns[] = {
        FIGURE(profile_messages, cell, "cell", TEXT),
        FIGURE(profile_messages, from, "from rank", COUNT),
        FIGURE(profile_messages, to, "to rank", COUNT),
        FIGURE(profile_messages, count, "messages", COUNT),
        FIGURE(profile_messages, bytes, "sent", BYTES),
        FIGURE(profile_messages, mean, NULL, COUNT),
        {0},
};

size_t report_profile_tables(const struct profile_report *report,
                             struct figure_table tables[PROFILE_TABLES])
{
	const struct profile *profile = report->profile;
	bool is_down = slice_starts_with(report->sort, SLICE("-"));
	struct slice column = slice_tail(report->sort, is_down);
	size_t sorted = 0;
	const struct figure_table all[PROFILE_TABLES] = {
	        {"findings", "Findings", finding_columns, FIGURE_ROWS(report->findings)},
	        {"cells", "Cells", cell_columns, FIGURE_ROWS(profile->cells)},
	        {"efficiency", "Efficiencies", efficiency_columns, &profile->efficiency,
	         sizeof profile->efficiency, isfinite(profile->efficiency.parallel)},
	        {"functions", "Functions", function_columns, FIGURE_ROWS(profile->functions)},
	        {"calls", "Call paths", call_columns, FIGURE_ROWS(profile->calls)},
	        {"locations", "Processes and threads", location_columns,
	         FIGURE_ROWS(profile->locations)},
	        {"messages", "Messages", message_columns, FIGURE_ROWS(profile->messages)},
	};
	memcpy(tables, all, sizeof all);
	for (size_t i = PROFILE_CELLS; i < PROFILE_TABLES && column.len > 0; i++) {
		/* Findings have their order. The tree is one as long as it is not asked for by itself. */
		if (i != PROFILE_CALLS || report->table == 1 + PROFILE_CALLS)
			sorted += figure_table_sort(&tables[i], column, is_down, profile->arena);
	}
	return sorted;
}

/* "cell 9 takes 83 % of the run; 71 % of that is spent in MPI_Barrier": the cell with most time. */
static void put_headline(struct strbuf *out, const struct profile *profile)
{
	const struct profile_cell *longest = &profile->cells.items[0];
	vec_each(const struct profile_cell, cell, &profile->cells) {
		/* The last one is what lies outside of all. */
		if (cell->cell.len > 0 && cell->seconds > longest->seconds)
			longest = cell;
	}
	if (longest->seconds == 0) /* of a thread, all lies outside */
		longest = &profile->cells.items[profile->cells.count - 1];
	terminal_text(out, longest->title);
	strbuf_printf(out, " takes %.0f %% of the run",
	              profile->seconds > 0 ? longest->seconds / profile->seconds * 100 : 0);
	if (longest->hottest.len > 0) {
		strbuf_printf(out, "; %.0f %% of that is spent in ", longest->hottest_share);
		terminal_text(out,
		              longest->hottest_is_cell ? SLICE("its own lines") : longest->hottest);
	}
	strbuf_addc(out, '\n');
}

static void put_count(struct strbuf *out, size_t count, const char *one, const char *more)
{
	strbuf_printf(out, "%zu %s", count, count == 1 ? one : more);
}

void report_profile_text(struct strbuf *out, const struct profile_report *report)
{
	enum { FINDINGS_SHOWN = 5, FUNCTIONS_SHOWN = 10 };
	const struct profile *profile = report->profile;
	const finding_list *findings = &report->findings;
	const struct measurement *m = profile->measurement;
	struct figure_table tables[PROFILE_TABLES];
	uint64_t events = measurement_events(m);
	if (report->is_brief) {
		put_headline(out, profile);
		return;
	}
	report_profile_tables(report, tables);
	if (report->table == 0) {
		strbuf_puts(out, PROFILE_TEXT_MARKER);
		terminal_text(out, profile->directory);
		strbuf_printf(out, ": %.3f s, ", profile->seconds);
		put_count(out, m->processes.count, "process", "processes");
		strbuf_puts(out, ", ");
		put_count(out, m->locations.count, "thread", "threads");
		if (events > 0) {
			strbuf_printf(out, "; a trace of %llu events", (unsigned long long)events);
		} else {
			strbuf_puts(out, "; a profile of ");
			put_count(out, m->paths.count - PATH_COUNT, "call path", "call paths");
		}
		strbuf_addc(out, '\n');
		put_headline(out, profile);
		strbuf_addc(out, '\n');
		diagnosis_text(out, findings, FINDINGS_SHOWN);
	} else if (report->table == 1 + PROFILE_FINDINGS) {
		diagnosis_text(out, findings, findings->count);
	}
	size_t *functions = &tables[PROFILE_FUNCTIONS].row_count;
	if (profile->selection.top == 0 && *functions > FUNCTIONS_SHOWN)
		*functions = FUNCTIONS_SHOWN;
	for (int i = PROFILE_CELLS; i < PROFILE_TABLES; i++) { /* after the findings */
		bool is_own =
		        i == PROFILE_CALLS || (i == PROFILE_LOCATIONS && m->locations.count == 1);
		bool is_shown = report->table > 0 ? report->table == 1 + i : !is_own;
		if (is_shown && tables[i].row_count > 0) {
			strbuf_puts(out, report->table > 0 ? "" : "\n");
			figure_table_text(out, &tables[i]);
		}
	}
}

void report_profile_json(struct strbuf *out, const struct profile_report *report)
{
	const struct profile *profile = report->profile;
	struct figure_table tables[PROFILE_TABLES];
	const struct measurement *m = profile->measurement;
	report_profile_tables(report, tables);
	struct json_writer json = {.out = out};
	json_put(&json, "{'nbscorep_report': ?, 'measurement': {'directory': ?*, 'seconds': ?*",
	         J(REPORT_JSON_VERSION), J(profile->directory), json_decimal(profile->seconds, 9));
	json_put(&json, "'events': ?, 'total_memory_mb': ?", J(measurement_events(m)),
	         J((int64_t)profile_buffer_need(profile)));
	for (size_t i = 0; i < PROFILE_TABLES; i++)
		figure_table_json(&json, &tables[i]);
	json_put(&json, "}}");
	strbuf_addc(out, '\n');
}

void report_profile_csv(struct strbuf *out, const struct profile_report *report)
{
	struct figure_table tables[PROFILE_TABLES];
	report_profile_tables(report, tables);
	figure_table_csv(out, &tables[report->table == 0 ? PROFILE_CELLS : report->table - 1]);
}

/* ---- at the end of a run ---- */

static int compare_cells(const void *a, const void *b)
{
	const struct script_cell *left = a, *right = b;
	if (left->time.total != right->time.total)
		return left->time.total > right->time.total ? -1 : 1;
	return left->marker < right->marker ? -1 : left->marker > right->marker;
}

void report_slow_cells(struct strbuf *out, const struct measurement *measurement)
{
	enum { CELLS_SHOWN = 10, LINES_SHOWN = 3 };
	const uint64_t shortest = UINT64_C(250000000); /* nanoseconds */
	const struct profile_selection all = {.cells = REPORT_RANGE_ALL, .rank = -1, .thread = -1};
	struct arena *arena = out->arena;
	struct profile profile;
	struct table table = {.arena = arena, .columns = 3, .left = 1u << 1 | 1u << 2};
	VECTOR(struct script_cell) order = {0};
	(void)profile_make(&profile, arena, measurement, NULL, &all);
	const struct script_cells *script = &profile.lines;
	bool has_cells = script->list.count > 1;
	for (size_t i = 0; i < script->list.count && script->total >= shortest; i++) {
		const struct script_cell *cell = &script->list.items[i];
		if (cell->time.total > 0 && cell->time.total >= script->total / 100)
			vec_push(arena, &order, *cell);
	}
	vec_sort(&order, compare_cells);
	for (size_t i = 0; i < order.count && i < CELLS_SHOWN; i++) {
		const struct script_cell *cell = &order.items[i];
		table_text(&table, arena_printf(arena, "%.2f s", (double)cell->time.total / 1e9));
		table_text(&table, cell->name.len > 0 ? cell->name
		                   : has_cells        ? SLICE("outside of cells")
		                                      : SLICE("the script"));
		table_text(&table, SLICE(""));
		for (size_t k = 0; k < cell->lines.count && k < LINES_SHOWN; k++) {
			const struct cell_line *line = &cell->lines.items[k];
			if (line->time.total < cell->time.total / 100 ||
			    line->number > script->script.count)
				continue;
			struct slice name = script_cells_line(script, cell, line->number);
			table_text(&table,
			           arena_printf(arena, "%.2f s", (double)line->time.total / 1e9));
			table_text(&table, arena_printf(arena, "  %.*s", SLICE_ARG(name)));
			table_text(&table, script_cells_text(script, line->number));
		}
		vec_each(const struct profile_cell, row, &profile.cells) {
			bool is_same = cell->name.len > 0 ? slice_eq(row->title, cell->name)
			                                  : !has_cells && row->cell.len == 0;
			if (!is_same || !isfinite(row->hottest_share) || row->hottest_is_cell)
				continue;
			table_text(&table, arena_printf(arena, "%.0f %%", row->hottest_share));
			table_text(&table, SLICE("  function"));
			table_text(&table, row->hottest);
		}
	}
	table_put(&table, out, 2);
}
