/* Environment settings of %%scorep_env and %env, and binding arguments. */
#ifndef NBSCOREP_IR_BUILD_CONFIG_CELLS_H
#define NBSCOREP_IR_BUILD_CONFIG_CELLS_H

#include "base/slice.h"

struct pass_context;
struct program;

#endif
