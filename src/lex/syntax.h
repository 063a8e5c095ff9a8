/* Questions about the Python of a lexed cell, answered from its tokens and logical lines: no
 * parser. They hold for valid code; for a cell that is broken they say something, and never fail.
 * All take time linear in the cell. */
#ifndef NBSCOREP_LEX_SYNTAX_H
#define NBSCOREP_LEX_SYNTAX_H

#include "lex/lex.h"

/* Does the cell have a line that is neither blank nor a comment? A magic is one. */
bool syntax_has_code(const struct lexed_cell *cell);

/* Goes through all statements of a cell. Start with one that is zeroed. */
struct syntax_cursor {
	size_t next;
};

/* An expression that is a statement, as above. */
struct syntax_value {
	uint32_t first_token, last_token;
	bool is_tuple;
};

typedef VECTOR(struct syntax_value) syntax_value_list;

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

struct syntax_name {
	struct slice name;
	bool annotated; /* "name: type" stands outside of functions and classes: it cannot be global */
};

typedef VECTOR(struct syntax_name) syntax_name_list;

typedef VECTOR(uint32_t) syntax_token_list;

/* The names that are annotated outside of functions and classes, "name: type", wherever that is:
 * their tokens are appended to OUT. */
void syntax_annotations(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

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

/* What is wrong with the layout of a cell's lines, and the token it is about. */
struct syntax_fault {
	const char *message;
	uint32_t token;
};

enum {
	SYNTAX_BLOCKS_MAX = 20,  /* CPython's CO_MAXBLOCKS: more do not compile */
	SYNTAX_INDENTS_MAX = 99, /* levels of indentation that CPython's tokenizer takes */
};

struct syntax_depth {
	unsigned
	        blocks; /* statically nested blocks of the cell's own code, functions' not counted */
	unsigned indents; /* levels of indentation below the cell's own */
};

#endif
