/* What a run script does before and behind the program, from the configuration: modules, setup,
 * teardown (templates/modules.sh, setup.sh, teardown.sh, leave.sh). */
#ifndef NBSCOREP_EMIT_RUN_STEPS_H
#define NBSCOREP_EMIT_RUN_STEPS_H

#include <stdbool.h>

#include "base/slice.h"

struct arena;
struct config;

/* Texts for templates/run.sh; empty where nothing is wanted. */
struct run_steps {
	struct slice modules;
	struct slice setup; /* and the functions for what comes last */
	struct slice exec;  /* the words that start the program */
};

/* LAUNCHES: the run script can start ranks. */
void run_steps_make(struct arena *arena, const struct config *config, bool launches,
                    struct run_steps *out);

bool run_steps_have_teardown(const struct config *config);

/* Do they change what programs and libraries are found? */
bool run_steps_change_paths(const struct config *config);

#endif
