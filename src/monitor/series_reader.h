/* Reading a file of samples record by record: what series_read.c and series_window.c share. */
#ifndef NBSCOREP_MONITOR_SERIES_READER_H
#define NBSCOREP_MONITOR_SERIES_READER_H

#include "monitor/series_file.h"
#include "monitor/series_input.h"

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

/* Reads the head into reader->out; ARENA, INPUT, KEEP and OUT are set. Returns 0, or -1 with
 * *PROBLEM, a text. */
int series_reader_open(struct series_reader *reader, struct slice *problem);

/* What samples of GROUP say of a GPU after its loss, which LOST has, is not known. */
void series_forget_lost(const struct series *series, const struct number_map *lost,
                        struct series_group *group);

/* Reads the next record. Returns false at the end of the file, after an error (input.error) and
 * where the file was cut (out->truncated). */
bool series_reader_step(struct series_reader *reader);

#endif
