/* Decides which cells become async functions. */
#ifndef NBSCOREP_IR_PASS_PASS_AWAIT_H
#define NBSCOREP_IR_PASS_PASS_AWAIT_H

#include "ir/ir.h"

/* True if pass_await() would turn the cell into a function because of its own code, without its
 * included files. */
bool await_may_wrap(struct arena *arena, const struct block *block);

#endif
