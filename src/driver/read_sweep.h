/* The sweep of a notebook: what `sweep` of the configuration says, or the file of --sweep. */
#ifndef NBSCOREP_DRIVER_READ_SWEEP_H
#define NBSCOREP_DRIVER_READ_SWEEP_H

#include "driver/compile.h"
#include "settings/build_settings.h"

/* Makes c->sweep and c->swept, once c->config has what files say; without any sweep it has no sets.
 * Problems become diagnostics. Returns 0 or -1. */
int sweep_configure(struct compilation *c, const struct build_settings *settings);

/* Warns of values of c->parameters that no set takes. */
void sweep_check_parameters(struct compilation *c);

/* Refuses --sweep where none of the programs that are built takes parameters. Returns 0 or -1 with a
 * diagnostic. */
int sweep_check_programs(struct compilation *c, const struct build_settings *settings);

/* How many sets PROGRAM runs for; 0: it has no parameters, or there is no sweep. */
size_t sweep_sets_of(const struct compilation *c, const struct program *program);

#endif
