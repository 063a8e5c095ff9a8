/* The fast way through what is not kept. It complains about nothing: it passes over tokens that are
 * whole, in memory and valid, and leaves everything else to those who read with more care. */
#ifndef NBSCOREP_NOTEBOOK_SKIP_H
#define NBSCOREP_NOTEBOOK_SKIP_H

#include "notebook/grammar.h"

enum skip_stop {
	SKIP_AT_TOKEN,  /* the next byte is to be read as G expects it */
	SKIP_IN_STRING, /* the next byte is inside of a string; behind it G is right */
};

/* Passes over the rest of a string. True: its end, too, was passed. False: the next byte is one that
 * needs more care, or is not in memory yet. */
bool skip_string(struct input *in);

/* Passes over tokens as long as the innermost open value, of which there is one, is not kept. */
enum skip_stop skip_tokens(struct grammar *g, struct input *in);

#endif
