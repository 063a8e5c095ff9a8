/* What a magic means in batch, where that depends on its arguments. */
#ifndef NBSCOREP_IR_BUILD_MAGIC_MEANING_H
#define NBSCOREP_IR_BUILD_MAGIC_MEANING_H

#include "ir/build/builder.h"

/* Does MAGIC, with its arguments, mean nothing in batch? */
bool magic_means_nothing(const struct magic *magic);

/* Does its line hold Python that runs: %time, %timeit, %prun? *CODE: without options. */
bool magic_runs_code(const struct magic *magic, struct slice *code);

/* What MAGIC, a %config, assigns to ast_node_interactivity of the shell, from the "=" on; else empty. */
struct slice magic_interactivity(const struct magic *magic);

#endif
