/* Processor time that is reported late. Linux adds the time of children that have ended in ticks of up
 * to 10 ms each for user and system time, and counts the time of cores in such ticks. A reading that is
 * interrupted has values from before its end. So a sample can have less than was used before it, and
 * the next sample more than is possible in the interval. */
#ifndef NBSCOREP_TRACE_SERIES_LATE_H
#define NBSCOREP_TRACE_SERIES_LATE_H

#include "sample/series.h"

/* Raises the processor times of GROUP's samples by the excess of the samples after each over what the processors
 * can do in the interval; at most by what can be late. Sums over longer times stay the same. SERIES has all groups. */
void series_settle(const struct series *series, struct series_group *group);

#endif
