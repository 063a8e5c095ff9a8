/* On which call path a location was when. Where there are too many changes to keep, stretches of time become one: it
 * has the innermost call path on which, or below which, the location was for more than half of it. */
#pragma once

#include "trace/measurement.h"

struct stretch_time {
	uint64_t own, all;
};

/* What is in work while a timeline is made. Times are those of the caller, in any unit. */
struct timeline_maker {
	const struct measurement *measurement;
	struct measured_timeline *out;
	uint64_t since, stretch; /* when PATH was entered; where the stretch that is open begins */
	uint32_t path;
	/* By call path, of the stretch that is open: the time on it, and with what it calls. */
	VECTOR(struct stretch_time) spent;
	VECTOR(uint32_t) touched; /* the call paths with any */
};

/* Begins a timeline at BEGIN, on call path PATH. WIDTH is the length of a stretch; 0: all changes are kept. MAKER may have
 * made another one. */
void timeline_begin(struct timeline_maker *maker, const struct measurement *measurement,
                    struct measured_timeline *out, uint64_t width, uint64_t begin, uint32_t path);

/* From TIME on the location is on PATH. Times do not go back. */
void timeline_change(struct timeline_maker *maker, uint64_t time, uint32_t path);

/* Ends it at TIME: nothing follows the last change. */
void timeline_end(struct timeline_maker *maker, uint64_t time);

/* Adds timelines with less and less detail to those of LOCATION, which has one: each with an eighth of the changes, down
 * to about a thousand. */
void timeline_add_levels(struct timeline_maker *maker, const struct measurement *measurement,
                         struct measured_location *location);
