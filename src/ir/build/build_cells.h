/* Reads the contents of env and args cells. */
#ifndef NBSCOREP_IR_BUILD_BUILD_CELLS_H
#define NBSCOREP_IR_BUILD_BUILD_CELLS_H

#include "ir/build/builder.h"

/* Fills an ENV block from the rest of the head line and the lines below %%scorep_env. */
void build_env(struct arena *arena, struct diags *diags, struct block *block,
               const struct magic *head);

/* Fills an ARGS block from the rest of the head line and the lines below
 * %%scorep_python_binding_arguments. */
void build_args(struct arena *arena, struct diags *diags, struct block *block,
                const struct magic *head);

/* Returns VALUE without one pair of matching quotes around it. The kernel's run script passed the
 * quotes to bash, which removed them. */
struct slice setting_unquote(struct slice value);

/* True if VALUE is in single quotes, in which bash expands nothing. */
bool setting_is_literal(struct slice value);

#endif
