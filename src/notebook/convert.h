/* The second stage of reading: converts jansson's tree of the skimmed text to struct notebook. Only
 * the files of this folder include it. The result is in ARENA; nothing frees the tree. */
#ifndef NBSCOREP_NOTEBOOK_CONVERT_H
#define NBSCOREP_NOTEBOOK_CONVERT_H

#include <jansson.h>

#include "notebook/notebook.h"
#include "notebook/skim.h"

struct conversion {
	struct arena *arena;
	struct diags *diags;
	const struct skim *skim;
	struct notebook *out;
};

/* The member KEY of VALUE, or NULL if it is missing or VALUE is not an object. */
const json_t *convert_member(const json_t *value, const char *key);

/* VALUE's text, which lives as long as VALUE; empty if VALUE is not a string. */
struct slice convert_text(const json_t *value);

/* TEXT, cut to a length for messages. */
struct slice convert_shown(struct slice text);

#endif
