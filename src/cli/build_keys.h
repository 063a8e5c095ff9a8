/* The configuration's `build`: defaults of options of build. */
#ifndef NBSCOREP_CLI_BUILD_KEYS_H
#define NBSCOREP_CLI_BUILD_KEYS_H

#include "cli/compile.h"
#include "cli/options.h"

/* The rows of options that `build` may set; *COUNT is set. */
const struct option_row *const *build_keys(struct arena *arena, size_t *count);

/* Checks one entry of `build`. */
void build_keys_check(struct diags *diags, const struct value_entry *entry);

/* Sets what C->config.build says in OPTIONS, but for those that are GIVEN. Paths in a file start
 * from its folder. Returns 0, or -1, with a diagnostic, where one is of a kind that a stranger's
 * must not be. */
int build_keys_apply(struct compilation *c, const struct options *given, struct options *options);

/* Refuses an output folder that C's configuration names where a link leads out of the file's own
 * folder and OPTIONS write there without --allow-outside. Returns 0, or -1 with a diagnostic. */
int build_keys_check_folder(struct compilation *c, const struct options *options);

/* The folder from which the paths start that stand at WHERE. */
struct slice config_folder_of(struct compilation *c, const struct location *where);

#endif
