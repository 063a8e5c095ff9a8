/* Begins, ends and titles of cells, as calls and as lines (nbscorep-monitor(1)). */
#ifndef NBSCOREP_SAMPLE_SAMPLER_MARKS_H
#define NBSCOREP_SAMPLE_SAMPLER_MARKS_H

#include "sample/sampler.h"
#include "sample/sampler_inside.h"

/* A cell begins or ends: the program is read at once. */
void sampler_mark(struct sampler *sampler, const struct cell_mark *mark);

/* What is known of a cell; TEXTS stay the caller's. */
void sampler_title(struct sampler *sampler, const struct series_title *title);

/* Reads the lines that have arrived, if order.marks is set. */
void sampler_read_marks(struct sampler *s);

#endif
