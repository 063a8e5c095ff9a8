/* The meaning of a magic in batch, if that depends on its arguments. */
#ifndef NBSCOREP_IR_BUILD_MAGIC_MEANING_H
#define NBSCOREP_IR_BUILD_MAGIC_MEANING_H

#include "ir/build/builder.h"

/* True if MAGIC, with its arguments, has no effect in batch. */
bool magic_means_nothing(const struct magic *magic);

/* True if its line contains Python that runs, as that of %time and of profilers. *CODE: without options. */
bool magic_runs_code(const struct magic *magic, struct slice *code);

/* Returns what MAGIC, if it is %config, assigns to the shell's ast_node_interactivity, from the "="
 * on, else empty. */
struct slice magic_interactivity(const struct magic *magic);

#endif
