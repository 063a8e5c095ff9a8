/* Checks the binding arguments. */
#ifndef NBSCOREP_SCOREP_CHECK_ARGS_H
#define NBSCOREP_SCOREP_CHECK_ARGS_H

#include "scorep/args.h"

/* Checks the words of TEXT and appends the accepted ones to OUT. Options with a newer spelling are
 * rewritten. Returns 0, or -1 after adding an error; OUT then holds only accepted words. */
int scorep_check_args(struct diags *diags, const struct scorep_arg_text *text,
                      const struct scorep_words *words, struct scorep_words *out);

#endif
