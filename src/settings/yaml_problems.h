/* Explains problems of YAML to users who have not read its standard. For yaml_reader.c. */
#ifndef NBSCOREP_SETTINGS_YAML_PROBLEMS_H
#define NBSCOREP_SETTINGS_YAML_PROBLEMS_H

#include "diag/diag.h"

/* Checks that TEXT, of the file NAME, is UTF-8 without control characters, which libyaml would refuse
 * or take for line ends. Returns 0, or -1 after adding an error. */
int yaml_check_text(struct diags *diags, struct slice name, struct slice text);

struct yaml_explanation {
	const char *message, *hint; /* hint: may be NULL */
	bool at_context;            /* the place is that where the context begins */
};

/* Explains libyaml's PROBLEM at the beginning of REST, in its CONTEXT (may be NULL). The message is
 * NULL if the problem is not known. */
struct yaml_explanation yaml_explain(const char *problem, const char *context, struct slice rest);

#endif
