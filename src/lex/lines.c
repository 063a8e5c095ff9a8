#include "lex/lines.h"

#include "lex/lexer.h"
#include "lex/scan.h"

void lines_split(struct arena *arena, struct slice text, physical_lines *out)
{
	struct slice rest = text, line = text;
	while (slice_next_line(&rest, &line)) {
		struct physical_line item = {
		        .offset = (uint32_t)(line.ptr - text.ptr),
		        .len = (uint32_t)line.len,
		        .end_len = (uint32_t)(text.len - rest.len - line.len -
		                              (size_t)(line.ptr - text.ptr)),
		        .indent = (uint32_t)scan_blanks(line),
		};
		vec_push(arena, out, item);
	}
}
