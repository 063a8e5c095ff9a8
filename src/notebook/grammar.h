/* The reader's state in JSON's grammar (RFC 8259), and the errors for unexpected characters. */
#ifndef NBSCOREP_NOTEBOOK_GRAMMAR_H
#define NBSCOREP_NOTEBOOK_GRAMMAR_H

#include "notebook/input.h"

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
	bool written;  /* the next kept member needs a comma before it */
};

struct grammar {
	struct arena *arena;
	struct open_value *open; /* the outermost first */
	size_t depth, capacity;  /* number of open values, and for how many OPEN has memory */
	size_t depth_max;
	enum expect expect;
};

/* The innermost open value. At least one value must be open. */
static inline struct open_value *grammar_top(const struct grammar *g)
{
	return &g->open[g->depth - 1];
}

/* Opens a value with BRACKET, '{' or '[', which must be the next byte. Returns 0, or -1 after
 * adding an error if the nesting is too deep. */
int grammar_open(struct grammar *g, struct input *in, char bracket, unsigned role);

/* Records that a value was read. */
static inline void grammar_end_value(struct grammar *g)
{
	g->expect = g->depth == 0 ? EXPECT_END : EXPECT_COMMA;
}

/* Records that the innermost open value was closed. */
static inline void grammar_close(struct grammar *g)
{
	g->depth--;
	grammar_end_value(g);
}

/* Adds an error: C, the next byte or INPUT_END, is not allowed here. Returns -1. */
int grammar_fail(const struct grammar *g, struct input *in, int c);

#endif
