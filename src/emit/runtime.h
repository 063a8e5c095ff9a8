/* Emits what surrounds a script while it runs. */
#ifndef NBSCOREP_EMIT_RUNTIME_H
#define NBSCOREP_EMIT_RUNTIME_H

#include "emit/emit.h"

/* What surrounds the script while it runs (templates/runtime): a Python file that is handed to the
 * bindings as their instrumenter file, or to Python with the script as its first argument. CELLS is
 * emit_python()'s. With PROGRESS_PIPE the text wants an argument behind it (run/progress.h). */
void emit_runtime(struct strbuf *out, const struct program *program, struct slice cells,
                  const struct runtime_wishes *wishes);

#endif
