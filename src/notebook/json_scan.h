/* The tokens of JSON (RFC 8259): strings, numbers and words. They are checked byte by byte, and
 * kept ones are written in a form that jansson accepts. All functions return 0, or -1 after adding
 * an error. */
#ifndef NBSCOREP_NOTEBOOK_JSON_SCAN_H
#define NBSCOREP_NOTEBOOK_JSON_SCAN_H

#include "base/strbuf.h"
#include "notebook/input.h"

enum {
	SCAN_KEY_MAX = 32,     /* longer than any key that the reader looks for */
	JSON_NUMBER_MAX = 100, /* repr() of a Python float has at most 24 */
};

enum sink_kind {
	SINK_NONE,
	SINK_JSON, /* to TEXT as JSON source, without the quotes */
	SINK_TEXT, /* to TEXT without escapes */
	SINK_KEY,
};

/* The destination of a string's characters, and facts about the string. */
struct sink {
	enum sink_kind kind;
	bool member_name; /* SINK_JSON: U+0000 becomes U+FFFD, because jansson rejects it in keys */
	bool locate;      /* true to set WHERE */
	struct strbuf *text;
	size_t text_limit;      /* the length that TEXT must not exceed */
	bool is_full;           /* TEXT would have exceeded it; no error was added */
	char key[SCAN_KEY_MAX]; /* SINK_KEY: the decoded text */
	size_t len;             /* bytes of the decoded text, can exceed SCAN_KEY_MAX */
	size_t lone, lone_at;   /* lone surrogates replaced; offset of the first in decoded text */
	struct location where;  /* of the first lone surrogate in the file */
};

/* Reads a string; the next byte is its opening quote. */
int json_scan_string(struct input *in, struct sink *sink);

/* Reads an escape in a string, or checks the character there that is not ASCII and leaves it
 * unread, but in memory. Sets *END at the closing quote, which stays unread, too. */
int json_scan_special(struct input *in, struct sink *sink, bool *end);

/* Reads a number. *TEXT is the kept form; it may be in BUFFER. *CHANGED is true if jansson would
 * not accept the original: integers beyond 64 bits are clamped. Other numbers beyond the range of a
 * double, or longer than BUFFER, become null. */
int json_scan_number(struct input *in, char buffer[JSON_NUMBER_MAX], struct slice *text,
                     bool *changed);

/* Reads a word: true, false, null, or (as Python writes them) NaN, Infinity, -Infinity, for which
 * *CHANGED is true and *TEXT is null. */
int json_scan_word(struct input *in, struct slice *text, bool *changed);

/* Returns -1 after adding an error if the next bytes are malformed UTF-8; else returns 0. */
int json_scan_check_utf8(struct input *in);

#endif
