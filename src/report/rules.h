/* The rules of the diagnosis; findings.def says what each looks for. */
#pragma once

#include "report/diagnosis.h"

/* What a rule looks at. */
struct subject {
	const struct profile *profile;
	const struct report *samples;    /* NULL: none */
	const struct profile_cell *cell; /* NULL: the whole run */
	const struct script_cell *lines; /* NULL: not sampled */
	const struct figures *figures;   /* of the samples; NULL: none */
	double seconds; /* of the cell or run, without those in which it waited for a processor */
	double run_seconds;            /* of the run, likewise */
	double cores;                  /* mean number of processors in use; NaN: not known */
	double cpus;                   /* that may be used; 1: not known */
	double kinds[TIME_KIND_COUNT]; /* seconds */
	double threads;                /* seconds of all threads besides the main ones */
	double events, message_calls;  /* of the cell; all locations */
	const struct measured_region *hottest; /* the function with most visits */
	double hottest_visits;
	double rank_messages; /* seconds of messages of the rank that waits the least */
	double useful;        /* seconds of functions in processes that others have started */
	size_t children;
};

/* True if the rule applies to S, the whole run or a cell as its row says, with its LIMIT; then F has the evidence, and what
 * could be saved. */
#define FINDING(id, name, function, threshold, of_run, line, certainty, explains, rule, advice)    \
	bool function(const struct subject *s, double limit, struct finding *f);
#include "report/findings.def"

static inline double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

enum line_kind { LINE_NONE, LINE_ANY, LINE_IMPORT, LINE_IDLE, LINE_PYTHON };

/* Names in FINDING the line of the cell with most time of KIND, as script_cells_place() writes it, if it has lines. Of what
 * is idle or in Python, not one that has less than a tenth: then others, or what no line has, are to blame. */
void name_line(const struct subject *s, enum line_kind kind, struct finding *finding);
