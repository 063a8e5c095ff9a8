/* The names that a cell defines, imports, sets and uses. */
#pragma once

#include "lex/syntax.h"

struct name_set;

/* A possible meaning of an import, and its place: "a/b" for "import a.b" and for "from a import b",
 * "./a" for "from . import a", "../a" for "from .. import a". */
struct syntax_import {
	struct slice path;
	uint32_t token;
};

typedef VECTOR(struct syntax_import) syntax_import_list;

/* Appends the imports of the cell, anywhere in it, and the packages that contain them to OUT, each
 * path once. Only the first 64 parts of a path count. */
void syntax_imports(struct arena *arena, const struct lexed_cell *cell, syntax_import_list *out);

/* A "from __future__ import" statement. */
struct syntax_future {
	const struct syntax_statement *statement;
	syntax_slices names; /* the imported names, without "as" */
};

typedef VECTOR(struct syntax_future) syntax_future_list;

/* Appends the "from __future__ import" statements of the cell's top level to OUT. */
void syntax_future_imports(struct arena *arena, const struct lexed_cell *cell,
                           syntax_future_list *out);

/* Appends the tokens of names that are annotated outside of functions and classes, "name: type", to
 * OUT. */
void syntax_annotations(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);

/* Adds all names in the cell to OUT, except keywords and attributes, in order. Returns true if a
 * star import is outside of functions and classes. */
bool syntax_names(const struct lexed_cell *cell, struct name_set *out);

/* Appends the tokens of the names that the cell may set to OUT, also in functions: targets,
 * parameters, imported, defined and global names. Excludes keyword arguments, and names beside a
 * comma in a call. Does not find names that "match" and "as (a, b)" set. */
void syntax_bindings(struct arena *arena, const struct lexed_cell *cell, syntax_token_list *out);
