/* The format of files of samples (nbscorep-samples(5)) and its writer; trace/series_read.c is its reader. Files are
 * only ever appended to, a whole record at a time, so that what was written before a crash can be read. */
#pragma once

#include "base/cell_mark.h"
#include "sample/series.h"

#define SERIES_NAME "nbscorep samples"
#define SERIES_MAGIC SERIES_NAME " 1\n"

/* The first byte of a record; then the length of the rest as a varint, then the rest: whole numbers as varints
 * (sample/varint.h), texts as their length and bytes, moments as signed differences from the last moment of the file. */
enum series_record {
	RECORD_GROUP = 'G',  /* name, level, count of columns; of each its metric and instance */
	RECORD_SAMPLE = 'S', /* group, moment, duration; signed: by how much the difference of the
	                      * wall clock has changed, and the value of each column */
	RECORD_BEGIN = 'B',  /* cell, moment */
	RECORD_END = 'E',    /* cell, moment, state */
	RECORD_TITLE = 'T',  /* cell, title, source */
	RECORD_NOTE = 'N',   /* text */
	RECORD_MISSED = 'M', /* signed: due, missed */
	RECORD_FINISH = 'F', /* moment; signed: the numbers of series_end.def */
};

/* The values of a group at its last sample. */
struct written_group {
	int64_t *values;
	size_t columns;
};

/* What a writer has written before: numbers are written as differences. */
struct series_writer {
	struct strbuf out; /* what the caller is to write, and then to take away: sets LEN to 0 */
	struct strbuf record;             /* the one being made */
	int64_t last_moment, last_offset; /* of the wall clock from the monotonic one */
	VECTOR(struct written_group) groups;
};

/* Writes the head to WRITER->out. The writer uses ARENA until it is given up. */
void series_write_head(struct series_writer *writer, struct arena *arena,
                       const struct series_head *head);

/* Defines a group; the result is its number for series_write_sample(). */
unsigned series_write_group(struct series_writer *writer, struct slice name, enum level level,
                            const struct series_column_kind *columns, size_t count);

/* VALUES: one for each column of the group. TIME.end is not before that of the sample before. */
void series_write_sample(struct series_writer *writer, unsigned group,
                         const struct series_time *time, const int64_t *values);

/* Writes that a cell begins, or ends in a state. */
void series_write_mark(struct series_writer *writer, const struct cell_mark *mark);

void series_write_title(struct series_writer *writer, const struct series_title *title);

void series_write_note(struct series_writer *writer, struct slice note);

void series_write_missed(struct series_writer *writer, int64_t due, int64_t missed);

void series_write_finish(struct series_writer *writer, const struct series_end *end);
