/* Prints the IR as JSON or YAML, and the source map. */
#pragma once

#include "emit/script.h"

/* Formats of the IR dump (nbscorep-ir(5)). */
enum dump_format { DUMP_JSON, DUMP_YAML };

/* Appends the IR to OUT (nbscorep-ir(5)). */
void emit_ir_dump(struct strbuf *out, const struct ir *ir, enum dump_format format);

/* Appends the source map as JSON to OUT (nbscorep-build(1), --source-map). */
void emit_source_map(struct strbuf *out, const source_map *map, const struct emit_names *names,
                     struct slice build);
