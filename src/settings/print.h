/* A configuration as YAML that says where each value comes from. */
#ifndef NBSCOREP_SETTINGS_PRINT_H
#define NBSCOREP_SETTINGS_PRINT_H

#include "base/strbuf.h"
#include "settings/config.h"

/* Adds what is set in CONFIG as a map of YAML, in the order of the keys' table; behind each value
 * stands its origin as a comment. NOTEBOOK names the notebook for what its metadata says. */
void config_print(struct strbuf *out, const struct config *config, struct slice notebook);

#endif
