/* Emits the runtime, which surrounds a script while it runs. */
#ifndef NBSCOREP_EMIT_RUNTIME_H
#define NBSCOREP_EMIT_RUNTIME_H

#include "emit/emit.h"

/* Appends to OUT the Python file that starts the runtime (templates/scorep_notebook/surround.py). It is
 * passed to the bindings as their instrumenter file, or to Python with the script as its first
 * argument. With PROGRESS_PIPE the text requires an argument after it (run/progress.h). */
void emit_runtime(struct strbuf *out, const struct program *program,
                  const struct runtime_wishes *wishes);

#endif
