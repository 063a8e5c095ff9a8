/* Places in a notebook and in other files, as diagnostics show them. */
#pragma once

#include "base/base.h"

/* A place. With CELL > 0, LINE and COLUMN count inside that cell's source; with CELL 0 they count
 * in the file; LINE 0 is the file as a whole. All are 1-based. COLUMN and LENGTH count characters
 * (code points), as editors do. TEXT is the source line of the place, without its line end; it may
 * be empty. If the line is very long, TEXT is only the part around the place, and SKIPPED is the
 * number of characters of the line before TEXT. FILE is a file that the notebook includes; it is
 * empty for a place in the notebook itself. */
struct location {
	unsigned cell, line, column, length;
	struct slice text;
	unsigned skipped;
	struct slice file;
};

/* How far a line was counted at the last lookup of a place on it; zeroed: no line yet. */
struct line_mark {
	const char *line;
	size_t len;    /* of the line, in bytes */
	size_t offset; /* of the last place, in bytes */
	size_t before; /* characters before it */
};

/* As location_in_line(), but counts only from the last place if both places are on the line of
 * MARK. MARK must belong to TEXT. */
struct location location_in_marked_line(unsigned cell, unsigned line, struct slice text,
                                        size_t offset, size_t len, struct line_mark *mark);

/* The place of bytes [OFFSET, OFFSET+LEN) of a cell's SOURCE; LEN is cut at the line's end. Scans
 * all lines before the place: use location_in_line() if the line is known. */
struct location location_in_cell(unsigned cell, struct slice source, size_t offset, size_t len);

/* How far the lines of a source were counted; zeroed: not yet. */
struct source_mark {
	size_t start;  /* of the line of the last place, in bytes */
	size_t number; /* of that line, from 1 on */
	struct line_mark line;
};

/* As location_in_cell(), but scans only from the last place if this one is on the same line or
 * after it. MARK must belong to SOURCE. */
struct location location_in_marked_cell(unsigned cell, struct slice source, size_t offset,
                                        size_t len, struct source_mark *mark);

/* The place of bytes [OFFSET, OFFSET+LEN) of TEXT, which is line number LINE without its end. */
struct location location_in_line(unsigned cell, unsigned line, struct slice text, size_t offset,
                                 size_t len);
