/* The arguments of the magics of the JUmPER extension. */
#ifndef NBSCOREP_IR_LOWER_JUMPER_ARGUMENTS_H
#define NBSCOREP_IR_LOWER_JUMPER_ARGUMENTS_H

#include "ir/lower/lower_call.h"

/* Adds an error for the first argument of MAGIC, which is SITE's magic or a part of it, that the
 * extension would reject, and remarks on arguments without an effect. Reports nothing if an argument is
 * known only at run time: "$interval", "{interval}". */
void jumper_check_arguments(const struct site *site, const struct magic *magic);

#endif
