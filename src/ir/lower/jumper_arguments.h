/* The arguments of the magics of the JUmPER extension. */
#ifndef NBSCOREP_IR_LOWER_JUMPER_ARGUMENTS_H
#define NBSCOREP_IR_LOWER_JUMPER_ARGUMENTS_H

#include "base/slice.h"

struct magic;
struct site;

/* Adds an error for the first argument of SITE's MAGIC that the extension would refuse, and remarks on
 * arguments without an effect. It reports nothing for other magics, nor where an argument is known only when
 * the script runs: "$interval", "{interval}". */
void jumper_check_arguments(const struct site *site, const struct magic *magic);

/* Returns the kernel in which JUmPER's wrapper kernel runs the cells after MAGIC, if it is not a Python kernel.
 * Otherwise, or if it is known only when the script runs, returns an empty slice. */
struct slice jumper_other_kernel(const struct magic *magic);

#endif
