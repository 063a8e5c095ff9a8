/* The values of a configuration that decide which code runs: the rows of runs_code.def. */
#ifndef NBSCOREP_SETTINGS_RUNS_CODE_H
#define NBSCOREP_SETTINGS_RUNS_CODE_H

#include "settings/config.h"

/* A value that decides which code runs. */
struct code_setting {
	struct slice name; /* "setup", "env.LD_PRELOAD" */
	struct slice text; /* of the value; of a list: of its first item */
	size_t more;       /* number of other items of the list */
	const struct config_value *value;
};

typedef VECTOR(struct code_setting) code_setting_list;

/* Adds the code settings of CONFIG that come from SOURCE to OUT: each name once, in the order of the table
 * of keys. Their texts live in ARENA or belong to CONFIG. */
void config_find_code(struct arena *arena, const struct config *config, enum config_source source,
                      code_setting_list *out);

#endif
