/* Merges the layers of a configuration. */
#ifndef NBSCOREP_SETTINGS_MERGE_H
#define NBSCOREP_SETTINGS_MERGE_H

#include "settings/config.h"

/* Merges the checked LAYERS into OUT; OUT->files does not change. PROFILE (empty: none) and those that
 * it inherits are stronger than the other keys of their layer. An inherited profile is weaker than the
 * profile that inherits it. Returns 0, or -1 after an error: an unknown profile, a profile that
 * inherits itself, or a map with too many entries. All memory comes from ARENA. */
int config_merge(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                 struct slice profile, struct config *out);

/* ---- checks ---- */

/* Checks a configuration against the table of keys. */

/* Checks all LAYERS, weakest first, including profiles that are not selected. Problems become
 * DIAG_CONFIG_KEY and DIAG_CONFIG_VALUE errors. Returns 0, or -1 after an error. */
int config_check(struct diags *diags, const config_layer_list *layers);

#endif
