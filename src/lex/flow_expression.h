/* Internal to src/lex: the state of flow_read(), and its functions for expressions. */
#ifndef NBSCOREP_LEX_FLOW_EXPRESSION_H
#define NBSCOREP_LEX_FLOW_EXPRESSION_H

#include "base/name_set.h"
#include "lex/flow.h"

/* The statements below a header, and their common properties. */
struct flow_suite {
	uint32_t column, logical; /* of the header */
	bool perhaps;             /* they may not run, or their errors do not end the script */
	bool in_function, in_class, in_loop;
};

/* An open bracket, or the expression as a whole. */
struct flow_bracket {
	size_t events;             /* number of events when it was opened */
	size_t segment;            /* number of events after its last comma or colon */
	bool is_round;             /* "(": a comprehension in it is a generator */
	bool has_loop, has_filter; /* its comprehension's "for" and "if" were read */
	size_t loop;               /* number of events before that "for" */
};

struct flow_loop {
	uint32_t line; /* of its header */
	size_t next;   /* the first statement of its body */
	size_t suites; /* number of open suites; the loop's own is the last */
	bool ahead;    /* its body was not yet searched for definitions */
};

enum { FLOW_LOCALS_MAX = 32 };

struct flow_reader {
	struct arena *arena;
	struct name_filter openers; /* names whose use means that any name may have a value */
	struct lexed_cell field;

	/* the cell */
	const struct lexed_cell *cell;
	flow_events *out;
	size_t next; /* index of the next statement */
	VECTOR(struct flow_suite) suites;
	struct flow_loop loop; /* the outermost one around the statement, if it is in a loop */
	VECTOR(struct flow_bracket) brackets;
	struct flow_suite now;                 /* a copy of the innermost suite */
	struct name_set class_names;           /* defined by the class around the statement */
	bool has_loop, has_walrus, has_opener; /* the cell contains "for", ":=", an opener */
	bool may_end;                          /* the cell may contain code that ends the script */
	bool in_field;   /* reading a field of an f-string, which is in FIELD */
	bool binds_only; /* read only the names that statements define */
	bool is_no_python;

	/* the statement: variables of its comprehensions; if they exceed the array, all names */
	struct slice locals[FLOW_LOCALS_MAX];
	size_t local_count;
};

/* True if token AT is an operator or bracket of the one character C. AT must be before the end. */
static inline bool flow_is(const struct lexed_cell *cell, uint32_t at, char c)
{
	const struct token *token = &cell->tokens.items[at];
	return token->kind == TOKEN_OP && token->len == 1 && cell->text.ptr[token->offset] == c;
}

/* 1 for an opening bracket, -1 for a closing bracket, else 0. */
int flow_bracket_step(const struct lexed_cell *cell, uint32_t at);

/* The token after the bracket that opens at OPEN, or END. */
uint32_t flow_after_bracket(const struct lexed_cell *cell, uint32_t open, uint32_t end);

void flow_add(struct flow_reader *reader, enum flow_kind kind, struct slice name);
void flow_bind(struct flow_reader *reader, struct slice name);

/* Binds the names in tokens [FIRST, END), except keywords and attributes. */
void flow_bind_names(struct flow_reader *reader, uint32_t first, uint32_t end);

/* Fills reader->openers. */
void flow_find_openers(struct flow_reader *reader);

/* True if the name at token AT is an opener, as a function, module or attribute. */
bool flow_is_opener(const struct flow_reader *reader, uint32_t at);

/* Call before reading a statement, tokens [FIRST, END). Finds the variables of its comprehensions,
 * and binds the names that ":=" defines. */
void flow_begin_statement(struct flow_reader *reader, uint32_t first, uint32_t end);

/* Reads tokens [FIRST, END), an expression or several separated by commas. Binds the names after
 * "as". */
void flow_expression(struct flow_reader *reader, uint32_t first, uint32_t end);

/* Reads the targets of an assignment, tokens [FIRST, END). AUGMENTED: by += and the like. */
void flow_targets(struct flow_reader *reader, uint32_t first, uint32_t end, bool augmented);

#endif
