/* The file being read, chunk by chunk, with the place of the next byte for diagnostics. Lines end
 * with LF or CR LF; columns count characters; both are 1-based. */
#pragma once

#include "diag/diag.h"
#include "notebook/plain.h"

enum {
	INPUT_CHUNK = 128 * 1024, /* of the first read; later ones double up to INPUT_CHUNK_MAX */
	INPUT_CHUNK_MAX = 1024 * 1024,
	INPUT_LINE = 200, /* longer lines are not shown in diagnostics */
	INPUT_MEMORY = INPUT_LINE + INPUT_CHUNK_MAX + PLAIN_PAD,
	INPUT_END = -1, /* returned by input_peek() at the end, or after a failed read */
};

struct input {
	int fd;
	int error; /* errno of a failed read, or 0 */
	struct slice name;
	struct diags *diags;
	bool ended;
	unsigned line;
	size_t chunk;     /* of the next read */
	size_t at, end;   /* the unread bytes of BYTES; PLAIN_PAD NULs follow at END */
	size_t line_at;   /* start of the current line, or of its part in memory, in BYTES */
	size_t dropped;   /* bytes of the current line before LINE_AT */
	size_t continued; /* bytes of the current line before AT that continue a character */
	const struct plain_kernel *plain;
	char *bytes;         /* INPUT_MEMORY bytes; a small file touches few of their pages */
	struct strbuf *copy; /* gets what is read, or NULL */
	size_t copied;       /* offset in BYTES up to which it has it */
	size_t copy_max;     /* bytes that COPY gets at most */
};

/* Starts to read FD. NAME is used in messages only. */
void input_init(struct input *in, int fd, struct slice name, struct diags *diags);

/* Reads until COUNT (at most INPUT_CHUNK) bytes from AT on are in memory, or the file ends. Returns
 * the number of bytes there, which may be larger. BYTES may move. */
size_t input_need(struct input *in, size_t count);

/* The next byte (0 to 255), which stays unread, or INPUT_END. */
static inline int input_peek(struct input *in)
{
	if (in->at == in->end && input_need(in, 1) == 0)
		return INPUT_END;
	return (unsigned char)in->bytes[in->at];
}

/* The bytes in memory from the next byte on. */
static inline struct slice input_rest(const struct input *in)
{
	return slice_make(in->bytes + in->at, in->end - in->at);
}

/* Has what is read from the next byte on appended to TEXT, at most MAX bytes of it. */
void input_copy_begin(struct input *in, struct strbuf *text, size_t max);

/* Ends this before the next byte, if it was begun. */
void input_copy_end(struct input *in);

/* Skips JSON's white space and counts lines. Returns what input_peek() returns. */
int input_skip_blanks(struct input *in);

/* Adds an error at the next byte, or the error of a failed read instead. Returns -1. */
__attribute__((format(printf, 3, 4))) int input_fail(struct input *in, enum diag_kind kind,
                                                     const char *format, ...);

/* ---- the tokens of JSON (RFC 8259): strings, numbers and words ---- */

/* They are checked byte by byte. All functions return 0, or -1 after adding an error. */

enum {
	SCAN_KEY_MAX = 32,    /* longer than any key that the reader looks for */
	JSON_NUMBER_MAX = 20, /* of digits that are kept: more than an integer of 64 bits has */
};

/* The destination of a string's characters without escapes, and facts about the string. */
struct sink {
	bool locate;         /* true to set WHERE, the place of the first lone surrogate */
	struct strbuf *text; /* to which they are added, or NULL */
	size_t text_limit;   /* the length that TEXT must not exceed */
	bool is_full;        /* TEXT would have exceeded it; no error was added */
	char *key;           /* SCAN_KEY_MAX bytes, which get the first ones; or NULL */
	size_t len;          /* bytes of the decoded text, can exceed SCAN_KEY_MAX */
	bool is_lone;        /* a lone surrogate was replaced */
	struct location where;
};

/* Reads a string; the next byte is its opening quote. */
int json_scan_string(struct input *in, struct sink *sink);

/* Reads an escape in a string, or checks the character there that is not ASCII and leaves it
 * unread, but in memory. Sets *END at the closing quote, which stays unread, too. */
int json_scan_special(struct input *in, struct sink *sink, bool *end);

/* Reads a number. *TEXT is its first characters, in BUFFER. */
int json_scan_number(struct input *in, char buffer[JSON_NUMBER_MAX], struct slice *text);

/* Reads a word: true, false, null, or (as Python writes them) NaN, Infinity, -Infinity. */
int json_scan_word(struct input *in);

/* Returns -1 after adding an error if the next bytes are malformed UTF-8; else returns 0. */
int json_scan_check_utf8(struct input *in);
