/* What a run script does before and behind the program, from the configuration: modules, setup,
 * teardown (templates/modules.sh, setup.sh, teardown.sh, leave.sh). */
#ifndef NBSCOREP_EMIT_RUN_STEPS_H
#define NBSCOREP_EMIT_RUN_STEPS_H

#include <stdbool.h>

#include "base/slice.h"

struct arena;
struct config;
struct run_script_parts;

/* Texts for templates/run.sh; empty where nothing is wanted. */
struct run_steps {
	struct slice modules;
	struct slice setup; /* and the functions for what comes last */
	struct slice exec;  /* the words that start the program */
	bool waits;         /* for the program's end: templates/wait.sh */
};

/* LAUNCHES: the run script can start ranks. The sets of a sweep note what became of them, too. */
void run_steps_make(struct arena *arena, const struct run_script_parts *parts, bool launches,
                    struct run_steps *out);

/* True if an item of `modules` holds the words of a command of `module`; any other is a module to load. */
bool run_steps_is_module_command(struct slice item);

/* True if there are modules, setup or teardown. */
bool run_steps_are_wanted(const struct config *config);

/* Do they change what programs and libraries are found? */
bool run_steps_change_paths(const struct config *config);

#endif
