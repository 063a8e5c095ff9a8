/* Vampir, the viewer of traces. */
#ifndef NBSCOREP_RUN_VAMPIR_H
#define NBSCOREP_RUN_VAMPIR_H

#include "process/environment.h"

/* True if programs that are started with ENVIRONMENT have a display. */
bool vampir_has_display(const struct environment *environment);

/* Starts PROGRAM with TRACE in a session of its own, without standard streams, and does not wait
 * for it. Returns 0, or -1 and sets errno. */
int vampir_open(struct environment *environment, const char *program, const char *trace);

#endif
