/* Are Score-P's Python bindings there? */
#ifndef NBSCOREP_RUN_BINDINGS_H
#define NBSCOREP_RUN_BINDINGS_H

#include <stdbool.h>

#include "process/environment.h"

enum bindings_answer { BINDINGS_FOUND, BINDINGS_MISSING, BINDINGS_UNKNOWN };

/* Asks PYTHON, a path, in ENVIRONMENT and the current folder, whether it could import the package
 * scorep; it does not do so. UNKNOWN: it could not be asked, and REASON says why. */
enum bindings_answer bindings_ask(struct environment *environment, const char *python,
                                  struct slice *reason);

/* Have the bindings been prepared by an earlier process, so that they need no scorep-config? */
bool bindings_are_prepared(const struct environment *environment);

#endif
