/* The reports of the monitor's samples. */
#ifndef NBSCOREP_CLI_COMMAND_REPORT_SAMPLES_H
#define NBSCOREP_CLI_COMMAND_REPORT_SAMPLES_H

#include "cli/command_report.h"

/* Reports what the operands of R, which are files of samples or folders with some, have. Returns an exit status. */
int command_report_samples(struct request *r);

/* Makes a report of the samples of the run that DIRECTORY measured: of the second operand, or of those in it. *OUT is NULL
 * without any. Returns an exit status. */
int command_report_join(struct request *r, struct slice directory, const struct report **out);

#endif
