/* The configuration of a notebook: the command line over files and metadata. */
#ifndef NBSCOREP_DRIVER_CONFIGURATION_H
#define NBSCOREP_DRIVER_CONFIGURATION_H

#include "driver/compile.h"
#include "settings/build_settings.h"

/* Makes C->config, after the notebook was read, and CONFIGURED: the options GIVEN, with defaults
 * from the configuration's `build`. Problems become diagnostics. Returns 0 or -1. */
int configuration_make(struct compilation *c, const struct build_settings *given,
                       struct build_settings *configured);

#endif
