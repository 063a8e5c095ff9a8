/* Adds binding arguments where the notebook gives none of their option. */
#ifndef NBSCOREP_IR_BUILD_ADDED_ARGUMENTS_H
#define NBSCOREP_IR_BUILD_ADDED_ARGUMENTS_H

#include "ir/build/config_cells.h"

/* Has PROGRAM a binding argument that begins with OPTION ("--mpp")? */
bool settings_have_argument(const struct program *program, struct slice option);

/* Adds binding arguments to PROGRAM where it has none of their option: --thread=pthread always,
 * --mpp=mpi if it imports mpi4py. */
void settings_add_arguments(struct pass_context *context, struct program *program);

#endif
