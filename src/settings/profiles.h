/* Named profiles of a configuration. */
#ifndef NBSCOREP_SETTINGS_PROFILES_H
#define NBSCOREP_SETTINGS_PROFILES_H

#include "diag/diag.h"
#include "settings/config.h"

typedef VECTOR(struct slice) config_names;

/* Adds the profile NAME and those that it inherits to OUT, each once, weakest first. They may be in
 * any of LAYERS. Returns 0, or -1 after an error. */
int config_profiles_find(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                         struct slice name, config_names *out);

/* Returns the profile NAME of LAYER, a map or a VALUE_NULL, or NULL if LAYER does not have it. */
const struct value *config_profile_of(const struct config_layer *layer, struct slice name);

#endif
