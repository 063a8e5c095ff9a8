/* One line at the bottom of the terminal of standard error, while a program writes above it. The
 * terminal scrolls only the rows above, so neither has to know of the other. */
#pragma once

#include "base/base.h"

enum { STATUS_LINE_MAX = 512 };

struct status_line {
	bool shown;
	unsigned rows, columns; /* of the terminal, when it was shown last */
	char text[STATUS_LINE_MAX];
	size_t len; /* of TEXT, which is on the terminal */
};

/* True if standard error is a terminal that can have a status line. */
bool status_line_fits(void);

/* Shows as much of TEXT as fits. Does nothing if TEXT is already shown, or while the terminal belongs
 * to another job. */
void status_line_show(struct status_line *line, struct slice text);

/* Removes the line, and gives its row back. */
void status_line_clear(struct status_line *line);
