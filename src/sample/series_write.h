/* Writes files of samples. */
#ifndef NBSCOREP_SAMPLE_SERIES_WRITE_H
#define NBSCOREP_SAMPLE_SERIES_WRITE_H

#include "sample/series_file.h"

/* Writes the head to WRITER->out. The writer uses ARENA until it is given up. */
void series_write_head(struct series_writer *writer, struct arena *arena,
                       const struct series_head *head);

/* Defines a group; the result is its number for series_write_sample(). */
unsigned series_write_group(struct series_writer *writer, struct slice name, enum level level,
                            const struct series_column_kind *columns, size_t count);

/* VALUES: one for each column of the group. TIME.end is not before that of the sample before. */
void series_write_sample(struct series_writer *writer, unsigned group,
                         const struct series_time *time, const int64_t *values);

/* Writes that a cell begins, or ends in STATE. */
void series_write_begin(struct series_writer *writer, unsigned cell, int64_t moment);

void series_write_end(struct series_writer *writer, unsigned cell, int64_t moment,
                      struct slice state);

void series_write_title(struct series_writer *writer, const struct series_title *title);

void series_write_note(struct series_writer *writer, struct slice note);

/* GPU, an index in the head, is lost because of WHY: its values in samples that begin at MOMENT or
 * later are not known. */
void series_write_lost(struct series_writer *writer, unsigned gpu, int64_t moment,
                       struct slice why);

void series_write_missed(struct series_writer *writer, int64_t due, int64_t missed);

void series_write_finish(struct series_writer *writer, const struct series_end *end);

#endif
