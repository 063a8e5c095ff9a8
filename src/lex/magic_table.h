/* The table of magics: one row of magics.def per name. */
#ifndef NBSCOREP_LEX_MAGIC_TABLE_H
#define NBSCOREP_LEX_MAGIC_TABLE_H

#include "base/slice.h"

/* The treatment of a magic in a batch job. The builder and the passes dispatch on it. */
enum magic_action {
#define ACTION(id, text) ACTION_##id,
#include "lex/magic_actions.def"
#undef ACTION
	ACTION_COUNT
};

enum magic_form { FORM_LINE = 1, FORM_CELL = 2, FORM_BOTH = 3, FORM_ESCAPE = 4 };

struct magic_row {
	struct slice name;
	enum magic_form form;
	enum magic_action action;
	bool body_is_python; /* of a cell magic: its body is lexed as code */
	const char *doc;
};

/* Returns all rows and sets *COUNT. */
const struct magic_row *magic_rows(size_t *count);

/* The row for NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE), or NULL. */
const struct magic_row *magic_find(struct slice name, enum magic_form form);

/* One line that describes the action, for `nbscorep magics`. */
const char *magic_action_text(enum magic_action action);

#endif
