/* The reports of experiment directories. */
#pragma once

#include "cli/command_report.h"

/* Finds the measurements of all operands of R, and converts what was recorded only. A folder with samples means these; a
 * measurement's file becomes the operand of its folder. Returns an exit status. */
int command_report_find(struct request *r);

/* Reports one measurement, with the samples of its run; or two, or groups of them, beside each other; or all as a series.
 * Returns an exit status. */
int command_report_measured(struct request *r);
