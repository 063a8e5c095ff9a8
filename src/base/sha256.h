/* SHA-256 (FIPS 180-4): a page allows its own script by this digest. */
#ifndef NBSCOREP_BASE_SHA256_H
#define NBSCOREP_BASE_SHA256_H

#include <stdint.h>

#include "base/slice.h"

enum { SHA256_LEN = 32 };

/* Writes the digest of BYTES. */
void sha256(struct slice bytes, unsigned char digest[SHA256_LEN]);

#endif
