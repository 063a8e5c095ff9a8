/* The measurement variables of Score-P (SCOREP_...): what is known of each, how Score-P reads their
 * values, and the lints that save a wasted run. Score-P reads them once, when it starts. */
#ifndef NBSCOREP_SCOREP_VARIABLES_H
#define NBSCOREP_SCOREP_VARIABLES_H

#include <stdint.h>

#include "base/slice.h"
#include "diag/diag.h"

enum scorep_type {
	SCOREP_TYPE_BOOL,
	SCOREP_TYPE_NUMBER,
	SCOREP_TYPE_SIZE,
	SCOREP_TYPE_STRING,
	SCOREP_TYPE_PATH,
	SCOREP_TYPE_OPTION, /* one of the allowed values */
	SCOREP_TYPE_SET,    /* any of the allowed values */
};

struct scorep_variable {
	struct slice name;
	enum scorep_type type;
	struct slice initial; /* the value in force when it is not set */
	struct slice allowed; /* of an option or set: the values, comma-separated */
};

/* All rows of variables.def, ordered by name; *COUNT is set. */
const struct scorep_variable *scorep_variables(size_t *count);

/* The variable called NAME, or NULL. */
const struct scorep_variable *scorep_variable_find(struct slice name);

/* The variable that a misspelt NAME most likely means; an empty slice when none is near. */
struct slice scorep_variable_suggest(struct slice name);

/* Is NAME one of the Jupyter kernel's own variables (SCOREP_JUPYTER_..., JUMPER_..., ...)? They
 * look like Score-P's, but mean nothing outside the kernel. */
bool scorep_is_kernel_variable(struct slice name);

/* Is NAME a variable that starts with SCOREP_ but belongs to what surrounds the measurement: the
 * bindings, the compiler wrappers, a cluster's module files? */
bool scorep_is_companion_variable(struct slice name);

/* What Score-P makes of the value of a bool. */
enum scorep_truth {
	SCOREP_FALSE,
	SCOREP_TRUE,
	SCOREP_MISTAKEN, /* false to Score-P, but no word that somebody writes for false */
};

/* true, yes, on (in any case) and whole numbers but 0 are true; all else is false. */
enum scorep_truth scorep_parse_bool(struct slice value);

/* Digits. False where Score-P would refuse VALUE, or where it exceeds 64 bits. */
bool scorep_parse_number(struct slice value, uint64_t *number);

/* Digits, one of K M G T P E (powers of 1024, in any case) or none, "b" or not. False where Score-P
 * would abort, or where the size exceeds 64 bits. */
bool scorep_parse_size(struct slice value, uint64_t *bytes);

/* Is the bool variable NAME on when it has VALUE (NULL: it is not set)? True where VALUE expands at
 * run time, since nobody can tell now. */
bool scorep_is_on(struct slice name, const struct slice *value);

#endif
