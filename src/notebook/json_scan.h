/* The tokens of JSON (RFC 8259): strings, numbers and words, checked byte by byte and, where they
 * are kept, written in a form that jansson takes. All return 0, or -1 after adding an error. */
#ifndef NBSCOREP_NOTEBOOK_JSON_SCAN_H
#define NBSCOREP_NOTEBOOK_JSON_SCAN_H

#include "base/strbuf.h"
#include "notebook/input.h"

enum {
	SCAN_KEY_MAX = 32,     /* no key that we look for is longer */
	JSON_NUMBER_MAX = 100, /* repr() of Python's float has 24 at most */
};

enum sink_kind {
	SINK_NONE,
	SINK_JSON, /* to TEXT as JSON source, without the quotes */
	SINK_TEXT, /* to TEXT without escapes */
	SINK_KEY,
};

/* Where the characters of a string go, and what was seen in it. */
struct sink {
	enum sink_kind kind;
	bool member_name; /* SINK_JSON: U+0000 becomes U+FFFD, since jansson refuses it in keys */
	bool locate;      /* fill in WHERE */
	struct strbuf *text;
	size_t text_limit;      /* the length that TEXT must not exceed */
	bool is_full;           /* it would have: the string was given up, without an error */
	char key[SCAN_KEY_MAX]; /* SINK_KEY: the decoded text */
	size_t len;             /* bytes of the decoded text, also beyond SCAN_KEY_MAX */
	size_t lone, lone_at;   /* lone surrogates replaced; offset of the first in decoded text */
	struct location where;  /* of the first lone surrogate in the file */
};

/* Reads a string; the next byte is its opening quote. */
int json_scan_string(struct input *in, struct sink *sink);

/* Reads an escape inside of a string, or checks the character there that is not ASCII, which then is
 * in memory; *END is set at the closing quote. All but the escape stays unread. */
int json_scan_special(struct input *in, struct sink *sink, bool *end);

/* Reads a number; *TEXT is what to keep of it, in memory of BUFFER. It is *CHANGED where jansson would
 * not take it: integers beyond 64 bits are clamped, others beyond the range of a double, and what is
 * longer than BUFFER, are null. */
int json_scan_number(struct input *in, char buffer[JSON_NUMBER_MAX], struct slice *text,
                     bool *changed);

/* Reads a word: true, false, null, or (as Python writes them) NaN, Infinity, -Infinity, which are
 * *CHANGED to null. */
int json_scan_word(struct input *in, struct slice *text, bool *changed);

/* Adds an error for malformed UTF-8 if the next byte begins such a thing; else returns 0. */
int json_scan_check_utf8(struct input *in);

#endif
