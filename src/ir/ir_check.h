/* Checks the IR between passes, in debug builds. */
#ifndef NBSCOREP_IR_IR_CHECK_H
#define NBSCOREP_IR_IR_CHECK_H

#include "ir/pass.h"

/* Checks the invariants of ir.h. On the first violation it prints AFTER (the name of the pass) and
 * the block to standard error and aborts. */
void ir_check(const struct ir *ir, const char *after);

#endif
