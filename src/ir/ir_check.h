/* Checks the IR between passes, in debug builds. */
#ifndef NBSCOREP_IR_IR_CHECK_H
#define NBSCOREP_IR_IR_CHECK_H

#include "ir/pass.h"

/* Checks the invariants that ir.h states; AFTER names the pass in the message. Prints block and
 * position to standard error and aborts on the first violation; it never repairs. */
void ir_check(const struct ir *ir, const char *after);

#endif
