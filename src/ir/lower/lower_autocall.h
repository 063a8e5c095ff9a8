/* Lowers the escapes that call a function without parentheses. */
#ifndef NBSCOREP_IR_LOWER_LOWER_AUTOCALL_H
#define NBSCOREP_IR_LOWER_LOWER_AUTOCALL_H

#include "ir/lower/lower.h"

/* ",f a b", ";f a b", "/f a b". */
void lower_autocall(const struct site *site);

#endif
