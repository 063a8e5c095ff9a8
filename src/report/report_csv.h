/* Prints samples as CSV, in JUmPER's columns. */
#ifndef NBSCOREP_REPORT_REPORT_CSV_H
#define NBSCOREP_REPORT_REPORT_CSV_H

#include "report/report_formats.h"

/* Puts a line for each sample. Reads files of which not all samples were kept again, a part at a time.
 * Returns 0, or -1 with errno: WRITE has failed, or UNREAD is set. */
int report_csv(struct report_lines *lines, const struct report *report);

#endif
