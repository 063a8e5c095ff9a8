/* Emits the runtime, which surrounds a script while it runs. */
#ifndef NBSCOREP_EMIT_RUNTIME_H
#define NBSCOREP_EMIT_RUNTIME_H

#include "emit/emit.h"

/* Appends the runtime (templates/runtime) to OUT: a Python file that is passed to the bindings as
 * their instrumenter file, or to Python with the script as its first argument. CELLS is from
 * emit_python(). With PROGRESS_PIPE the text requires an argument after it (run/progress.h). */
void emit_runtime(struct strbuf *out, const struct program *program, struct slice cells,
                  const struct runtime_wishes *wishes);

#endif
