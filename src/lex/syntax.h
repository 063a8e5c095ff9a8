/* Queries about the Python of a lexed cell, answered from its tokens and logical lines without a
 * parser. The results are correct for valid code. For a broken cell they are arbitrary, but no
 * function fails. All take time linear in the cell's size. */
#ifndef NBSCOREP_LEX_SYNTAX_H
#define NBSCOREP_LEX_SYNTAX_H

#include "lex/lex.h"

/* True if the cell has a line other than blank lines and comments. A magic counts. */
bool syntax_has_code(const struct lexed_cell *cell);

/* Iterates over all statements of a cell. Zeroed, it is at the start. */
struct syntax_cursor {
	size_t next;
};

/* An expression statement. */
struct syntax_value {
	uint32_t first_token, last_token;
	bool is_tuple;
};

typedef VECTOR(struct syntax_value) syntax_value_list;

typedef VECTOR(struct slice) syntax_slices;

struct syntax_future {
	uint32_t first_token, last_token; /* from "from" on */
	uint32_t logical;
	syntax_slices names; /* the imported names, without "as" */
	bool alone;          /* no other statement is on its logical line */
};

typedef VECTOR(struct syntax_future) syntax_future_list;

/* Appends the "from __future__ import" statements of the cell's top level to OUT. */
void syntax_future_imports(struct arena *arena, const struct lexed_cell *cell,
                           syntax_future_list *out);

typedef VECTOR(struct syntax_statement) syntax_statement_list;

/* Appends the statements outside of functions and classes that begin with WORD to OUT. */
void syntax_outer_statements(struct arena *arena, const struct lexed_cell *cell, struct slice word,
                             syntax_statement_list *out);

/* A function or class that is not inside another one: its name, and the tokens of its header and
 * body. */
struct syntax_definition {
	struct slice name;
	uint32_t first_token, last_token;
};

typedef VECTOR(struct syntax_definition) syntax_definition_list;

/* Appends these definitions to OUT, in order. */
void syntax_definitions(struct arena *arena, const struct lexed_cell *cell,
                        syntax_definition_list *out);

/* The same for functions that are not inside another function, but may be in classes. */
void syntax_functions(struct arena *arena, const struct lexed_cell *cell,
                      syntax_definition_list *out);

/* Appends the top-level names of the modules that the cell imports, anywhere in it, each once: "a"
 * for "import a.b". Relative imports do not count. */
void syntax_imported_modules(struct arena *arena, const struct lexed_cell *cell,
                             syntax_slices *out);

/* A possible meaning of an import, and its place: "a/b" for "import a.b" and for "from a import b",
 * "./a" for "from . import a", "../a" for "from .. import a". */
struct syntax_import {
	struct slice path;
	uint32_t token;
};

typedef VECTOR(struct syntax_import) syntax_import_list;

struct syntax_name {
	struct slice name;
	bool annotated; /* by "name: type" outside of functions and classes: it cannot be global */
};

typedef VECTOR(struct syntax_name) syntax_name_list;

typedef VECTOR(uint32_t) syntax_token_list;

/* Appends the tokens of names that are annotated outside of functions and classes, "name: type", to
 * OUT. */
void syntax_annotations(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

/* Appends all names in the cell to OUT, except keywords and attributes, each once, in order.
 * Returns true if a star import is outside of functions and classes. */
bool syntax_names(struct arena *arena, const struct lexed_cell *cell, syntax_name_list *out);

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

/* A fault in the layout of a cell's lines, and its token. */
struct syntax_fault {
	const char *message;
	uint32_t token;
};

enum {
	SYNTAX_BLOCKS_MAX = 20,  /* CPython's CO_MAXBLOCKS: deeper code does not compile */
	SYNTAX_INDENTS_MAX = 99, /* levels of indentation that CPython's tokenizer accepts */
};

struct syntax_depth {
	unsigned blocks;  /* statically nested blocks of the cell's own code, without functions */
	unsigned indents; /* levels of indentation below the cell's own */
};

#endif
