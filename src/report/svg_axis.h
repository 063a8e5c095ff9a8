/* Scales of the SVG of a report: round numbers, and the units that go with them. */
#ifndef NBSCOREP_REPORT_SVG_AXIS_H
#define NBSCOREP_REPORT_SVG_AXIS_H

/* The smallest of 1, 2 or 5 times a power of ten that is at most COUNT times in SPAN. SPAN is
 * positive. */
double svg_step(double span, unsigned count);

/* A unit, and how much of what is measured it is. */
struct svg_unit {
	const char *name;
	double size;
};

/* The largest unit of bytes in which HIGH is at least 1. */
struct svg_unit svg_byte_unit(double high);

/* The same of thousands of calls. */
struct svg_unit svg_call_unit(double high);

/* The unit of time for a run of SECONDS. */
struct svg_unit svg_time_unit(double seconds);

#endif
