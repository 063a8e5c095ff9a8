/* Which cells of a script took the time, in which lines and functions. */
#ifndef NBSCOREP_REPORT_SLOW_CELLS_H
#define NBSCOREP_REPORT_SLOW_CELLS_H

#include "base/strbuf.h"
#include "trace/recording_read.h"

/* Adds a table for people: the cells of the first process's script by their time, the slowest first, and below each
 * its three slowest lines and its three slowest functions. Times of cells and lines come from samples, a hundred a
 * second; cells of less than a hundredth of the time are left out, and so are all in a run of less than a
 * quarter of a second. Those of functions come from the profile or the trace, without the functions that they call.
 * A script without cells counts as one. */
void slow_cells_text(struct strbuf *out, const struct recording *recording);

#endif
