/* JSON's grammar, and the fast path for input that is not kept. That path reports no errors: it skips tokens that
 * are complete, in memory and valid, and leaves all others to the careful readers. */
#pragma once

#include "notebook/input.h"

/* ---- grammar ---- */

/* The reader's state in JSON's grammar (RFC 8259), and the errors for unexpected characters. */

/* What may come next, besides white space. */
enum expect {
	EXPECT_TOP,
	EXPECT_FIRST_ITEM,
	EXPECT_ITEM,
	EXPECT_FIRST_KEY,
	EXPECT_KEY,
	EXPECT_COLON,
	EXPECT_MEMBER,
	EXPECT_COMMA,
	EXPECT_END,
};

/* An array or object that is not closed yet. */
struct open_value {
	unsigned role; /* the reader's role for it; 0: no part of it is kept */
	unsigned line; /* on which it was opened */
	char close;    /* the bracket that ends it */
};

struct grammar {
	struct arena *arena;
	VECTOR(struct open_value) open; /* the outermost first */
	size_t depth_max;
	enum expect expect;
};

/* The innermost open value. At least one value must be open. */
static inline struct open_value *grammar_top(const struct grammar *g)
{
	return &g->open.items[g->open.count - 1];
}

/* Opens a value with BRACKET, '{' or '[', which must be the next byte. Returns 0, or -1 after
 * adding an error if the nesting is too deep. */
int grammar_open(struct grammar *g, struct input *in, char bracket, unsigned role);

/* Records that a value was read. */
static inline void grammar_end_value(struct grammar *g)
{
	g->expect = g->open.count == 0 ? EXPECT_END : EXPECT_COMMA;
}

/* Records that the innermost open value was closed. */
static inline void grammar_close(struct grammar *g)
{
	g->open.count--;
	grammar_end_value(g);
}

/* Adds an error: C, the next byte or INPUT_END, is not allowed here. Returns -1. */
int grammar_fail(const struct grammar *g, struct input *in, int c);

/* ---- skipping ---- */

/* Skips the rest of a string. Returns true if it skipped the closing quote, too. Returns false at a
 * byte that requires more care, or is not in memory yet. */
bool skip_string(struct input *in);

/* Skips tokens while the innermost open value is not kept. At least one value must be open. Returns true if the next
 * byte is inside a string, and G the state after it; else it is to be read as G expects. */
bool skip_tokens(struct grammar *g, struct input *in);
