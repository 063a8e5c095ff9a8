#include "base/digest.h"

#include <endian.h>

enum { WORD = 8, SHIFT = 47 };

static const uint64_t FACTOR = 0xc6a4a7935bd1e995;

/* LEN bytes as a little-endian number. */
static inline uint64_t load(const char *bytes, size_t len)
{
	uint64_t word = 0;
	memcpy(&word, bytes, len);
	return le64toh(word);
}

static inline uint64_t mix(uint64_t word)
{
	return word ^ word >> SHIFT;
}

uint64_t digest_add(uint64_t digest, struct slice part)
{
	uint64_t state = digest ^ part.len * FACTOR;
	size_t whole = part.len - part.len % WORD;
	for (size_t i = 0; i < whole; i += WORD)
		state = (state ^ mix(load(part.ptr + i, WORD) * FACTOR) * FACTOR) * FACTOR;
	if (whole < part.len)
		state = (state ^ load(part.ptr + whole, part.len - whole)) * FACTOR;
	return mix(mix(state) * FACTOR);
}
