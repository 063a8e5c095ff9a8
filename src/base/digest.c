#include "base/digest.h"

static const uint64_t FNV_OFFSET_BASIS = 0xcbf29ce484222325, FNV_PRIME = 0x100000001b3;

void digest_init(struct digest *digest)
{
	digest->state = FNV_OFFSET_BASIS;
}

void digest_add(struct digest *digest, struct slice bytes)
{
	uint64_t state = digest->state;
	for (size_t i = 0; i < bytes.len; i++)
		state = (state ^ (unsigned char)bytes.ptr[i]) * FNV_PRIME;
	digest->state = state;
}

void digest_add_part(struct digest *digest, struct slice part)
{
	char len[8];
	for (unsigned i = 0; i < sizeof len; i++)
		len[i] = (char)((uint64_t)part.len >> (8 * i) & 0xFF);
	digest_add(digest, slice_make(len, sizeof len));
	digest_add(digest, part);
}

void digest_hex(const struct digest *digest, char out[DIGEST_HEX_LEN + 1])
{
	for (unsigned i = 0; i < DIGEST_HEX_LEN; i++)
		out[i] = "0123456789abcdef"[digest->state >> (60 - 4 * i) & 15];
	out[DIGEST_HEX_LEN] = '\0';
}
