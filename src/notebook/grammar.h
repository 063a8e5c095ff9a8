/* Where in JSON's grammar (RFC 8259) a reader stands, and what it says of what cannot stand there. */
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
	unsigned role; /* what the reader takes it for; 0: nothing of it is kept */
	unsigned line; /* on which it was opened */
	char close;    /* the bracket that ends it */
	bool written;  /* the next member kept needs a comma before it */
};

struct grammar {
	struct arena *arena;
	struct open_value *open; /* from the outermost on */
	size_t depth, capacity;  /* open values, and those that there is memory for */
	size_t depth_max;
	enum expect expect;
};

/* The innermost open value; there is one. */
static inline struct open_value *grammar_top(const struct grammar *g)
{
	return &g->open[g->depth - 1];
}

/* BRACKET, '{' or '[', is read next and opens a value; it stays unread. Returns 0, or -1 after adding
 * an error where that is too deep. */
int grammar_open(struct grammar *g, struct input *in, char bracket, unsigned role);

/* A value has been read. */
static inline void grammar_end_value(struct grammar *g)
{
	g->expect = g->depth == 0 ? EXPECT_END : EXPECT_COMMA;
}

/* The innermost open value has been closed. */
static inline void grammar_close(struct grammar *g)
{
	g->depth--;
	grammar_end_value(g);
}

/* Adds an error: C, which is read next (or INPUT_END), cannot stand here. Returns -1. */
int grammar_fail(const struct grammar *g, struct input *in, int c);

#endif
