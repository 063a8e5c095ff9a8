/* What can be wrong with YAML, in words for people who have not read its standard. For
 * yaml_reader.c. */
#ifndef NBSCOREP_SETTINGS_YAML_PROBLEMS_H
#define NBSCOREP_SETTINGS_YAML_PROBLEMS_H

#include "diag/diag.h"

/* Checks what libyaml would refuse or take for line ends: that TEXT, of the file NAME, is UTF-8 with
 * no control characters. Returns 0, or -1 after an error was added. */
int yaml_check_text(struct diags *diags, struct slice name, struct slice text);

struct yaml_explanation {
	const char *message, *hint; /* hint: may be NULL */
	bool at_context;            /* it is about the place where the context begins */
};

/* Explains libyaml's PROBLEM, met where REST begins, in its CONTEXT (may be NULL). The message is
 * NULL for one that is not known. */
struct yaml_explanation yaml_explain(const char *problem, const char *context, struct slice rest);

#endif
