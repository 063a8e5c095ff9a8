/* A run over several notebooks: their diagnostics, and the exit status of it all. */
#ifndef NBSCOREP_CLI_SESSION_H
#define NBSCOREP_CLI_SESSION_H

#include "cli/cli.h"
#include "cli/compile.h"
#include "diag/diag_report.h"

/* What a command does with a notebook that compiled without errors. Errors go to c->diags. */
typedef void session_action(struct compilation *c, const struct options *options, void *data);

/* Compiles each operand, hands it to ACTION with DATA, reports its diagnostics, and ends with a count line.
 * REPORT_FD is where JSON and SARIF go; text goes to standard error. Each notebook's memory is
 * released before the next one. Returns the exit status. */
int session_run(struct invocation *invocation, int report_fd, session_action *action, void *data);

#endif
