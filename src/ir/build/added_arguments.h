/* Adds binding arguments for options that the notebook does not give. */
#ifndef NBSCOREP_IR_BUILD_ADDED_ARGUMENTS_H
#define NBSCOREP_IR_BUILD_ADDED_ARGUMENTS_H

#include "ir/build/config_cells.h"

/* True if PROGRAM has a binding argument that begins with OPTION ("--mpp"). */
bool settings_have_argument(const struct program *program, struct slice option);

/* Adds binding arguments to PROGRAM unless it has their option: --thread=pthread always, --mpp=mpi
 * if it imports mpi4py. */
void settings_add_arguments(struct pass_context *context, struct program *program);

#endif
