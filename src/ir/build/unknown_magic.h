/* Reports magics that nbscorep does not know. */
#ifndef NBSCOREP_IR_BUILD_UNKNOWN_MAGIC_H
#define NBSCOREP_IR_BUILD_UNKNOWN_MAGIC_H

#include "ir/build/builder.h"

/* Warns that the magic NAME is unknown and left out. Suggests a similar name if one exists. */
void report_unknown_magic(struct diags *diags, struct location where, enum magic_kind kind,
                          struct slice name);

/* Warns that MAGIC, which nbscorep does not lower, is passed to IPython at run time. */
void report_handed_over(struct diags *diags, struct location where, const struct magic *magic);

#endif
