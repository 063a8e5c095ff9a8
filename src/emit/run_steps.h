/* Emits the steps of a run script before and after the program, from the configuration: modules,
 * setup, teardown (templates/modules.sh, setup.sh, teardown.sh, leave.sh). */
#ifndef NBSCOREP_EMIT_RUN_STEPS_H
#define NBSCOREP_EMIT_RUN_STEPS_H

#include <stdbool.h>

#include "base/slice.h"

struct arena;
struct config;
struct run_script_parts;

/* Texts for templates/run.sh, empty if the configuration does not require them. */
struct run_steps {
	struct slice modules;
	struct slice setup; /* and the functions for the steps after the program */
	struct slice exec;  /* the words that start the program */
	bool waits;         /* waits for the program's end: templates/wait.sh */
};

/* Sets *OUT. LAUNCHES: the run script can start ranks. A set of a sweep also records its
 * outcome. */
void run_steps_make(struct arena *arena, const struct run_script_parts *parts, bool launches,
                    struct run_steps *out);

/* True if an item of `modules` contains a command of `module`. Other items are modules to load. */
bool run_steps_is_module_command(struct slice item);

/* True if there are modules, setup or teardown. */
bool run_steps_are_wanted(const struct config *config);

/* True if modules or setup may change the search paths of programs and libraries. */
bool run_steps_change_paths(const struct config *config);

#endif
