/* Environment settings, from %%scorep_env lines and %env magics alike, and binding arguments. */
#ifndef NBSCOREP_IR_SETTINGS_H
#define NBSCOREP_IR_SETTINGS_H

#include "base/slice.h"

struct pass_context;
struct program;

/* VALUE without one pair of matching quotes around it: the kernel's run script handed them to bash,
 * which took them off. */
struct slice setting_unquote(struct slice value);

/* Does VALUE stand in single quotes, in which bash expands nothing? */
bool setting_is_literal(struct slice value);

/* Has PROGRAM a binding argument that begins with OPTION ("--mpp")? */
bool settings_have_argument(const struct program *program, struct slice option);

/* Adds binding arguments to PROGRAM where it has none of their option: --thread=pthread always,
 * --mpp=mpi if it imports mpi4py. */
void settings_add_arguments(struct pass_context *context, struct program *program);

#endif
