/* Checks a configuration against the table of keys. */
#ifndef NBSCOREP_SETTINGS_CONFIG_CHECK_H
#define NBSCOREP_SETTINGS_CONFIG_CHECK_H

#include "settings/config.h"

/* Checks all of LAYERS, weakest first, also profiles that are not asked for. Problems are
 * DIAG_CONFIG_KEY and DIAG_CONFIG_VALUE errors. Returns 0, or -1 after one. */
int config_check(struct diags *diags, const config_layer_list *layers);

#endif
