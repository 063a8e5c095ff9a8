/* Emits a dependency file for make and ninja. */
#ifndef NBSCOREP_EMIT_DEPFILE_H
#define NBSCOREP_EMIT_DEPFILE_H

#include "emit/emit.h"

/* Appends a dependency file for make and ninja to OUT: "TARGETS: DEPENDENCIES", and an empty rule
 * for each dependency, so that a deleted file does not stop make. */
void emit_depfile(struct strbuf *out, const struct slice *targets, size_t target_count,
                  const struct slice *dependencies, size_t dependency_count);

#endif
