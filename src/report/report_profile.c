#include "report/report_profile.h"

#include "base/quote.h"
#include "report/profile_cost.h"
#include "report/report_json.h"

static uint64_t count_events(const struct measurement *m)
{
	uint64_t events = 0;
	for (size_t i = 0; i < m->locations.count; i++)
		events += m->locations.items[i].event_count;
	return events;
}

static bool has_key(const struct figure_table *table, const char *key)
{
	return slice_eq(slice_from(table->key), slice_from(key));
}

size_t report_profile_tables(const struct profile_report *report,
                             struct figure_table tables[PROFILE_TABLES])
{
	bool is_down = slice_starts_with(report->sort, SLICE("-"));
	struct slice column = slice_tail(report->sort, is_down);
	size_t sorted = 0;
	profile_tables(report->profile, tables);
	for (size_t i = 0; i < PROFILE_TABLES && column.len > 0; i++) {
		/* The tree is one as long as it is not asked for by itself. */
		if (!has_key(&tables[i], "calls") || slice_eq(report->table, SLICE("calls")))
			sorted += figure_table_sort(&tables[i], column, is_down,
			                            report->profile->arena);
	}
	return sorted;
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
	const struct slice table = report->table;
	const struct measurement *m = profile->measurement;
	struct figure_table tables[PROFILE_TABLES];
	uint64_t events = count_events(m);
	if (report->is_brief) {
		terminal_text(out, profile_headline(profile));
		strbuf_addc(out, '\n');
		return;
	}
	report_profile_tables(report, tables);
	if (table.len == 0) {
		strbuf_puts(out, PROFILE_TEXT_MARKER);
		terminal_text(out, report->directory);
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
		terminal_text(out, profile_headline(profile));
		strbuf_puts(out, "\n\n");
		diagnosis_text(out, findings, FINDINGS_SHOWN);
	} else if (slice_eq(table, SLICE("findings"))) {
		diagnosis_text(out, findings, findings->count);
	}
	for (size_t i = 0; i < PROFILE_TABLES; i++) {
		bool is_named = slice_eq(table, slice_from(tables[i].key));
		bool is_shown = table.len > 0 ? is_named
		                              : !has_key(&tables[i], "calls") &&
		                                        (!has_key(&tables[i], "locations") ||
		                                         m->locations.count > 1);
		if (has_key(&tables[i], "functions") && !profile->is_cut &&
		    tables[i].row_count > FUNCTIONS_SHOWN)
			tables[i].row_count = FUNCTIONS_SHOWN;
		if (is_shown && tables[i].row_count > 0) {
			strbuf_puts(out, table.len > 0 ? "" : "\n");
			figure_table_text(out, &tables[i]);
		}
	}
}

void report_profile_json(struct strbuf *out, const struct profile_report *report)
{
	const struct profile *profile = report->profile;
	const struct figure_table found = diagnosis_table(&report->findings);
	struct json_writer json;
	struct figure_table tables[PROFILE_TABLES];
	const struct measurement *m = profile->measurement;
	report_profile_tables(report, tables);
	json_writer_init(&json, out);
	json_put_source(&json, "{");
	json_member_number(&json, "nbscorep_report", REPORT_JSON_VERSION);
	json_put_source(&json, "'measurement': {");
	report_json_text(&json, "directory", report->directory);
	report_json_number(&json, "seconds", profile->seconds, 9);
	json_member_number(&json, "events", (long long)count_events(m));
	json_member_number(&json, "total_memory_mb", (long long)profile_buffer_need(profile));
	figure_table_json(&json, &found);
	for (size_t i = 0; i < PROFILE_TABLES; i++)
		figure_table_json(&json, &tables[i]);
	json_put_source(&json, "}}");
	strbuf_addc(out, '\n');
}

void report_profile_csv(struct strbuf *out, const struct profile_report *report)
{
	const struct figure_table found = diagnosis_table(&report->findings);
	const struct slice table = report->table.len == 0 ? SLICE("cells") : report->table;
	struct figure_table tables[PROFILE_TABLES];
	report_profile_tables(report, tables);
	if (slice_eq(table, SLICE("findings")))
		figure_table_csv(out, &found);
	for (size_t i = 0; i < PROFILE_TABLES; i++) {
		if (slice_eq(slice_from(tables[i].key), table))
			figure_table_csv(out, &tables[i]);
	}
}
