/* Merges the layers of a configuration. */
#ifndef NBSCOREP_SETTINGS_MERGE_H
#define NBSCOREP_SETTINGS_MERGE_H

#include "settings/config.h"

/* Puts the checked LAYERS together in OUT, whose FILES are left alone, with PROFILE (empty: none) and
 * those that it inherits: in each layer they are stronger than the layer's other keys, and an
 * inherited one is weaker than who inherits it. Returns 0, or -1 after an error: no such profile, one
 * that inherits itself, or a map with too many entries. All memory comes from ARENA. */
int config_merge(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                 struct slice profile, struct config *out);

#endif
