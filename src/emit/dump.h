/* Prints the IR as JSON or YAML: nbscorep-ir(5). */
#ifndef NBSCOREP_EMIT_DUMP_H
#define NBSCOREP_EMIT_DUMP_H

#include "emit/emit.h"

void emit_ir_dump(struct strbuf *out, const struct ir *ir, enum dump_format format);

#endif
