/* `nbscorep run`: what its steps share. command_run.c reads the options and cleans up, run_build.c
 * builds what is to run, run_start.c starts it and reports how it ended. */
#ifndef NBSCOREP_RUN_RUN_H
#define NBSCOREP_RUN_RUN_H

#include "driver/choose_program.h"
#include "process/launch.h"
#include "run/plan.h"
#include "run/run_monitor.h"
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
	struct build_settings build; /* ranks and launcher: in force */
	struct run_settings settings;
	struct launch_guard guard;
	const char *scratch; /* the temporary folder, or NULL */
	int runtime;         /* descriptor of what surrounds the script, or -1 */
	struct run_plan plan;
	struct slice run_script; /* its path, absolute */
	bool has_steps;          /* modules, setup or teardown, which are the run script's */
	struct run_sweep sweep;
	size_t jobs; /* sets that run at a time */
	struct environment environment;
	const char *memory; /* SCOREP_TOTAL_MEMORY in it */
	struct run_report report;
	struct run_monitor monitor;
	const char *python; /* of the user's --python, independent of the current folder, or NULL */
	const char *configured_python; /* of the configuration, likewise */
	struct program_choice choice;
	struct slice start_folder; /* from where the script finds what its -f names, or empty */
	double timeout, kill_after;
	int signal;        /* one that asked for the end while the start was prepared, or 0 */
	bool opens_vampir; /* --vampir, or the notebook asks for it */
	bool guarded, built, asked; /* the files are there; the bindings were asked for */
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
