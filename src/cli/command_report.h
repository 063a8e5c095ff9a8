/* The command `report`: what its reports of measurements share with those of samples. */
#pragma once

#include "cli/cli.h"
#include "report/profile_compare.h"
#include "report/report_profile.h"
#include "report/report_read.h"
#include "trace/measurement_read.h"

/* A form of the option --format. A function is NULL where samples, two files of them, a measurement, two measurements or a
 * series of them have no such form. */
struct report_form {
	const char *name;
	struct slice ending; /* of files that are written in this form unless --format is given */
	struct slice marker, measured_marker; /* what a file of ours begins with */
	void (*one)(struct strbuf *out, const struct report *report);
	void (*compare)(struct strbuf *out, const struct report *a, const struct report *b);
	void (*measured)(struct strbuf *out, const struct profile_report *report);
	void (*measured_compare)(struct strbuf *out, const struct profile_groups *groups);
	void (*series)(struct strbuf *out, const struct profile_groups *groups);
	size_t changes; /* of timelines; 0: it takes none */
};

enum { RUNS = 2 };

/* What is asked for, and what was read. */
struct request {
	struct arena *arena;
	const struct options *options;
	const struct report_form *form;
	struct report_range range;
	unsigned first_index;
	unsigned level; /* of samples */
	unsigned plots;
	size_t count;
	struct report_files files[RUNS];
	struct report reports[RUNS]; /* two of them are compared */
	directory_list *measured;    /* by operand: experiment directories */
	bool is_series;              /* of measurements */
};

/* Writes TEXT to standard output, or to the file of --output. MARKER: what an earlier report of this form begins with;
 * empty: not known. Returns an exit status. */
int command_report_put(struct request *r, struct slice text, struct slice marker);

/* An option that was given and that only the report of one measurement has, or NULL. */
const char *command_report_extra(const struct options *options);

/* Makes a report of the samples of the run that DIRECTORY measured: of the second operand, or of those in it. *OUT is NULL
 * without any. Returns an exit status. */
int command_report_join(struct request *r, struct slice directory, const struct report **out);
