/* The fields of f-strings, "{expression}", which IPython's shell commands have, too. */
#ifndef NBSCOREP_LEX_FIELDS_H
#define NBSCOREP_LEX_FIELDS_H

#include "base/slice.h"

/* Removes the next field, and the text before it, from the start of *REST. *FIELD is the text
 * between its braces, including nested fields. Doubled braces are text. An unclosed field ends with
 * REST; braces in strings inside a field count as its own. Returns false if no field is left. */
bool field_next(struct slice *rest, struct slice *field);

#endif
