/* Lowers %env and %set_env. */
#ifndef NBSCOREP_IR_LOWER_LOWER_ENV_H
#define NBSCOREP_IR_LOWER_LOWER_ENV_H

#include "ir/lower/lower.h"

/* %env, %set_env. */
void lower_env(const struct site *site);

#endif
