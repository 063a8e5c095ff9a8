/* Finds out whether Score-P's Python bindings are installed. */
#ifndef NBSCOREP_RUN_BINDINGS_H
#define NBSCOREP_RUN_BINDINGS_H

#include <stdbool.h>

#include "driver/compile.h"
#include "process/environment.h"

enum bindings_answer { BINDINGS_FOUND, BINDINGS_MISSING, BINDINGS_UNKNOWN };

/* Asks PYTHON, a path, in ENVIRONMENT and the current folder, whether it can import the package
 * scorep, without importing it. Returns BINDINGS_UNKNOWN and sets *REASON if Python does not
 * answer. */
enum bindings_answer bindings_ask(struct environment *environment, const char *python,
                                  struct slice *reason);

/* The same of the Python that the run script of C's program starts. Also BINDINGS_UNKNOWN if modules or
 * setup lines may choose it. Returns BINDINGS_FOUND if the bindings are prepared already. */
enum bindings_answer bindings_ask_for(struct compilation *c);

/* What to do where they are missing. */
#define BINDINGS_HINT                                                                              \
	"install them into that Python ('pip install scorep'), name another with --python, "       \
	"or measure with --measurement=builtin"

/* True if an earlier process has prepared the bindings, so that they do not need scorep-config. */
bool bindings_are_prepared(const struct environment *environment);

#endif
