/* Emits a program as a Python script. */
#ifndef NBSCOREP_EMIT_SCRIPT_H
#define NBSCOREP_EMIT_SCRIPT_H

#include "emit/emit.h"

/* Returns the script's first line: what it was compiled from, and how it is run if NAMES has a run
 * script. */
struct slice emit_script_head(struct arena *arena, const struct emit_names *names);

void emit_python(struct arena *arena, const struct program *program, const struct emit_names *names,
                 enum script_layout layout, struct emitted_script *out, struct source_map *map);

#endif
