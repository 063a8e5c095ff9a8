/* Emits the source map: from script lines to cells. */
#ifndef NBSCOREP_EMIT_SOURCE_MAP_H
#define NBSCOREP_EMIT_SOURCE_MAP_H

#include "emit/emit.h"

/* Appends the source map as JSON to OUT (nbscorep-build(1), --source-map). */
void emit_source_map(struct strbuf *out, const struct source_map *map,
                     const struct emit_names *names, struct slice build);

#endif
