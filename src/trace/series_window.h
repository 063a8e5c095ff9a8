/* The samples of a file a few at a time, from its beginning to its end, for what is too long to be
 * held. */
#ifndef NBSCOREP_TRACE_SERIES_WINDOW_H
#define NBSCOREP_TRACE_SERIES_WINDOW_H

#include "trace/series_reader.h"

/* How many samples of a group are no longer held, and of how many the processor time is settled. */
struct series_window_group {
	size_t dropped, settled;
};

struct series_window {
	struct series series; /* as far as it is held; its groups are those of WHOLE */
	const struct series *whole;
	VECTOR(struct series_window_group) groups; /* of WHOLE */
	struct series_reader reader;
	bool is_whole; /* all is held, and nothing is read */
};

/* Begins with the samples of WHOLE, which INPUT has from its beginning, or where INPUT is NULL holds
 * all that WHOLE does. Returns 0, or -1 where it is no longer the file that WHOLE was read from. */
int series_window_open(struct series_window *window, struct arena *arena,
                       const struct series_input *input, const struct series *whole);

/* Reads on until sample NUMBER of GROUP, an index, is held. Returns its place there, or SIZE_MAX
 * where WHOLE does not reach that far. */
size_t series_window_find(struct series_window *window, size_t group, size_t number);

/* Reads on until GROUP has a sample that ended after MOMENT, or all that WHOLE has. */
void series_window_read(struct series_window *window, size_t group, int64_t moment);

/* Samples that ended before MOMENT may go, but the last one of each group. */
void series_window_drop(struct series_window *window, int64_t moment);

#endif
