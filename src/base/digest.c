#include "base/digest.h"

#include <endian.h>
#include <string.h>

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

void digest_hex(uint64_t digest, char out[DIGEST_HEX_LEN + 1])
{
	for (unsigned i = 0; i < DIGEST_HEX_LEN; i++)
		out[i] = "0123456789abcdef"[digest >> (60 - 4 * i) & 15];
	out[DIGEST_HEX_LEN] = '\0';
}

/* ---- SHA-256 ---- */

enum { WORDS = 8, ROUNDS = 64, BLOCK = 64, LENGTH = 8 };

/* FIPS 180-4, 4.2.2. */
static const uint32_t constants[ROUNDS] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void add_block(uint32_t state[WORDS], const unsigned char *block)
{
	uint32_t w[ROUNDS], s[WORDS];
	memcpy(w, block, BLOCK);
	for (size_t i = 0; i < 16; i++)
		w[i] = be32toh(w[i]);
	for (size_t i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
		       (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
	memcpy(s, state, sizeof s);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t a = s[0], e = s[4];
		uint32_t one = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
		               ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
		uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
		               ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, sizeof s - sizeof *s);
		s[4] += one;
		s[0] = one + two;
	}
	for (unsigned i = 0; i < WORDS; i++)
		state[i] += s[i];
}

void sha256(struct slice bytes, unsigned char digest[SHA256_LEN])
{
	uint32_t state[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	size_t at = 0;
	for (; bytes.len - at >= BLOCK; at += BLOCK)
		add_block(state, (const unsigned char *)bytes.ptr + at);
	/* Add the remaining bytes, a one bit, zeros, and the length in bits: one block, or two. */
	struct slice rest = slice_sub(bytes, at, bytes.len);
	unsigned char last[2 * BLOCK] = {0};
	if (rest.len > 0)
		memcpy(last, rest.ptr, rest.len);
	last[rest.len] = 0x80;
	size_t size = rest.len + 1 + LENGTH > BLOCK
	? 2 * BLOCK : BLOCK;
	for (unsigned i = 0; i < LENGTH; i++)
		last[size - 1 - i] = (unsigned char)(bytes.len * 8 >> 8 * i);
	add_block(state, last);
	if (size > BLOCK)
		add_block(state, last + BLOCK);
	for (unsigned i = 0; i < SHA256_LEN; i++)
		digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}
