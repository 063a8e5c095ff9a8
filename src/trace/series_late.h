/* Processor time that is told late. Linux hands on the time of children that have ended in ticks of
 * up to 10 ms each for user and system time, counts the time of cores in such ticks, and a reading that
 * is interrupted has values from before its end. A sample may therefore have less than was used by
 * then, and the next one more than there can be in between. */
#ifndef NBSCOREP_TRACE_SERIES_LATE_H
#define NBSCOREP_TRACE_SERIES_LATE_H

#include "sample/series.h"

/* True if GROUP has processor times. */
bool series_is_late(const struct series_group *group);

/* Raises the processor times of the samples from FROM to in front of TO of GROUP by what the samples
 * behind each, up to the last one, have beyond all that the processors can do in between; by no more
 * than can be late. What is used in longer times stays the same. SERIES has all groups. */
void series_settle(const struct series *series, struct series_group *group, size_t from, size_t to);

#endif
