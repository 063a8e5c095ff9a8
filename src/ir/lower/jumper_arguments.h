/* The arguments of the magics of the JUmPER extension. */
#ifndef NBSCOREP_IR_LOWER_JUMPER_ARGUMENTS_H
#define NBSCOREP_IR_LOWER_JUMPER_ARGUMENTS_H

#include "base/slice.h"

struct magic;
struct site;

/* Adds an error for the first argument of SITE's MAGIC that the extension would reject, and remarks
 * on arguments without an effect. Reports nothing for other magics, or if an argument is known only
 * at run time: "$interval", "{interval}". */
void jumper_check_arguments(const struct site *site, const struct magic *magic);

/* Returns the kernel in which JUmPER's wrapper kernel runs the cells after MAGIC. Returns an empty
 * slice if that is a Python kernel, or known only at run time. */
struct slice jumper_other_kernel(const struct magic *magic);

#endif
