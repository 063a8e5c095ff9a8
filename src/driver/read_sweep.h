/* The sweep of a notebook: `sweep` of the configuration, or the file of --sweep. */
#pragma once

#include "driver/compile.h"
#include "settings/settings.h"

/* Makes c->sweep and c->options.swept, after c->config was filled from files. Without a sweep, c->sweep has no sets.
 * Problems become diagnostics. Returns 0 or -1. */
int sweep_configure(struct compilation *c);

/* Warns of values of c->options.parameters that no set takes. */
void sweep_check_parameters(struct compilation *c);

/* Refuses --sweep where none of the programs that are built takes parameters. Returns 0 or -1 with a
 * diagnostic. */
int sweep_check_programs(struct compilation *c);

/* The number of sets for PROGRAM; 0 if it has no parameters, or without a sweep. */
size_t sweep_sets_of(const struct compilation *c, const struct program *program);

/* The lock in the folder of a set's results, which all of the set's processes hold. */
#define SWEEP_LOCK "lock"
#define SWEEP_RESULTS "results.csv"

/* True if FOLDER has the results of other values than those of SET, their JSON. Without its parameters it is of a run
 * that did not get that far. */
bool sweep_is_another_set(struct arena *arena, struct slice folder, struct slice set);

/* A table of sets was written: moves the results of sets that it does not have under their number from the folder
 * RESULTS to RESULTS.1 or the like. Sets that run stay. What cannot be moved stays, with a message. */
void sweep_set_aside(const struct compilation *c, struct slice results);
