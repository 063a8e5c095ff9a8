/* The values of a cell: those that IPython shows, and those that its top level assigns. */
#pragma once

#include "lex/syntax.h"

/* An expression statement. */
struct syntax_value {
	uint32_t first_token, last_token;
	bool is_tuple; /* a comma or an unpacking star is outside of its brackets, so that it needs
	                * parentheses as an argument */
};

typedef VECTOR(struct syntax_value) syntax_value_list;

/* True if the cell's last statement is an expression whose value Jupyter shows; sets *OUT. False
 * if a ";" follows, the last line with code contains a magic, or the cell is broken. */
bool syntax_last_expression(const struct lexed_cell *cell, struct syntax_value *out);

/* Adds all such expressions outside of functions and classes to OUT, in order; none of a broken cell.
 * Returns true if a ";" follows the cell's last statement. */
bool syntax_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* A name that the cell's top level sets: "name = value", "name: type = value", "a = b = value". */
struct syntax_assignment {
	struct slice name;
	uint32_t token;          /* of the name */
	struct slice value;      /* its source; empty if the name is one of several targets */
	struct slice type;       /* Python's name for the type of a literal value, or empty */
	struct slice annotation; /* or empty */
	struct slice comment;    /* after the statement, without "#" and outer blanks, or empty */
};

typedef VECTOR(struct syntax_assignment) syntax_assignment_list;

/* Appends these names to OUT, in order; a name can occur more than once. */
void syntax_assignments(struct arena *arena, const struct lexed_cell *cell,
                        syntax_assignment_list *out);
