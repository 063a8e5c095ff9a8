/* The forms of a report of a measurement. */
#pragma once

#include "report/diagnosis.h"

/* What the text begins with, but that of one table. */
#define PROFILE_TEXT_MARKER "nbscorep report of "

/* What is shown. */
struct profile_report {
	const struct profile *profile;
	finding_list findings;
	int table;     /* 1 + the one to show; 0: all but the call paths */
	bool is_brief; /* the text is one line: where the time went */
	struct slice
	        sort; /* the column by which rows are sorted; "-share": downwards; empty: as they are */
};

/* In the order of --table in settings.def. */
enum {
	PROFILE_FINDINGS,
	PROFILE_CELLS,
	PROFILE_EFFICIENCY,
	PROFILE_FUNCTIONS,
	PROFILE_CALLS,
	PROFILE_LOCATIONS,
	PROFILE_MESSAGES,
	PROFILE_TABLES
};

/* The tables of REPORT; all but the findings sorted. Returns how many have the column. */
size_t report_profile_tables(const struct profile_report *report,
                             struct figure_table tables[PROFILE_TABLES]);

/* Appends what was measured, the findings, and the tables. */
void report_profile_text(struct strbuf *out, const struct profile_report *report);

void report_profile_json(struct strbuf *out, const struct profile_report *report);

/* Appends one table, that of the cells unless there is another one to show. */
void report_profile_csv(struct strbuf *out, const struct profile_report *report);

/* Appends what the end of a run shows: the cells by their time, the slowest first, below each its three slowest lines and
 * the function with most time. Times of cells and lines come from samples, a hundred a second; cells of less than a
 * hundredth of the time are left out, and so are all in a run of less than a quarter of a second. A script without cells
 * counts as one. */
void report_slow_cells(struct strbuf *out, const struct measurement *measurement);
