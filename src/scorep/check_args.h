/* Checks the binding arguments. */
#ifndef NBSCOREP_SCOREP_CHECK_ARGS_H
#define NBSCOREP_SCOREP_CHECK_ARGS_H

#include "scorep/args.h"

/* Checks words of TEXT and appends those to pass on to OUT, rewritten where an option has a newer
 * spelling. Returns -1 after an error was added; OUT then holds what is good. */
int scorep_check_args(struct diags *diags, const struct scorep_arg_text *text,
                      const struct scorep_words *words, struct scorep_words *out);

#endif
