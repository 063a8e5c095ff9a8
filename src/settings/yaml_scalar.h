/* Decides the kind of a plain YAML scalar. */
#ifndef NBSCOREP_SETTINGS_YAML_SCALAR_H
#define NBSCOREP_SETTINGS_YAML_SCALAR_H

#include <stdbool.h>

#include "base/value.h"

/* The kind that PyYAML and the core schema give the plain scalar TEXT, as above; *BOOLEAN is set for
 * a VALUE_BOOL. */
enum value_kind yaml_plain_kind(struct slice text, bool *boolean);

#endif
