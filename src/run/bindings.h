/* Finds out whether Score-P's Python bindings are installed. */
#ifndef NBSCOREP_RUN_BINDINGS_H
#define NBSCOREP_RUN_BINDINGS_H

#include <stdbool.h>

#include "process/environment.h"

enum bindings_answer { BINDINGS_FOUND, BINDINGS_MISSING, BINDINGS_UNKNOWN };

/* Asks PYTHON, a path, in ENVIRONMENT and the current folder, whether it can import the package
 * scorep, without importing it. Returns BINDINGS_UNKNOWN and sets *REASON if Python does not
 * answer. */
enum bindings_answer bindings_ask(struct environment *environment, const char *python,
                                  struct slice *reason);

/* True if an earlier process has prepared the bindings, so that they do not need scorep-config. */
bool bindings_are_prepared(const struct environment *environment);

#endif
