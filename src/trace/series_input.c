#include "trace/series_input.h"

#include <errno.h>

#include "base/os.h"

enum { CHUNK = 64 * 1024 };

void series_input_of_text(struct series_input *input, struct slice text)
{
	*input = (struct series_input){.text = text, .fd = -1};
}

void series_input_of_file(struct series_input *input, struct arena *arena, int fd)
{
	*input = (struct series_input){.text = SLICE(""), .fd = fd};
	strbuf_init(&input->held, arena);
}

/* Moves the text to the front of its memory, so that this stays small. */
static void make_room(struct series_input *input)
{
	size_t len = input->text.len;
	if (len > 0 && input->text.ptr != input->held.ptr)
		memmove(input->held.ptr, input->text.ptr, len);
	input->held.len = len;
}

/* Apart from series_input_fill(), which is called for each record: its frame is large. */
static void read_on(struct series_input *input, size_t len)
{
	char chunk[CHUNK];
	make_room(input);
	while (input->held.len < len) {
		long got = os_read(input->fd, chunk, sizeof chunk);
		if (got <= 0) {
			input->error = got < 0 ? errno : 0;
			input->fd = -1;
			break;
		}
		strbuf_add(&input->held, slice_make(chunk, (size_t)got));
	}
	input->text = strbuf_slice(&input->held);
}

bool series_input_fill(struct series_input *input, size_t len)
{
	if (input->text.len < len && input->fd >= 0)
		read_on(input, len);
	return input->text.len >= len;
}

void series_input_take(struct series_input *input, size_t len)
{
	input->text = slice_sub(input->text, len, input->text.len);
}
