#include "lex/magic_table.h"

static const struct magic_row rows[] = {
#define MAGIC(name, form, action, body, doc)                                                       \
	{SLICE_INIT(name), FORM_##form, ACTION_##action, body, doc},
#define LOWERED(...)
#include "lex/magics.def"
#undef MAGIC
#undef LOWERED
};

static const char *const texts[ACTION_COUNT] = {
#define ACTION(id, text) [ACTION_##id] = (text),
#include "lex/magic_actions.def"
#undef ACTION
};

const struct magic_row *magic_rows(size_t *count)
{
	*count = sizeof rows / sizeof *rows;
	return rows;
}

const struct magic_row *magic_find(struct slice name, enum magic_form form)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (((unsigned)rows[i].form & (unsigned)form) != 0 && slice_eq(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

const char *magic_action_text(enum magic_action action)
{
	return texts[action];
}
