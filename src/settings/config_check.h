/* Checks a configuration against the table of keys. */
#ifndef NBSCOREP_SETTINGS_CONFIG_CHECK_H
#define NBSCOREP_SETTINGS_CONFIG_CHECK_H

#include "settings/config.h"

/* Checks all LAYERS, weakest first, including profiles that are not selected. Problems become
 * DIAG_CONFIG_KEY and DIAG_CONFIG_VALUE errors. Returns 0, or -1 after an error. */
int config_check(struct diags *diags, const config_layer_list *layers);

#endif
