/* Compiles several notebooks one after the other, and reports their diagnostics. */
#ifndef NBSCOREP_DRIVER_SESSION_H
#define NBSCOREP_DRIVER_SESSION_H

#include "diag/diag_report.h"
#include "driver/compile.h"
#include "settings/settings.h"

struct session_order {
	struct arena *arena;                /* lives as long as the session */
	const struct build_settings *given; /* on the command line */
	text_list notebooks;                /* paths; "-" is standard input */
	text_list found_in; /* for each the folder that was searched, or NULL; may be empty */
	text_list switches; /* of -W, which diags_switch() accepts */
	enum diag_report_format format;
	bool color;
	int report_fd; /* where diagnostics go */
};

/* What a caller does with a notebook that compiled without errors, under the SETTINGS in force. Errors go to
 * c->diags. */
typedef void session_action(struct compilation *c, const struct build_settings *settings,
                            void *data);

/* Compiles each notebook, hands it to ACTION with DATA, reports its diagnostics, and ends with a line of
 * counts. The memory of a notebook is released before the next one is read. Returns the exit status. */
int session_run(const struct session_order *order, session_action *action, void *data);

#endif
