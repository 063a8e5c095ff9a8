/* The fast path for input that is not kept. It reports no errors: it skips tokens that are
 * complete, in memory and valid, and leaves all others to the careful readers. */
#ifndef NBSCOREP_NOTEBOOK_SKIP_H
#define NBSCOREP_NOTEBOOK_SKIP_H

#include "notebook/grammar.h"

enum skip_stop {
	SKIP_AT_TOKEN,  /* read the next byte as G expects */
	SKIP_IN_STRING, /* the next byte is inside a string; G is the state after it */
};

/* Skips the rest of a string. Returns true if it skipped the closing quote, too. Returns false at a
 * byte that requires more care, or is not in memory yet. */
bool skip_string(struct input *in);

/* Skips tokens while the innermost open value is not kept. At least one value must be open. */
enum skip_stop skip_tokens(struct grammar *g, struct input *in);

#endif
