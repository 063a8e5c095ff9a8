#include "report/subject.h"

static double line_value(const struct line_time *time, enum line_kind kind)
{
	return (double)(kind == LINE_IDLE     ? script_cells_idle(time)
	                : kind == LINE_PYTHON ? time->cpu - time->native
	                                      : time->total);
}

void name_line(const struct subject *s, enum line_kind kind, struct finding *finding)
{
	const struct cell_line *worst = NULL;
	double most = 0;
	if (s->lines == NULL)
		return;
	for (size_t i = 0; i < s->lines->lines.count; i++) {
		double value = line_value(&s->lines->lines.items[i].time, kind);
		if (kind == LINE_IMPORT &&
		    !script_cells_is_import(&s->profile->lines, s->lines->lines.items[i].number))
			continue;
		if (value > most) {
			most = value;
			worst = &s->lines->lines.items[i];
		}
	}
	if (worst == NULL)
		return;
	if (kind == LINE_IDLE || kind == LINE_PYTHON)
		finding->line_share = share(most, line_value(&s->lines->time, kind));
	if (finding->line_share == 0 || finding->line_share >= 0.1)
		finding->place = script_cells_place(&s->profile->lines, s->lines, worst->number);
}
