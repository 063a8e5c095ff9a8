/* Measurements beside each other: two groups of runs, or a series of runs with more and more ranks. */
#pragma once

#include "report/report_profile.h"

/* Runs of the same kind. */
struct profile_group {
	struct slice name;                   /* as the user named it */
	VECTOR(const struct profile *) runs; /* at least one */
};

/* Two to compare, or one whose runs are a series. */
struct profile_groups {
	struct profile_group items[2];
	size_t count;
};

/* Appends what GROUPS have.
 *
 * Of two, the cells, and the functions by the change of their own time, side by side: of each group the median. NOISE is
 * half of the distance from the shortest to the longest run, of both groups together; a change that is not larger is
 * called noise. It is not known where both have one run.
 *
 * Of one, a table of its runs by their number of ranks: speedup and efficiencies against the first one; and of each cell.
 * POP's computation scaling is the time outside of MPI of all ranks of the first run, divided by that of this one; the
 * global efficiency is that times the parallel efficiency (https://pop-coe.eu/node/69). */
void profile_groups_text(struct strbuf *out, const struct profile_groups *groups);
void profile_groups_json(struct strbuf *out, const struct profile_groups *groups);

/* The table of the runs of one group. */
void profile_series_csv(struct strbuf *out, const struct profile_groups *groups);

/* Draws the speedup of the runs of one group over their ranks. */
void profile_series_svg(struct strbuf *out, const struct profile_groups *groups);

/* Appends to OUT how each of CONDITIONS is met: "cell 9 > 1.2x; all > 2s", a cell, function or "all", and how many times, or
 * by how many seconds, B may be more than A. Returns how many are (noise never is one), or -1 with the wrong part in
 * *WRONG. */
int profile_compare_check(struct strbuf *out, const struct profile_groups *groups,
                          struct slice conditions, struct slice *wrong);
