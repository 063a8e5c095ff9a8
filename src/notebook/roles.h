/* Which parts of a notebook are kept (nbformat 1 to 4): a table. */
#ifndef NBSCOREP_NOTEBOOK_ROLES_H
#define NBSCOREP_NOTEBOOK_ROLES_H

#include "base/slice.h"

/* The meaning of a value. The roles of its members follow from its role and their keys. */
enum role {
	ROLE_SKIP = 0, /* not kept */
	ROLE_LEAF,     /* kept; of an array or object only its kind */
	ROLE_WHOLE,    /* kept with all its content */
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
	ROLE_SOURCE, /* the text of a string, or of an array's strings, is kept separately */
	ROLE_SOURCE_ITEM,
};

/* The keys that may hold a cell's source. */
enum source_key {
	SOURCE_SOURCE, /* nbformat 4; text cells of older versions, too */
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

/* A member that is not kept, and one that is kept with all its content. */
extern const struct role_member role_nothing, role_anything;

/* The member KEY of a value with role IN; an empty KEY is a member of an array. */
const struct role_member *role_find(enum role in, struct slice key);

#endif
