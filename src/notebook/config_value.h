/* Converts metadata.nbscorep to a value. */
#ifndef NBSCOREP_NOTEBOOK_CONFIG_VALUE_H
#define NBSCOREP_NOTEBOOK_CONFIG_VALUE_H

#include "notebook/convert.h"

/* Reads metadata.nbscorep; JSON is NULL if the notebook has none. Returns 0, or -1 after adding an
 * error. */
int convert_config(struct conversion *c, const json_t *json);

#endif
