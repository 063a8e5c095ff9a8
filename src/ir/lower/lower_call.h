/* Lowers magics to calls of helpers, and cell magics to contexts, too. */
#pragma once

#include "ir/passes.h"
#include "lex/lex.h"

/* A magic in its cell. */
struct site {
	struct pass_context *context;
	struct program *program;
	struct block *block;
	const struct magic *magic;
};

/* Returns the place in the notebook of the magic, or of PART of its arguments. */
struct location site_location(const struct site *site);

struct location site_part_location(const struct site *site, struct slice part);

/* Returns the magic's text in the cell. */
struct slice site_text(const struct site *site);

/* True if the value of the magic is displayed: it is alone on the cell's last line. A ";" belongs
 * to the magic's text and does not hide the value. */
bool site_shows_value(const struct site *site);

/* Appends the line ends of a continued magic to OUT. They must be inside brackets of its
 * replacement. */
void site_add_line_ends(const struct site *site, struct strbuf *out);

/* Replaces the magic by TEXT. "x = " before an assigned magic is kept. */
void site_replace(const struct site *site, struct slice text);

/* How the script uses a helper. */
enum lowering_use {
	USE_CALL,         /* called; turns the instrumenter off */
	USE_MEASURED,     /* called; runs code of the user, which is measured */
	USE_AROUND,       /* code of the user is in `with helper():` */
	USE_AROUND_NAMED, /* the same, with the magic's text as its argument */
};

struct lowering {
	struct slice name;
	struct slice function; /* in Python; takes a text and a cell's body */
	struct slice front;    /* prefix of the magic's text, which replaces "%l" if the prefix
	                          contains that */
	unsigned effect;       /* EFFECT_... of ir.h */
	enum magic_form form;
	enum lowering_use use;
	bool gives_value;
};

/* Returns the row of NAME in FORM (FORM_LINE, FORM_CELL or FORM_ESCAPE). Aborts if it does not
 * exist. Every magic whose action is ACTION_LOWER has a row for each of its forms. */
const struct lowering *lowering_find(struct slice name, enum magic_form form);

/* A magic as the call of a helper. */
struct call {
	struct slice function;
	struct slice place, name; /* arguments before the text, if not empty */
	struct slice text;
	unsigned effect; /* EFFECT_... */
	bool gives_value;
};

/* True if the magic includes a file as FORM, which pass_include() has rejected with a warning. Must
 * be called only for magics that are lowered, not for those whose file was included. */
bool site_was_refused(const struct site *site, enum include_form form);

/* Sets *OUT to the call for MAGIC, which is SITE's magic or a part of it. Returns false if it has
 * no call. May add diagnostics. */
bool lower_to_call(const struct site *site, const struct magic *magic, struct call *out);

/* Appends the expression `f("text")` to OUT. LINE_ENDS: with the line ends of
 * SITE's magic inside its parentheses. */
void call_add(const struct site *site, const struct call *call, bool line_ends, struct strbuf *out);

/* Replaces the magic by CALL, which shows its value if the magic does. */
void call_replace(const struct site *site, const struct call *call);

/* True if the cell magic leaves its cell to Python, or to the magics below it. */
bool lower_runs_around(const struct magic *magic);

/* Lowers the cell magics of BLOCK. */
void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block);
