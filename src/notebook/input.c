#include "notebook/input.h"

#include <errno.h>
#include <stdarg.h>

#include "base/os.h"
#include "base/utf8.h"

void input_init(struct input *in, int fd, struct slice name, struct diags *diags)
{
	in->fd = fd;
	in->error = 0;
	in->name = name;
	in->diags = diags;
	in->ended = in->after_cr = false;
	in->line = 1;
	in->at = in->end = in->line_at = in->dropped = in->continued = 0;
	in->plain = plain_best_kernel();
	memset(in->bytes, 0, PLAIN_PAD);
}

/* Reads once. Keeps the current line while it may still be shown. */
static void fill(struct input *in)
{
	bool showable = in->dropped == 0 && in->at - in->line_at <= INPUT_LINE;
	size_t keep = showable ? in->line_at : in->at;
	in->dropped += keep - in->line_at;
	memmove(in->bytes, in->bytes + keep, in->end - keep);
	in->at -= keep;
	in->end -= keep;
	in->line_at = 0;
	long got = os_read(in->fd, in->bytes + in->end, sizeof in->bytes - PLAIN_PAD - in->end);
	if (got < 0)
		in->error = errno;
	if (got <= 0)
		in->ended = true;
	else
		in->end += (size_t)got;
	memset(in->bytes + in->end, 0, PLAIN_PAD);
}

size_t input_need(struct input *in, size_t count)
{
	while (in->end - in->at < count && !in->ended)
		fill(in);
	return in->end - in->at;
}

int input_skip_blanks(struct input *in)
{
	int c;
	while ((c = input_peek(in)) == ' ' || c == '\n' || c == '\t' || c == '\r') {
		in->at++;
		if (c == '\n' || c == '\r') {
			bool second_half = c == '\n' && in->after_cr && in->at - 1 == in->line_at &&
			                   in->dropped == 0;
			if (!second_half)
				in->line++;
			in->after_cr = c == '\r';
			in->line_at = in->at;
			in->dropped = in->continued = 0;
		}
	}
	return c;
}

/* The current line, or an empty slice if it cannot be shown. */
static struct slice line_text(struct input *in)
{
	input_need(in, INPUT_LINE + 1);
	if (in->dropped > 0)
		return (struct slice){0};
	struct slice rest = slice_make(in->bytes + in->line_at, in->end - in->line_at), line;
	if (!slice_next_line(&rest, &line) || line.len > INPUT_LINE || utf8_check(line) < line.len)
		return (struct slice){0};
	return line;
}

struct location input_location(struct input *in)
{
	struct slice text = arena_dup(in->diags->arena, line_text(in));
	size_t before = in->dropped + in->at - in->line_at - in->continued;
	return (struct location){
	        .line = in->line, .column = (unsigned)before + 1, .length = 1, .text = text};
}

int input_fail(struct input *in, enum diag_kind kind, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	struct slice message = arena_vprintf(in->diags->arena, format, args);
	va_end(args);
	struct location where = {0};
	if (in->error == 0)
		where = input_location(in);
	/* The search for the line's end may fail to read, too. */
	if (in->error == 0)
		diag_add(in->diags, kind, where, "%.*s", SLICE_ARG(message));
	else
		diag_add(in->diags, DIAG_IO, (struct location){0}, "cannot read '%.*s': %s",
		         SLICE_ARG(in->name), strerror(in->error));
	return -1;
}
