/* The place of a magic: replaces it and reports about it. */
#ifndef NBSCOREP_IR_LOWER_LOWER_SITE_H
#define NBSCOREP_IR_LOWER_LOWER_SITE_H

#include "base/strbuf.h"
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

/* True if the value of the magic is displayed: it is alone on the cell's last line. A ";" belongs
 * to the magic's text and does not hide the value. */
bool site_shows_value(const struct site *site);

/* Returns the beginning of the call that displays the value. */
struct slice site_echo(const struct site *site);

/* Appends the line ends of a continued magic to OUT. They must be inside brackets of its
 * replacement. */
void site_add_line_ends(const struct site *site, struct strbuf *out);

/* Replaces the magic by TEXT. "x = " before an assigned magic is kept. */
void site_replace(const struct site *site, struct slice text);

/* Inserts TEXT before the magic's statement. Must be called before site_replace(). */
void site_put_before(const struct site *site, struct slice text);

/* True if code precedes the assignment on its line, as in "if x: y = !ls" or "a; y = !ls", so that
 * no `with` can be put before the line. May be true for other lines, too. */
bool magic_has_header(const struct magic *magic);

/* Turns the magic into a comment, which begins with the REASON, after `pass` or, in an assignment,
 * `None`, which keep the code valid. */
void site_comment_out(const struct site *site, const char *reason);

/* Turns the magic into a comment and adds the diagnostic of its row. */
void site_drop(const struct site *site);

#endif
