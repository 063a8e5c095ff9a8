/* Which parts of a notebook are kept (nbformat 1 to 4): a table. */
#ifndef NBSCOREP_NOTEBOOK_ROLES_H
#define NBSCOREP_NOTEBOOK_ROLES_H

#include "base/slice.h"

/* What a value means. What stands inside a value follows from its role and the key. */
enum role {
	ROLE_SKIP = 0, /* not kept */
	ROLE_LEAF,     /* kept; of an array or object only that it is one */
	ROLE_WHOLE,    /* kept with all that is in it */
	ROLE_NOTEBOOK,
	ROLE_METADATA,
	ROLE_LANGUAGE_INFO,
	ROLE_KERNELSPEC,
	ROLE_CELLS,
	ROLE_SHEETS,
	ROLE_SHEET,
	ROLE_SHEET_CELLS,
	ROLE_CELL,
	ROLE_CELL_METADATA,
	ROLE_TAGS,
	ROLE_VSCODE,
	ROLE_DOTNET_INTERACTIVE,
	ROLE_POLYGLOT_NOTEBOOK,
	ROLE_SOURCE, /* a string's text, and those of an array's members, stand beside what is kept */
	ROLE_SOURCE_ITEM,
};

/* Under these keys a cell's source may stand. */
enum source_key {
	SOURCE_SOURCE, /* nbformat 4; text cells before, too */
	SOURCE_INPUT,  /* code cells of nbformat 2 and 3 */
	SOURCE_CODE,   /* code cells of nbformat 1 */
	SOURCE_TEXT,   /* text cells of nbformat 1 */
	SOURCE_KEY_COUNT
};

struct role_member {
	enum role in;
	struct slice key; /* empty: every member of an array */
	enum role role;
	enum source_key source; /* of ROLE_SOURCE */
};

/* What is not kept, and what is kept with all that is in it. */
extern const struct role_member role_nothing, role_anything;

/* The member of a value with role IN called KEY, or of an array where KEY is empty. */
const struct role_member *role_find(enum role in, struct slice key);

#endif
