/* The configuration of a notebook: the command line over files and metadata. */
#pragma once

#include "driver/compile.h"
#include "settings/settings.h"

/* Makes all of C that the configuration decides, after the notebook was read: C->config, the sweep, the
 * parameters, the settings of the batch system; and C->options, with the options GIVEN and defaults from the
 * configuration's `build`. Problems become diagnostics. Returns 0 or -1. */
int configuration_make(struct compilation *c, const struct build_settings *given);

/* The Python of C->config as the run finds it, which starts in the notebook's folder; empty: none. */
struct slice configuration_python(struct compilation *c);
