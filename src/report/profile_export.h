/* Writes a measurement for other programs that show call paths. */
#pragma once

#include "report/report_profile.h"

/* What files begin with. */
#define PROFILE_SPEEDSCOPE_MARKER "{\"exporter\": \"nbscorep\","
#define PROFILE_CHROME_MARKER "{\"otherData\": {\"exporter\": \"nbscorep\"},"

/* So many changes of timelines are written at most; beyond them stretches of time become one (trace/timeline.h). */
enum { PROFILE_EXPORT_CHANGES = 4000000 };

/* A line for each call path: the names on it, and its own time in microseconds, as flamegraph.pl and others read it. */
void report_profile_folded(struct strbuf *out, const struct profile_report *report);

/* The file format of speedscope (https://www.speedscope.app/file-format-schema.json): events of a trace, or stacks with
 * their own times. */
void report_profile_speedscope(struct strbuf *out, const struct profile_report *report);

/* Trace events of Chromium and Perfetto: begins and ends in microseconds, a process for each process, a thread for
 * each thread. Without a trace there are none. */
void report_profile_chrome(struct strbuf *out, const struct profile_report *report);

/* What the filter file begins with. */
#define PROFILE_FILTER_MARKER "# Suggested by nbscorep"

/* Appends a filter file of Score-P for functions that cost more to record than they are worth: they have a hundredth of all
 * events or more, at least 1000 visits, and take less than 10 us of their own a visit, with what recording takes. Returns how many, and the
 * share of the events that they have in *SHARE. */
size_t profile_suggest_filter(struct strbuf *out, const struct profile *profile, double *share);
