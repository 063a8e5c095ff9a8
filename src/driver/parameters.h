/* Values of parameters that a build is given. */
#ifndef NBSCOREP_DRIVER_PARAMETERS_H
#define NBSCOREP_DRIVER_PARAMETERS_H

#include "driver/compile.h"
#include "settings/build_settings.h"

/* Fills c->parameters: those of c->config, then those of GIVEN, in its order. Problems
 * become diagnostics. Returns 0 or -1. */
int parameters_collect(struct compilation *c, const struct build_settings *given);

#endif
