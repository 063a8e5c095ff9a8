/* The arguments of the magics of the JUmPER extension. */
#ifndef NBSCOREP_IR_JUMPER_ARGUMENTS_H
#define NBSCOREP_IR_JUMPER_ARGUMENTS_H

struct magic;
struct site;

/* Adds an error for the first argument of SITE's MAGIC that the extension would refuse. It says
 * nothing of other magics, nor where an argument is known when the script runs only: "$interval",
 * "{interval}". */
void jumper_check_arguments(const struct site *site, const struct magic *magic);

#endif
