/* Decides the kind of a plain YAML scalar. */
#ifndef NBSCOREP_SETTINGS_YAML_SCALAR_H
#define NBSCOREP_SETTINGS_YAML_SCALAR_H

#include <stdbool.h>

#include "base/value.h"

/* Returns the kind of the plain scalar TEXT, as PyYAML and the core schema define it (yaml_reader.h).
 * Sets *BOOLEAN for a VALUE_BOOL. */
enum value_kind yaml_plain_kind(struct slice text, bool *boolean);

#endif
