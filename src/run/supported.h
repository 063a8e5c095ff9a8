/* Binding arguments that the Score-P which is installed does not support. With one of them
 * scorep-config ends with an error, and so does the run, before the script starts. */
#pragma once

#include "driver/compile.h"
#include "run/discovery.h"

/* What is known of a Score-P. ARENA lives as long as this. */
struct supported {
	struct arena *arena;
	bool asked;
	struct discovery found;
};

/* Reports each argument of PROGRAM that this Score-P refuses, at its place, as KIND. Score-P is asked once, and only if an
 * argument may be refused. */
void supported_report(struct supported *supported, const struct program *program,
                      struct diags *diags, enum diag_kind kind);

/* Checks the caller's variables of Score-P that PROGRAM does not set, by the rules for those of a notebook. */
void supported_check_environment(const struct program *program, struct diags *diags);

/* ---- bindings ---- */

/* True if the Python that the run script of C's program starts cannot import the package scorep: NAMED, or if that is
 * NULL that of the environment or the configuration. False if it does not answer, or if modules or setup lines may
 * choose it. */
bool bindings_are_missing(struct compilation *c, const char *named);

/* What to do where they are missing. */
#define BINDINGS_HINT                                                                              \
	"install them into that Python ('pip install scorep'), name another with --python, "       \
	"or measure with --measurement=builtin"
