/* What stands at the top of a script, before its cells. */
#ifndef NBSCOREP_EMIT_PRELUDE_H
#define NBSCOREP_EMIT_PRELUDE_H

#include "base/strbuf.h"

struct program;

/* Adds the imports of the bindings and the snippets that PROGRAM needs, each behind those that it
 * requires, and what they have to know of the program, all of it indented by INDENT blanks. */
void emit_prelude(struct strbuf *out, const struct program *program, unsigned indent);

#endif
