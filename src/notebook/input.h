/* The file being read, chunk by chunk, with the place of the next byte for diagnostics. Lines end
 * with LF, CR LF or CR; columns count characters; both are 1-based. */
#ifndef NBSCOREP_NOTEBOOK_INPUT_H
#define NBSCOREP_NOTEBOOK_INPUT_H

#include "base/arena.h"
#include "base/slice.h"
#include "diag/diag.h"
#include "notebook/plain.h"

enum {
	INPUT_CHUNK = 64 * 1024,
	INPUT_LINE = 200, /* longer lines are not shown in diagnostics */
	INPUT_END = -1,   /* returned by input_peek() at the end, or after a failed read */
};

struct input {
	int fd;
	int error; /* errno of a failed read, or 0 */
	struct slice name;
	struct diags *diags;
	bool ended, after_cr;
	unsigned line;
	size_t at, end;   /* the unread bytes of BYTES; PLAIN_PAD NULs follow at END */
	size_t line_at;   /* start of the current line, or of its part in memory, in BYTES */
	size_t dropped;   /* bytes of the current line before LINE_AT */
	size_t continued; /* bytes of the current line before AT that continue a character */
	const struct plain_kernel *plain;
	char bytes[INPUT_LINE + INPUT_CHUNK + PLAIN_PAD];
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

/* Skips JSON's white space and counts lines. Returns what input_peek() returns. */
int input_skip_blanks(struct input *in);

/* Records that COUNT lines have ended before AT. The current line then begins at LINE_AT, and
 * CONTINUED of its bytes continue a character. None of the lines may end with CR alone. */
static inline void input_note_lines(struct input *in, unsigned count, size_t line_at,
                                    size_t continued)
{
	if (count > 0)
		in->dropped = 0;
	in->line += count;
	in->line_at = line_at;
	in->continued = continued;
}

/* The place of the next byte. Its text is in the memory of the diagnostics, and empty if the line
 * is long or malformed. BYTES may move. */
struct location input_location(struct input *in);

/* Adds an error at the next byte, or the error of a failed read instead. Returns -1. */
__attribute__((format(printf, 3, 4))) int input_fail(struct input *in, enum diag_kind kind,
                                                     const char *format, ...);

#endif
