/* Compiles several notebooks one after the other, and reports their diagnostics. */
#pragma once

#include "driver/compile.h"
#include "settings/settings.h"

/* What a caller does with a notebook that compiled without errors. Errors go to c->diags. */
typedef void session_action(struct compilation *c, void *data);

/* Compiles each notebook of OPTIONS, whose -W switches diags_switch() accepts, hands it to ACTION with DATA, reports its
 * diagnostics, coloured with COLOR_ALWAYS only, and ends with a line of counts. JSON and SARIF for BUILD_TO_REPORT go to
 * standard output, all other diagnostics to standard error. The memory of a notebook is released before the next one is
 * read. ARENA lives as long as the call. Returns the exit status. */
int session_run(struct arena *arena, const struct options *options, session_action *action,
                void *data);
