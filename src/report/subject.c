#include "report/subject.h"

static uint64_t line_value(const struct subject *s, const struct cell_line *line,
                           enum line_kind kind)
{
	const struct line_time *time = &line->time;
	if (kind == LINE_IMPORT)
		return script_cells_is_import(&s->profile->lines, line->number) ? time->total : 0;
	return kind == LINE_IDLE     ? script_cells_idle(time)
	       : kind == LINE_PYTHON ? time->cpu - time->native
	                             : time->total;
}

struct slice worst_line(const struct subject *s, enum line_kind kind)
{
	const struct cell_line *worst = NULL;
	uint64_t most = 0;
	for (size_t i = 0; s->lines != NULL && i < s->lines->lines.count; i++) {
		uint64_t value = line_value(s, &s->lines->lines.items[i], kind);
		if (value > most) {
			most = value;
			worst = &s->lines->lines.items[i];
		}
	}
	return worst == NULL ? slice_make("", 0)
	                     : script_cells_place(&s->profile->lines, s->lines, worst->number);
}
