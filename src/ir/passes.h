/* Runs all passes in order. */
#ifndef NBSCOREP_IR_PASSES_H
#define NBSCOREP_IR_PASSES_H

#include "ir/pass.h"

/* Runs all passes in order, with ir_check() after each one in debug builds. */
void ir_run_passes(struct pass_context *context);

#endif
