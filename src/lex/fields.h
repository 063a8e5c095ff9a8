/* The fields of f-strings, "{expression}", which IPython's shell commands have, too. */
#ifndef NBSCOREP_LEX_FIELDS_H
#define NBSCOREP_LEX_FIELDS_H

#include "base/slice.h"

/* Takes the next field off the front of REST, and what stands before it: what is between its braces,
 * with fields inside. Doubled braces are text. One that is not closed ends with REST; braces in strings
 * in a field are taken for its own. False: there is none left. */
bool field_next(struct slice *rest, struct slice *field);

#endif
