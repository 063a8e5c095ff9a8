/* Questions about the Python of a lexed cell, answered from its tokens and logical lines: no
 * parser. They hold for valid code; for a cell that is broken they say something, and never fail.
 * All take time linear in the cell. */
#ifndef NBSCOREP_LEX_SYNTAX_H
#define NBSCOREP_LEX_SYNTAX_H

#include "lex/lex.h"

/* Is WORD a keyword of Python 3.8 to 3.14 that no variable can be called? Soft keywords (match,
 * case, type, _) are none. */
bool syntax_is_keyword(struct slice word);

/* The index of the first token at or behind INDEX, before END, that is neither blank, comment,
 * line end nor continuation; END when there is none. */
uint32_t syntax_next(const struct lexed_cell *cell, uint32_t index, uint32_t end);

/* The index of the token in front of INDEX on its logical line, of the same kinds; INDEX itself
 * when there is none. */
uint32_t syntax_previous(const struct lexed_cell *cell, uint32_t index);

/* Is token INDEX the operator or name TEXT? A string is neither, nor is what is behind the last one. */
bool syntax_is(const struct lexed_cell *cell, uint32_t index, struct slice text);

/* Does a "." stand in front of token INDEX? */
bool syntax_is_attribute(const struct lexed_cell *cell, uint32_t index);

/* Does the cell have a line that is neither blank nor a comment? A magic is one. */
bool syntax_has_code(const struct lexed_cell *cell);

/* Goes through all statements of a cell. Start with one that is zeroed. */
struct syntax_cursor {
	size_t next;
};

/* The next statement; false behind the last. */
bool syntax_next_statement(const struct lexed_cell *cell, struct syntax_cursor *cursor,
                           struct syntax_statement *out);

/* The statement that token INDEX stands in, or NULL. In time of the logarithm of their number. */
const struct syntax_statement *syntax_statement_at(const struct lexed_cell *cell, uint32_t index);

/* Is the cell's last statement an expression whose value Jupyter would show? Then its tokens are
 * [*FIRST_TOKEN, *LAST_TOKEN], both significant; *IS_TUPLE says that a comma or an unpacking star
 * stands outside of its brackets, so that it must be put in parentheses to become an argument.
 * False where the last line with code holds a magic, or the cell is broken. */
bool syntax_last_expression(const struct lexed_cell *cell, uint32_t *first_token,
                            uint32_t *last_token, bool *is_tuple);

/* The same, whether or not a ";" stands behind it, which is told. */
bool syntax_last_value(const struct lexed_cell *cell, uint32_t *first_token, uint32_t *last_token,
                       bool *is_tuple, bool *semicolon);

/* An expression that is a statement, as above. */
struct syntax_value {
	uint32_t first_token, last_token;
	bool is_tuple;
};

typedef VECTOR(struct syntax_value) syntax_value_list;

/* All of them outside of functions and classes, in order, are appended to OUT. Returns whether a ";"
 * stands behind the cell's last statement. */
bool syntax_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* The same of those inside the last statement of the top level, which may be compound; none where the
 * cell's last line is a magic. */
bool syntax_last_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out);

/* True if the cell's last statement assigns to one name, *NAME, with "=", "+=" or an annotation, and no
 * ";" follows its *LAST_TOKEN. */
bool syntax_last_target(const struct lexed_cell *cell, uint32_t *name, uint32_t *last_token);

/* Sets IN_SCOPE of each of cell->magics that stands in the body of a function or class. */
void syntax_find_scoped_magics(const struct lexed_cell *cell, bool *in_scope);

typedef VECTOR(struct slice) syntax_slices;

struct syntax_future {
	uint32_t first_token, last_token; /* from "from" on */
	uint32_t logical;
	syntax_slices names; /* what is imported, without "as" */
	bool alone;          /* nothing else stands on its logical line */
};

typedef VECTOR(struct syntax_future) syntax_future_list;

/* The "from __future__ import" statements of the cell's top level, appended to OUT. */
void syntax_future_imports(struct arena *arena, const struct lexed_cell *cell,
                           syntax_future_list *out);

typedef VECTOR(struct syntax_statement) syntax_statement_list;

/* The statements outside of functions and classes that begin with WORD, appended to OUT. */
void syntax_outer_statements(struct arena *arena, const struct lexed_cell *cell, struct slice word,
                             syntax_statement_list *out);

/* A function or class that stands in no other one: its name, and the tokens of its header and body. */
struct syntax_definition {
	struct slice name;
	uint32_t first_token, last_token;
};

typedef VECTOR(struct syntax_definition) syntax_definition_list;

/* They are appended to OUT, in order. */
void syntax_definitions(struct arena *arena, const struct lexed_cell *cell,
                        syntax_definition_list *out);

/* The same for functions that stand in no other one: those of classes, too. */
void syntax_functions(struct arena *arena, const struct lexed_cell *cell,
                      syntax_definition_list *out);

/* The top-level names of the modules that the cell imports, anywhere in it, each once: "a" for
 * "import a.b". Relative imports do not count. */
void syntax_imported_modules(struct arena *arena, const struct lexed_cell *cell,
                             syntax_slices *out);

/* What an import may mean: "a/b" for "import a.b" and for "from a import b", "./a" for "from . import a",
 * "../a" for "from .. import a"; and where it stands. */
struct syntax_import {
	struct slice path;
	uint32_t token;
};

typedef VECTOR(struct syntax_import) syntax_import_list;

/* Those of the cell, anywhere in it, and the packages that they lie in: each path once, appended to
 * OUT. Of a path with more than 64 parts, the first 64. */
void syntax_imports(struct arena *arena, const struct lexed_cell *cell, syntax_import_list *out);

/* Does `if __name__ == "__main__":` stand outside of functions and classes? */
bool syntax_has_main_guard(const struct lexed_cell *cell);

/* Is there a call of one of the NAMES, also as an attribute, outside of functions and of the suites of
 * `if __name__ == "__main__":`? */
bool syntax_calls_unguarded(const struct lexed_cell *cell, const struct slice *names, size_t count);

/* Does the cell need an event loop: await, async for, async with or an asynchronous comprehension
 * outside of any function? */
bool syntax_has_top_level_await(const struct lexed_cell *cell, struct arena *arena);

struct syntax_name {
	struct slice name;
	bool annotated; /* "name: type" stands outside of functions and classes: it cannot be global */
};

typedef VECTOR(struct syntax_name) syntax_name_list;

typedef VECTOR(uint32_t) syntax_token_list;

/* The names that are annotated outside of functions and classes, "name: type", wherever that is:
 * their tokens are appended to OUT. */
void syntax_annotations(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

/* The names that the cell may set, in functions, too: targets, parameters, what is imported, defined
 * or called global. Their tokens are appended to OUT. A keyword argument is none, and a name of a
 * call beside a comma; those that match and an "as (a, b)" set are not found. */
void syntax_bindings(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

/* All names that stand in the cell, but keywords and attributes, each once, in order. Returns
 * whether a star import stands outside of functions and classes. */
bool syntax_names(struct arena *arena, const struct lexed_cell *cell, syntax_name_list *out);

/* A name that the cell's top level sets: "name = value", "name: type = value", "a = b = value". */
struct syntax_assignment {
	struct slice name;
	uint32_t token;          /* of the name */
	struct slice value;      /* its source; empty where the name is one of several targets */
	struct slice type;       /* of a value that is a literal, as Python calls it, or empty */
	struct slice annotation; /* or empty */
	struct slice comment; /* behind the statement, without "#" and blanks around it, or empty */
};

typedef VECTOR(struct syntax_assignment) syntax_assignment_list;

/* Those of the cell, in order; a name can come more than once. They are appended to OUT. */
void syntax_assignments(struct arena *arena, const struct lexed_cell *cell,
                        syntax_assignment_list *out);

/* What is wrong with the layout of a cell's lines, and the token it is about. */
struct syntax_fault {
	const char *message;
	uint32_t token;
};

/* Does a header lack its ":" or its indented block, or is a line indented without a header? Then the
 * first such fault goes to OUT. Meant for cells that are not broken. */
bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out);

enum {
	SYNTAX_BLOCKS_MAX = 20,  /* CPython's CO_MAXBLOCKS: more do not compile */
	SYNTAX_INDENTS_MAX = 99, /* levels of indentation that CPython's tokenizer takes */
};

struct syntax_depth {
	unsigned
	        blocks; /* statically nested blocks of the cell's own code, functions' not counted */
	unsigned indents; /* levels of indentation below the cell's own */
};

/* How deep the cell nests. A "with" around it costs one more of each. */
struct syntax_depth syntax_nesting(const struct lexed_cell *cell, struct arena *arena);

#endif
