/* Lowers %time. */
#ifndef NBSCOREP_IR_LOWER_LOWER_TIME_H
#define NBSCOREP_IR_LOWER_LOWER_TIME_H

#include "ir/lower/lower.h"

/* Lowers %time: its statement runs in a context. */
void lower_time(const struct site *site);

#endif
