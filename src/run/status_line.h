/* One line at the bottom of the terminal that standard error is, while a program writes above it: the
 * terminal scrolls the rows above only, so that neither has to know of the other. */
#ifndef NBSCOREP_RUN_STATUS_LINE_H
#define NBSCOREP_RUN_STATUS_LINE_H

#include <stdbool.h>

#include "base/slice.h"

enum { STATUS_LINE_MAX = 512 };

struct status_line {
	bool shown;
	unsigned rows, columns; /* of the terminal, when it was shown last */
	char text[STATUS_LINE_MAX];
	size_t len; /* of TEXT, which is what stands there */
};

/* Is standard error a terminal on which there can be one? TERM is the variable's value, or NULL. */
bool status_line_fits(const char *term);

/* Shows TEXT, as much of it as fits. Does nothing where it stands there already, or while the
 * terminal belongs to another job. */
void status_line_show(struct status_line *line, struct slice text);

/* Takes it away, and gives its row back. */
void status_line_clear(struct status_line *line);

#endif
