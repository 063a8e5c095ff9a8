#include "report/report_profile.h"

#include <math.h>
#include <stdlib.h>

#include "base/quote.h"
#include "report/report_json.h"

static uint64_t count_events(const struct measurement *m)
{
	uint64_t events = 0;
	for (size_t i = 0; i < m->locations.count; i++)
		events += m->locations.items[i].event_count;
	return events;
}

static void put_count(struct strbuf *out, size_t count, const char *one, const char *more)
{
	strbuf_printf(out, "%zu %s", count, count == 1 ? one : more);
}

void report_profile_text(struct strbuf *out, const struct profile *profile,
                         const finding_list *findings, struct slice directory, struct slice table)
{
	enum { FINDINGS_SHOWN = 5 };
	const struct measurement *m = profile->measurement;
	struct figure_table tables[PROFILE_TABLES];
	uint64_t events = count_events(m);
	profile_tables(profile, tables);
	if (table.len == 0) {
		terminal_text(out, directory);
		strbuf_printf(out, ": %.3f s, ", profile->seconds);
		put_count(out, m->processes.count, "process", "processes");
		strbuf_puts(out, ", ");
		put_count(out, m->locations.count, "thread", "threads");
		if (events > 0)
			strbuf_printf(out, "; a trace of %llu events\n",
			              (unsigned long long)events);
		else
			strbuf_printf(out, "; a profile of %zu call paths\n",
			              m->paths.count - PATH_COUNT);
		strbuf_addc(out, '\n');
		diagnosis_text(out, findings, FINDINGS_SHOWN);
	} else if (slice_eq(table, SLICE("findings"))) {
		diagnosis_text(out, findings, findings->count);
	}
	for (size_t i = 0; i < PROFILE_TABLES; i++) {
		bool is_named = slice_eq(table, slice_from(tables[i].key));
		bool is_shown = table.len > 0
		                        ? is_named
		                        : tables[i].rows != profile->calls.items &&
		                                  (tables[i].rows != profile->locations.items ||
		                                   m->locations.count > 1);
		if (is_shown && tables[i].row_count > 0) {
			strbuf_puts(out, table.len > 0 ? "" : "\n");
			figure_table_text(out, &tables[i]);
		}
	}
}

void report_profile_json(struct strbuf *out, const struct profile *profile,
                         const finding_list *findings, struct slice directory)
{
	const struct figure_table found = diagnosis_table(findings);
	struct json_writer json;
	struct figure_table tables[PROFILE_TABLES];
	const struct measurement *m = profile->measurement;
	profile_tables(profile, tables);
	json_writer_init(&json, out);
	json_put_source(&json, "{");
	json_member_number(&json, "nbscorep_report", REPORT_JSON_VERSION);
	json_put_source(&json, "'measurement': {");
	report_json_text(&json, "directory", directory);
	report_json_number(&json, "seconds", profile->seconds, 9);
	json_member_number(&json, "events", (long long)count_events(m));
	figure_table_json(&json, &found);
	for (size_t i = 0; i < PROFILE_TABLES; i++)
		figure_table_json(&json, &tables[i]);
	json_put_source(&json, "}}");
	strbuf_addc(out, '\n');
}

void report_profile_csv(struct strbuf *out, const struct profile *profile,
                        const finding_list *findings, struct slice table)
{
	const struct figure_table found = diagnosis_table(findings);
	struct figure_table tables[PROFILE_TABLES];
	profile_tables(profile, tables);
	if (slice_eq(table, SLICE("findings")))
		figure_table_csv(out, &found);
	for (size_t i = 0; i < PROFILE_TABLES; i++) {
		if (slice_eq(slice_from(tables[i].key), table.len == 0 ? SLICE("cells") : table))
			figure_table_csv(out, &tables[i]);
	}
}

/* ---- two measurements ---- */

/* A cell or a function: seconds in both, NaN where it did not run. */
struct compared {
	struct slice name;
	double a, b, change, ratio; /* seconds; b / a */
};

typedef VECTOR(struct compared) compared_list;

/* Adds SECONDS of NAME in the first measurement, or in the second one. */
static void compare_add(struct arena *arena, compared_list *list, struct slice name, double seconds,
                        bool is_second)
{
	size_t i = 0;
	while (i < list->count && !slice_eq(list->items[i].name, name))
		i++;
	if (i == list->count)
		vec_push(arena, list, (struct compared){name, NAN, NAN, NAN, NAN});
	double *value = is_second ? &list->items[i].b : &list->items[i].a;
	*value = measure_sum(*value, seconds);
}

static int compare_changes(const void *left, const void *right)
{
	double a = fabs(((const struct compared *)left)->change);
	double b = fabs(((const struct compared *)right)->change);
	return a > b ? -1 : a < b;
}

static void compare_profiles(const struct profile *a, const struct profile *b, compared_list *cells,
                             compared_list *functions)
{
	const struct profile *both[] = {a, b};
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < both[k]->cells.count; i++)
			compare_add(a->arena, cells, both[k]->cells.items[i].title,
			            both[k]->cells.items[i].seconds, k > 0);
		for (size_t i = 0; i < both[k]->functions.count; i++)
			compare_add(a->arena, functions, both[k]->functions.items[i].function,
			            both[k]->functions.items[i].exclusive, k > 0);
	}
	compare_add(a->arena, cells, SLICE("all"), a->seconds, false);
	compare_add(a->arena, cells, SLICE("all"), b->seconds, true);
	compared_list *lists[] = {cells, functions};
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < lists[k]->count; i++) {
			struct compared *row = &lists[k]->items[i];
			row->ratio = row->a > 0 ? row->b / row->a : NAN;
			row->change =
			        (isfinite(row->b) ? row->b : 0) - (isfinite(row->a) ? row->a : 0);
		}
	}
	if (functions->count > 0)
		qsort(functions->items, functions->count, sizeof *functions->items,
		      compare_changes);
}

static struct figure_table compared_table(const compared_list *list, const char *key,
                                          const char *title)
{
	static const struct figure_column columns[] = {
	        FIGURE(compared, a, "A", SECONDS),          FIGURE(compared, b, "B", SECONDS),
	        FIGURE(compared, change, "B - A", SECONDS), FIGURE(compared, ratio, "B / A", RATIO),
	        FIGURE(compared, name, "", TEXT),           {0},
	};
	return (struct figure_table){key,        title, columns, list->items, sizeof *list->items,
	                             list->count};
}

void report_profile_compare_text(struct strbuf *out, const struct profile *a,
                                 const struct profile *b, struct slice name_a, struct slice name_b)
{
	enum { FUNCTIONS_SHOWN = 10 };
	compared_list cells = {0}, functions = {0};
	compare_profiles(a, b, &cells, &functions);
	functions.count = functions.count < FUNCTIONS_SHOWN ? functions.count : FUNCTIONS_SHOWN;
	const struct figure_table tables[] = {
	        compared_table(&cells, "cells", "Cells"),
	        compared_table(&functions, "functions",
	                       "Functions, by the change of their own time")};
	strbuf_puts(out, "A: ");
	terminal_text(out, name_a);
	strbuf_puts(out, "\nB: ");
	terminal_text(out, name_b);
	strbuf_puts(out, "\n\n");
	figure_table_text(out, &tables[0]);
	strbuf_addc(out, '\n');
	figure_table_text(out, &tables[1]);
}

void report_profile_compare_json(struct strbuf *out, const struct profile *a,
                                 const struct profile *b, struct slice name_a, struct slice name_b)
{
	compared_list cells = {0}, functions = {0};
	struct json_writer json;
	compare_profiles(a, b, &cells, &functions);
	const struct figure_table tables[] = {compared_table(&cells, "cells", NULL),
	                                      compared_table(&functions, "functions", NULL)};
	json_writer_init(&json, out);
	json_put_source(&json, "{");
	json_member_number(&json, "nbscorep_report", REPORT_JSON_VERSION);
	json_put_source(&json, "'comparison': {");
	report_json_text(&json, "a", name_a);
	report_json_text(&json, "b", name_b);
	figure_table_json(&json, &tables[0]);
	figure_table_json(&json, &tables[1]);
	json_put_source(&json, "}}");
	strbuf_addc(out, '\n');
}
