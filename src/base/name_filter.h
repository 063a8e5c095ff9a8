/* A set of names that takes 32 bytes for any number of names. A lookup returns that a name is not
 * in the set, or that it may be (a Bloom filter with one hash function). It serves callers that
 * search many places and skip those that cannot match. */
#pragma once

#include "base/base.h"

enum { NAME_FILTER_WORDS = 4, NAME_FILTER_WORD_BITS = 64 };

/* Zeroed, it is the empty set. */
struct name_filter {
	uint64_t words[NAME_FILTER_WORDS];
};

/* The bit of NAME, which must not be empty. The compiler evaluates it for literals. */
static inline unsigned name_filter_bit(struct slice name)
{
	unsigned first = (unsigned char)name.ptr[0], middle = (unsigned char)name.ptr[name.len / 2],
	         last = (unsigned char)name.ptr[name.len - 1];
	unsigned mixed = ((first * 31 + middle) * 31 + last) * 31 + (unsigned)name.len;
	return (mixed * 2654435769U) >> 24; /* 2^32 / golden ratio: Knuth, TAOCP 6.4 */
}

static inline void name_filter_add(struct name_filter *filter, struct slice name)
{
	unsigned bit = name_filter_bit(name);
	filter->words[bit / NAME_FILTER_WORD_BITS] |= UINT64_C(1) << bit % NAME_FILTER_WORD_BITS;
}

/* Adds WORDS, which are separated by blanks. */
static inline void name_filter_add_words(struct name_filter *filter, const char *words)
{
	for (struct slice rest = slice_from(words), word; (word = slice_next_word(&rest)).len > 0;)
		name_filter_add(filter, word);
}

/* False if NAME was not added. */
static inline bool name_filter_may_have(const struct name_filter *filter, struct slice name)
{
	unsigned bit = name_filter_bit(name);
	return (filter->words[bit / NAME_FILTER_WORD_BITS] >> bit % NAME_FILTER_WORD_BITS & 1) != 0;
}

/* False if no name was added to both. */
static inline bool name_filters_may_meet(const struct name_filter *a, const struct name_filter *b)
{
	uint64_t common = 0;
	for (size_t i = 0; i < NAME_FILTER_WORDS; i++)
		common |= a->words[i] & b->words[i];
	return common != 0;
}
