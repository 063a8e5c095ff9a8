/* `nbscorep run`: what its steps share. command_run.c reads the options and cleans up, run.c builds what is to
 * run, run_start.c starts it and reports how it ended. */
#ifndef NBSCOREP_RUN_RUN_H
#define NBSCOREP_RUN_RUN_H

#include "process/environment.h"
#include "process/launch.h"
#include "run/monitor.h"
#include "run/run_report.h"
#include "run/run_settings.h"
#include "run/sweep_sets.h"
#include "settings/build_settings.h"

/* What is known of a sweep. */
struct run_sweep {
	set_texts texts; /* empty without a sweep */
	struct slice results,
	        shown; /* the folder of their folders: absolute, and as the user finds it */
};

struct session_order;

/* One run. It outlives the notebook's memory. */
struct run {
	struct arena *arena;
	struct build_settings build;
	struct run_settings settings;
	struct launch_guard guard;
	const char *scratch;        /* the temporary folder, or NULL */
	struct slice run_script;    /* its path, absolute */
	struct slice started_build; /* its id and the script's name: NBSCOREP_BUILD (launch.py) */
	struct run_sweep sweep;
	size_t jobs; /* sets that run at a time */
	struct run_report report;
	struct run_monitor monitor;
	const char *python; /* of the user's --python, independent of the current folder, or NULL */
	struct slice unclear; /* why no program of the notebook was chosen; empty: one was */
	double timeout, kill_after;
	bool opens_vampir;   /* --vampir, or the notebook asks for it */
	bool guarded, built; /* signals are held; the files are there */
};

static inline struct arena *run_arena(struct run *run)
{
	return run->arena;
}

/* Initialises RUN; the settings stay the caller's. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int run_init(struct run *run, struct arena *arena, const struct build_settings *build,
             const struct run_settings *settings);

/* Builds the notebook of ORDER and runs it. Afterwards the temporary folder is removed and signals act as
 * before, even if memory has run out. Returns the status to exit with. */
int run_notebook(struct run *run, const struct session_order *order);

#endif
