/* Files of samples: nbscorep-samples(5). They are only ever appended to, a whole record at a time,
 * so that what was written before a crash can be read. */
#ifndef NBSCOREP_MONITOR_SERIES_FILE_H
#define NBSCOREP_MONITOR_SERIES_FILE_H

#include "base/arena.h"
#include "monitor/series.h"

struct series_input;

/* What is kept of the samples: all, or of each group the first and the last one. */
enum series_keep { SERIES_ALL, SERIES_ENDS };

/* Reads a file. Returns 0, or -1 with *PROBLEM, "not a file of samples": text in ARENA; if the file
 * cannot be read *PROBLEM is empty and errno is set. A file that ends in the middle of a record is no
 * failure, and neither are records of later versions, which are passed over. */
int series_read_input(struct arena *arena, const struct series_input *input, enum series_keep keep,
                      struct series *out, struct slice *problem);

/* The same of the text of a file, which stays the caller's. All samples are kept. */
int series_read(struct arena *arena, struct slice text, struct series *out, struct slice *problem);

/* The values of a group at its last sample. */
struct written_group {
	int64_t *values;
	size_t columns;
};

/* What a writer has said already: numbers are written as differences. */
struct series_writer {
	struct strbuf out; /* what the caller is to write, and then to take away: sets LEN to 0 */
	struct strbuf record;             /* the one being made */
	int64_t last_moment, last_offset; /* of the wall clock from the monotonic one */
	VECTOR(struct written_group) groups;
};

struct series_column_kind {
	enum metric metric;
	unsigned instance;
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

/* A cell begins, or ends as STATE says. */
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
