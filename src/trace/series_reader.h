/* Reading a file of samples record by record: what series_read.c and report_csv.c share. */
#ifndef NBSCOREP_TRACE_SERIES_READER_H
#define NBSCOREP_TRACE_SERIES_READER_H

#include "sample/series_file.h"
#include "trace/series_input.h"

struct series_reader {
	struct arena *arena;
	struct series_input input;
	enum series_keep keep;
	bool is_again; /* what is not a group or sample is known already */
	struct series *out;
	int64_t last_moment, last_offset;
	struct slice rest;       /* of the record being read */
	struct number_map begun; /* by number: how many cells have begun */
	struct number_map open;  /* by number: 1 + the index of the last cell that has not ended */
	VECTOR(size_t) open_before; /* of each cell: what OPEN had when it began */
	struct number_map lost;     /* by GPU: 1 + the index of its loss */
};

#endif
