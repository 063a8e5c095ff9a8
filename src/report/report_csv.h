/* Prints samples as CSV, in JUmPER's columns. */
#ifndef NBSCOREP_REPORT_REPORT_CSV_H
#define NBSCOREP_REPORT_REPORT_CSV_H

#include "report/report.h"

/* What the titles begin with. */
#define REPORT_CSV_MARKER "time,memory,io_read_count,"

/* Lines that are too many to be held. */
struct report_lines {
	struct strbuf out;
	/* Takes TEXT, the next ones. Returns 0, or -1 with errno, which ends the report. NULL: all
	 * stay in OUT. */
	int (*write)(void *data, struct slice text);
	void *data;
	/* The file of samples that report_csv() could not read, or NULL. */
	const char *unread;
};

/* Puts a line for each sample. Reads files of which not all samples were kept again, a part at a time.
 * Returns 0, or -1 with errno: WRITE has failed, or UNREAD is set. */
int report_csv(struct report_lines *lines, const struct report *report);

#endif
