/* The configuration of a notebook: the command line on top of what files and metadata say. */
#ifndef NBSCOREP_CLI_CONFIGURATION_H
#define NBSCOREP_CLI_CONFIGURATION_H

#include "cli/compile.h"
#include "cli/options.h"

/* Makes C->config, after the notebook was read, and CONFIGURED: the options GIVEN, with defaults
 * from the configuration's `build`. Problems become diagnostics. Returns 0 or -1. */
int configuration_make(struct compilation *c, const struct options *given,
                       struct options *configured);

#endif
