/* Tables of the manual that are made from what the monitor samples and reports. */
#ifndef NBSCOREP_CLI_MAN_MONITOR_H
#define NBSCOREP_CLI_MAN_MONITOR_H

#include "cli/man_tables.h"

void man_table_metrics(struct strbuf *out); /* what is sampled */

void man_table_signatures(struct strbuf *out);

#endif
