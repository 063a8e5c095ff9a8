/* A digest of bytes, by which two files that were built from the same input are recognised. It is
 * the 64-bit MurmurHash2 for 64-bit machines (MurmurHash64A of Austin Appleby's SMHasher, public
 * domain: https://github.com/aappleby/smhasher), which takes eight bytes at a time. It guards
 * against mistakes, not against forgery, and is the same on all machines. */
#pragma once

#include "base/base.h"

/* The digest of no parts. MurmurHash64A of no bytes with the seed 0 is 0; with any other seed, the
 * digest depends on the number of leading empty parts. */
static const uint64_t DIGEST_START = 1;

/* The digest of the parts that DIGEST covers, followed by PART: MurmurHash64A of PART with the seed
 * DIGEST. The parts "ab", "c" and "a", "bc" have different digests. */
uint64_t digest_add(uint64_t digest, struct slice part);
