/* Files of samples: nbscorep-samples(5). They are only ever appended to, a whole record at a time,
 * so that what was written before a crash can be read. */
#ifndef NBSCOREP_SAMPLE_SERIES_FILE_H
#define NBSCOREP_SAMPLE_SERIES_FILE_H

#include "base/arena.h"
#include "sample/series.h"

struct series_input;

/* What is kept of the samples: all, or of each group the first and the last one. */
enum series_keep { SERIES_ALL, SERIES_ENDS };

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

struct series_column_kind {
	enum metric metric;
	unsigned instance;
};

#endif
