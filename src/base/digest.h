/* A digest of bytes: tells whether two files were built from the same input. It is FNV-1a with 64
 * bits (Fowler, Noll, Vo: http://www.isthe.com/chongo/tech/comp/fnv/), fast and small. It guards
 * against mistakes, not against forgery. */
#ifndef NBSCOREP_BASE_DIGEST_H
#define NBSCOREP_BASE_DIGEST_H

#include <stdint.h>

#include "base/slice.h"

enum { DIGEST_HEX_LEN = 16 };

struct digest {
	uint64_t state;
};

void digest_init(struct digest *digest);

/* Adds bytes: adding A, then B is the same as adding AB. */
void digest_add(struct digest *digest, struct slice bytes);

/* Adds a part and its length, so that the parts "ab", "c" differ from "a", "bc". */
void digest_add_part(struct digest *digest, struct slice part);

/* Writes the digest of all that was added as 16 lower-case hexadecimal digits and a NUL. */
void digest_hex(const struct digest *digest, char out[DIGEST_HEX_LEN + 1]);

#endif
