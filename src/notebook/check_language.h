/* Checks the language of a notebook. */
#ifndef NBSCOREP_NOTEBOOK_CHECK_LANGUAGE_H
#define NBSCOREP_NOTEBOOK_CHECK_LANGUAGE_H

#include "notebook/convert.h"

/* Checks that the notebook with this METADATA is a Python notebook, if the metadata names a
 * language or a kernel. Returns 0, or -1 after adding an error. */
int check_language(struct conversion *c, const json_t *metadata);

#endif
