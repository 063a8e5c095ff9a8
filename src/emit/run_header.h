/* Emits the requests of a run script to a batch system. */
#ifndef NBSCOREP_EMIT_RUN_HEADER_H
#define NBSCOREP_EMIT_RUN_HEADER_H

#include "emit/emit.h"

/* Appends the header of a run script to OUT: the requests of SETTINGS in the template of the batch
 * system. Leaves out lines with a variable that has no value. Returns 0, or -1 after an error in
 * DIAGS if the system does not support a setting. */
int emit_header(struct strbuf *out, const struct batch_settings *settings,
                const struct template_set *templates, struct diags *diags);

#endif
