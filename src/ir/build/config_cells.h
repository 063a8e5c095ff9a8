/* Environment settings, from %%scorep_env lines and %env magics alike, and binding arguments. */
#ifndef NBSCOREP_IR_BUILD_CONFIG_CELLS_H
#define NBSCOREP_IR_BUILD_CONFIG_CELLS_H

#include "base/slice.h"

struct pass_context;
struct program;

#endif
