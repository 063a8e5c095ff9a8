/* Reads the name of a write-mode section. */
#ifndef NBSCOREP_IR_BUILD_SECTION_NAME_H
#define NBSCOREP_IR_BUILD_SECTION_NAME_H

#include "ir/build/builder.h"

/* The program name that `%%start_writefile [name]` gives: default "jupyter_to_script", without ".py".
 * An empty slice after an error. */
struct slice build_section_name(struct arena *arena, struct diags *diags, const struct magic *magic,
                                struct location where, const struct ir_options *options);

#endif
