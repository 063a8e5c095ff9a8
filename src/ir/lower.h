/* The inside of pass_magics(): one line magic, escape or cell magic at a time. Only the files
 * lower_*.c and pass_magics.c include this. */
#ifndef NBSCOREP_IR_LOWER_H
#define NBSCOREP_IR_LOWER_H

#include "base/strbuf.h"
#include "ir/lowering.h"
#include "ir/pass.h"
#include "lex/lex.h"

/* A line magic or escape in its cell. */
struct site {
	struct pass_context *context;
	struct program *program;
	struct block *block;
	const struct magic *magic;
};

/* The place in the notebook of the magic, and of PART of its arguments. */
struct location site_location(const struct site *site);
struct location site_part_location(const struct site *site, struct slice part);

/* How it is called in messages: "%time", "!", "?". */
struct slice site_name(const struct site *site);

/* Is the value of the magic displayed: does it stand on the cell's last line, alone? A ";" belongs
 * to the magic's text and hides nothing. */
bool site_shows_value(const struct site *site);

/* The beginning of the call that displays it. */
struct slice site_echo(const struct site *site);

/* Adds the line ends of a continued magic: they go inside brackets of what replaces it. */
void site_add_line_ends(const struct site *site, struct strbuf *out);

/* Lexes TEXT, Python that a magic holds or becomes, as a cell of its own. What is wrong with it is
 * said nowhere but in LEXED->broken: Python says it when it is run. */
void site_lex(const struct site *site, struct slice text, struct lexed_cell *lexed);

/* TEXT takes the place of the magic; "x = " in front of an assigned one stays. */
void site_replace(const struct site *site, struct slice text);

/* Puts TEXT in front of the magic's statement. Call it before site_replace(). */
void site_put_before(const struct site *site, struct slice text);

/* Does something stand in front of the assignment, as in "if x: y = !ls" or "a; y = !ls"? Then no
 * `with` can stand in front of the line. May say so of one that has none. */
bool magic_has_header(const struct magic *magic);

/* The magic stays visible as a comment; `pass` or, in an assignment, `None` keeps the code valid. */
void site_comment_out(const struct site *site);

/* Leaves the magic out, with the diagnostic that its row asks for. */
void site_drop(const struct site *site);

/* True if the magic includes a file as FORM, which pass_include() has refused with a warning. Call it
 * only for magics that are lowered, not for those whose file was included. */
bool site_was_refused(const struct site *site, enum include_form form);

/* Notes that the program needs a snippet. */
void site_needs(const struct site *site, struct slice snippet);

/* A magic as the call of a helper. */
struct call {
	struct slice function;
	struct slice place, name; /* in front of the text, where they are not empty */
	struct slice text, snippet;
	bool measured, gives_value;
	bool off; /* the instrumenter is off for the call alone */
};

/* A place for messages of the running script: "heat.ipynb, cell 7, line 3"; LINE 0: the cell. */
struct slice lower_place(const struct pass_context *context, const struct block *block,
                         unsigned line);

/* What becomes of MAGIC, a part of SITE's or the same, as a call. False: it has none. A diagnostic
 * is added where something is to be said about it. */
bool lower_to_call(const struct site *site, const struct magic *magic, struct call *out);

/* The expression `f("text", globals(), locals())`, line ends of SITE's magic inside its brackets if
 * LINE_ENDS. */
void call_add(const struct site *site, const struct call *call, bool line_ends, struct strbuf *out);

/* CALL becomes the magic's replacement, shown if its value is. */
void call_replace(const struct site *site, struct call *call);

/* %env, %set_env. */
void lower_env(const struct site *site);

/* ",f a b", ";f a b", "/f a b". */
void lower_autocall(const struct site *site);

/* %time: its statement runs in a context. */
void lower_time(const struct site *site);

/* Does the cell magic leave its cell to Python, or to the magics below it? */
bool lower_runs_around(const struct magic *magic);

/* The cell magics of a block. */
void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block);

#endif
