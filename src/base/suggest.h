/* "did you mean": the known word nearest to a misspelt one. */
#pragma once

#include "base/base.h"

/* Longer words are not compared. */
enum { SUGGEST_MAX = 80 };

/* The number of letters to insert, delete, replace or swap with their neighbour to make A from B
 * (optimal string alignment), ignoring the case of ASCII letters. Counts bytes, not characters.
 * SUGGEST_MAX + 1 if A or B is longer than SUGGEST_MAX. */
size_t suggest_distance(struct slice a, struct slice b);

/* The first of the COUNT candidates that is nearest to WORD, or an empty slice if none is within a
 * third of WORD's length (at least one letter). */
struct slice suggest(struct slice word, const struct slice *candidates, size_t count);
