/* Prints a configuration as YAML with the origin of each value. */
#ifndef NBSCOREP_SETTINGS_CONFIG_PRINT_H
#define NBSCOREP_SETTINGS_CONFIG_PRINT_H

#include "base/strbuf.h"
#include "settings/config.h"

/* Adds the values and defaults of CONFIG to OUT as a YAML map, in the order of the table of keys. A
 * comment after each value has its origin. NOTEBOOK is the origin of values from metadata. */
void config_print(struct strbuf *out, const struct config *config, struct slice notebook);

#endif
