/* Emits what the run script requests from a batch system. */
#ifndef NBSCOREP_EMIT_RUN_HEADER_H
#define NBSCOREP_EMIT_RUN_HEADER_H

#include "emit/emit.h"

/* The header of a run script: what SETTINGS ask a batch system for, by the template of that system.
 * A line with a variable that has no value is left out. What the system cannot be told is an error
 * in DIAGS. Returns 0 or -1. */
int emit_header(struct strbuf *out, const struct batch_settings *settings,
                const struct template_set *templates, struct diags *diags);

#endif
