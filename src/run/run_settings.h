/* The settings of `nbscorep run` and `submit` besides those of the build. */
#ifndef NBSCOREP_RUN_RUN_SETTINGS_H
#define NBSCOREP_RUN_RUN_SETTINGS_H

#include "settings/setting.h"

/* Fields that were not given are zero. */
struct run_settings {
	const char *program; /* of a notebook with several */
	const char *only;    /* the sets of a sweep to run */
	size_t jobs;         /* sets that run at a time */
	bool if_available, vampir, summary;
	struct optional_text monitor;  /* an interval; NULL: 1 second */
	struct optional_text executed; /* the path of the executed notebook; NULL: the default */
	struct optional_text html;     /* that of its page, likewise */
	size_t output_limit;           /* bytes of a cell's output that it keeps */
	struct optional_seconds cell_timeout;
	bool allow_errors;
	const char *folder; /* where the script runs */
	const char *cell_times;
	struct optional_seconds timeout, kill_after;
	text_list arguments; /* of the script */
};

struct submit_settings {
	text_list after; /* ids of jobs */
	bool wait, parsable;
};

#endif
