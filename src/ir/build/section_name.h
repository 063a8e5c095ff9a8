/* Reads the name of a write-mode section. */
#ifndef NBSCOREP_IR_BUILD_SECTION_NAME_H
#define NBSCOREP_IR_BUILD_SECTION_NAME_H

#include "ir/build/builder.h"

/* Returns the program name of `%%start_writefile [name]` without ".py", by default
 * "jupyter_to_script". Returns an empty slice after an error, which is added to DIAGS. */
struct slice build_section_name(struct arena *arena, struct diags *diags, const struct magic *magic,
                                struct location where, const struct ir_options *options);

#endif
