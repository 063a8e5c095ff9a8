/* Internal to src/lex: the state of flow_read(), and its part for expressions. */
#ifndef NBSCOREP_LEX_FLOW_EXPRESSION_H
#define NBSCOREP_LEX_FLOW_EXPRESSION_H

#include "base/name_set.h"
#include "lex/flow.h"

/* The statements below a header, and what holds for all of them. */
struct flow_suite {
	uint32_t column, logical; /* of the header */
	bool perhaps;             /* they may not run, or an error in them ends nothing */
	bool in_function, in_class, in_loop;
};

/* A bracket that is open, or the expression as a whole. */
struct flow_bracket {
	size_t events;             /* of the list, when it was opened */
	size_t segment;            /* the same after its last comma or colon */
	bool is_round;             /* "(": a comprehension in it is a generator */
	bool has_loop, has_filter; /* it is a comprehension, whose "for" and "if" were read */
	size_t loop;               /* the same before that */
};

struct flow_loop {
	uint32_t line; /* of its header */
	size_t next;   /* the first statement of its body */
	size_t suites; /* open ones, its own is the last */
	bool ahead;    /* its body was not yet searched for definitions */
};

enum { FLOW_LOCALS_MAX = 32 };

struct flow_reader {
	struct arena *arena;
	struct name_filter openers; /* names after which any name may have a value */
	struct lexed_cell field;

	/* the cell */
	const struct lexed_cell *cell;
	flow_events *out;
	size_t next; /* the statement that comes next */
	VECTOR(struct flow_suite) suites;
	struct flow_loop loop; /* the outermost one around the statement, if that is in one */
	VECTOR(struct flow_bracket) brackets;
	struct flow_suite now;                 /* of the statement: that of the innermost suite */
	struct name_set class_names;           /* that the class around the statement has defined */
	bool has_loop, has_walrus, has_opener; /* "for", ":=", one of the openers is in the cell */
	bool may_end;    /* something that ends the script may be in the cell */
	bool in_field;   /* of an f-string, which FIELD has */
	bool binds_only; /* statements are read for the names that they define */
	bool is_no_python;

	/* the statement: variables of its comprehensions; more than the array takes: all names */
	struct slice locals[FLOW_LOCALS_MAX];
	size_t local_count;
};

/* Is token AT, before the end of the cell, an operator or bracket of the one character C? */
static inline bool flow_is(const struct lexed_cell *cell, uint32_t at, char c)
{
	const struct token *token = &cell->tokens.items[at];
	return token->kind == TOKEN_OP && token->len == 1 && cell->text.ptr[token->offset] == c;
}

/* 1 for an opening bracket, -1 for a closing one, else 0. */
int flow_bracket_step(const struct lexed_cell *cell, uint32_t at);

/* The token after the bracket that opens at OPEN, or END. */
uint32_t flow_after_bracket(const struct lexed_cell *cell, uint32_t open, uint32_t end);

void flow_add(struct flow_reader *reader, enum flow_kind kind, struct slice name);
void flow_bind(struct flow_reader *reader, struct slice name);

/* Binds the names in tokens [FIRST, END) but keywords and attributes. */
void flow_bind_names(struct flow_reader *reader, uint32_t first, uint32_t end);

/* Fills reader->openers. */
void flow_find_openers(struct flow_reader *reader);

/* Is the name at token AT an opener, as the function or module of that name? */
bool flow_is_opener(const struct flow_reader *reader, uint32_t at);

/* Finds the variables of comprehensions in tokens [FIRST, END), a statement, and binds the names that ":="
 * defines. */
void flow_begin_statement(struct flow_reader *reader, uint32_t first, uint32_t end);

/* Reads the expression, or several that commas separate, of tokens [FIRST, END). The names after an "as" in it
 * are bound. */
void flow_expression(struct flow_reader *reader, uint32_t first, uint32_t end);

/* Reads what is assigned to, tokens [FIRST, END). AUGMENTED: by += and the like. */
void flow_targets(struct flow_reader *reader, uint32_t first, uint32_t end, bool augmented);

#endif
