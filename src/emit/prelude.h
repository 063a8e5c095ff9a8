/* Emits the top of a script, before its cells. */
#ifndef NBSCOREP_EMIT_PRELUDE_H
#define NBSCOREP_EMIT_PRELUDE_H

#include "base/strbuf.h"

struct program;

/* Appends to OUT the import of the bindings, the snippets of PROGRAM, each after those that it
 * requires, and the data of the program that they use. All lines are indented by INDENT blanks. */
void emit_prelude(struct strbuf *out, const struct program *program, unsigned indent);

#endif
