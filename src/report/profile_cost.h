/* What a measurement itself costs, and what makes it cheaper. */
#ifndef NBSCOREP_REPORT_PROFILE_COST_H
#define NBSCOREP_REPORT_PROFILE_COST_H

#include "report/profile.h"

/* Megabytes for SCOREP_TOTAL_MEMORY with which no trace buffer becomes full: 24 bytes a visit, as scorep-score counts, of
 * the process with the most of them, a fifth more, and what Score-P needs besides: 4 MB, and 2.5 MB for each
 * further thread (fitted to its estimates for runs with one and four threads). */
double profile_buffer_need(const struct profile *profile);

/* What the filter file begins with. */
#define PROFILE_FILTER_MARKER "# Suggested by nbscorep"

/* Appends a filter file of Score-P for functions that cost more to record than they are worth: they have a hundredth of all
 * events or more, at least 1000 visits, and take less than 10 us of their own a visit, with what recording takes. Returns how many, and the
 * share of the events that they have in *SHARE. */
size_t profile_suggest_filter(struct strbuf *out, const struct profile *profile, double *share);

#endif
