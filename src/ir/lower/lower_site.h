/* The place of a magic: replaces it and reports about it. */
#ifndef NBSCOREP_IR_LOWER_LOWER_SITE_H
#define NBSCOREP_IR_LOWER_LOWER_SITE_H

#include "ir/lower/lower.h"

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

/* Notes that the program needs a snippet. */
void site_needs(const struct site *site, struct slice snippet);

#endif
