#include "run/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/utf8.h"

enum { ROWS_MIN = 4, COLUMNS_MIN = 20, CONTROL_MAX = 96 };

/* ECMA-48 and DEC: ESC 7 and ESC 8 save and restore the cursor, CSI r sets the rows that scroll. */
#define SAVE "\0337"
#define RESTORE "\0338"

static bool find_size(struct winsize *size)
{
	return ioctl(STDERR_FILENO, TIOCGWINSZ, size) == 0 && size->ws_row >= ROWS_MIN &&
	       size->ws_col >= COLUMNS_MIN;
}

bool status_line_fits(void)
{
	const char *term = getenv("TERM");
	struct winsize size;
	return term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0 &&
	       isatty(STDERR_FILENO) && find_size(&size);
}

static bool is_in_front(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);
	return group < 0 || group == getpgrp();
}

void status_line_show(struct status_line *line, struct slice text)
{
	char out[STATUS_LINE_MAX + CONTROL_MAX], rows[CONTROL_MAX] = "";
	struct winsize size;
	size_t at = 0, width = 0, len;
	if (!is_in_front() || !find_size(&size))
		return;
	bool same_size = line->shown && line->rows == size.ws_row && line->columns == size.ws_col;
	for (; at < text.len; at += len) {
		width += utf8_width(utf8_decode(slice_tail(text, at), &len));
		if (width >= size.ws_col || at + len > STATUS_LINE_MAX)
			break;
	}
	text = slice_sub(text, 0, at);
	if (same_size && slice_eq(text, slice_make(line->text, line->len)))
		return;
	line->rows = size.ws_row;
	line->columns = size.ws_col;
	memcpy(line->text, text.ptr, text.len);
	line->len = text.len;
	/* Move down and up again, so that the cursor is not in the row of the status line. */
	if (!same_size)
		snprintf(rows, sizeof rows, "\033D" SAVE "\033[1;%ur" RESTORE "\033[A",
		         line->rows - 1);
	/* In one piece, because the program writes at the same time. */
	int filled = snprintf(out, sizeof out, "%s" SAVE "\033[%u;1H\033[0m\033[2K%.*s" RESTORE,
	                      rows, line->rows, SLICE_ARG(text));
	(void)os_write_all(STDERR_FILENO, slice_make(out, (size_t)filled));
	line->shown = true;
}

void status_line_clear(struct status_line *line)
{
	char out[CONTROL_MAX];
	if (!line->shown || !is_in_front())
		return;
	int len = snprintf(out, sizeof out, SAVE "\033[%u;1H\033[2K\033[r" RESTORE, line->rows);
	(void)os_write_all(STDERR_FILENO, slice_make(out, (size_t)len));
	line->shown = false;
}
