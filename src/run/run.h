/* `nbscorep run`: builds a notebook, starts the run script and reports how it ended. A sweep is in run_sweep.c. */
#pragma once

#include "process/environment.h"
#include "process/launch.h"
#include "run/monitor.h"
#include "run/run_report.h"
#include "run/run_sweep.h"
#include "settings/settings.h"

/* One run. It outlives the notebook's memory. */
struct run {
	struct arena *arena;
	struct build_settings
	        build; /* with a path of --python that is independent of the current folder */
	struct run_settings settings;
	struct launch_guard guard;
	const char *scratch;         /* the temporary folder, or NULL */
	struct slice run_script;     /* its path, absolute; empty: it is not to be started */
	struct slice stem;           /* the same without _run.sh */
	struct slice started_build;  /* its id and the script's name: NBSCOREP_BUILD (launch.py) */
	set_texts sets;              /* of a sweep; empty without one */
	struct slice results, shown; /* the folder of theirs: absolute, as the user finds it */
	struct run_report report;
	struct monitor monitor;
	struct slice unclear; /* why no program of the notebook was chosen; empty: one was */
	bool opens_vampir;    /* --vampir, or the notebook asks for it */
	bool monitors;        /* this process samples the program */
	bool guarded;         /* signals are held */
};

/* Initialises RUN; the settings stay the caller's. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int run_init(struct run *run, struct arena *arena, const struct build_settings *build,
             const struct run_settings *settings);

/* Builds the notebook of OPTIONS, from which RUN was initialised, and runs it. Afterwards the temporary folder is removed and signals act as
 * before, even if memory has run out. Returns the status to exit with. */
int run_notebook(struct run *run, const struct options *options);

/* Sets the variables of the run script for options of `run` and `submit` that concern one run. */
void run_settings_environment(const struct run_settings *settings,
                              const struct build_settings *build, struct environment *out);

/* The order that starts the run script with the user's arguments in ENVIRONMENT; nothing watches it. */
struct launch_order run_script_order(struct run *run, struct environment *environment);

/* The environment of the run script: the caller's, changed as the options of `run` require. */
void run_script_environment(struct run *run, struct environment *out);
