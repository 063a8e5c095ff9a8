#include "base/location.h"

#include "base/utf8.h"

/* In a line longer than LINE_LONG, a location has only the part around it. Units are bytes. */
enum { LINE_LONG = 1024, LINE_BEFORE = 256, LINE_AFTER = 512 };

static unsigned to_unsigned(size_t n)
{
	return n > UINT_MAX ? UINT_MAX : (unsigned)n;
}

struct location location_in_marked_line(unsigned cell, unsigned line, struct slice text,
                                        size_t offset, size_t len, struct line_mark *mark)
{
	offset = offset > text.len ? text.len : offset;
	size_t end = len > text.len - offset ? text.len : offset + len;
	/* A line that was joined from several can have an offset within a character. */
	offset = utf8_start(text, offset);
	bool is_known = mark->line == text.ptr && mark->offset <= offset;
	size_t before = is_known ? mark->before : 0; /* characters before OFFSET */
	before += utf8_length(slice_sub(text, is_known ? mark->offset : 0, offset));
	*mark = (struct line_mark){text.ptr, text.len, offset, before};
	struct slice place = slice_sub(text, offset, utf8_start(text, end));
	struct location where = {.cell = cell, .line = line, .text = text};
	where.column = to_unsigned(before + 1);
	where.length = to_unsigned(utf8_length(place));
	if (text.len <= LINE_LONG)
		return where;
	size_t from = offset > LINE_BEFORE ? utf8_start(text, offset - LINE_BEFORE) : 0;
	size_t to =
	        text.len - offset > LINE_AFTER ? utf8_start(text, offset + LINE_AFTER) : text.len;
	where.skipped = to_unsigned(before - utf8_length(slice_sub(text, from, offset)));
	where.text = slice_sub(text, from, to);
	return where;
}

struct location location_in_line(unsigned cell, unsigned line, struct slice text, size_t offset,
                                 size_t len)
{
	return location_in_marked_line(cell, line, text, offset, len, &(struct line_mark){0});
}

struct location location_in_marked_cell(unsigned cell, struct slice source, size_t offset,
                                        size_t len, struct source_mark *mark)
{
	if (offset > source.len)
		offset = source.len;
	if (mark->number == 0 || offset < mark->start)
		*mark = (struct source_mark){.number = 1};
	struct slice line = slice_make(mark->line.line, mark->line.len);
	if (line.ptr == source.ptr + mark->start && offset <= mark->start + line.len)
		return location_in_marked_line(cell, to_unsigned(mark->number), line,
		                               offset - mark->start, len, &mark->line);
	struct slice rest = slice_tail(source, mark->start);
	for (size_t number = mark->number; slice_next_line(&rest, &line); number++) {
		size_t start = (size_t)(line.ptr - source.ptr);
		mark->start = start;
		mark->number = number;
		if (offset <= start + line.len || offset < source.len - rest.len)
			return location_in_marked_line(cell, to_unsigned(number), line,
			                               offset - start, len, &mark->line);
	}
	/* After a final line end: an empty line of its own. */
	size_t number = source.len > 0 ? mark->number + 1 : 1;
	return location_in_line(cell, to_unsigned(number), slice_tail(source, source.len), 0, 0);
}

struct location location_in_cell(unsigned cell, struct slice source, size_t offset, size_t len)
{
	return location_in_marked_cell(cell, source, offset, len, &(struct source_mark){0});
}
