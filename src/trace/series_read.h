/* Reads files of samples. */
#ifndef NBSCOREP_TRACE_SERIES_READ_H
#define NBSCOREP_TRACE_SERIES_READ_H

#include "sample/series.h"

/* What is kept of the samples: all, or of each group the first and the last one. */
enum series_keep { SERIES_ALL, SERIES_ENDS };

/* The bytes of a file of samples, of which only a part need be in memory. */
struct series_input {
	struct slice text; /* what was read and was not taken yet */
	int fd;            /* which more comes from, or -1: TEXT is all */
	int error;         /* errno of a read that failed, or 0 */
	struct strbuf held;
};

/* All of TEXT, or what FD has from its current position on. FD stays the caller's. */
void series_input_of_text(struct series_input *input, struct slice text);
void series_input_of_file(struct series_input *input, struct arena *arena, int fd);

/* Reads a file record by record. */
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

/* Reads a file. Returns 0, or -1 with *PROBLEM, "not a file of samples": text in ARENA; if the file
 * cannot be read *PROBLEM is empty and errno is set. A file that ends in the middle of a record is no
 * failure, and neither are records of later versions, which are passed over. */
int series_read_input(struct arena *arena, const struct series_input *input, enum series_keep keep,
                      struct series *out, struct slice *problem);

/* The same of the text of a file, which stays the caller's. All samples are kept. */
int series_read(struct arena *arena, struct slice text, struct series *out, struct slice *problem);

/* Reads the head into reader->out; ARENA, INPUT, KEEP and OUT are set. Returns 0, or -1 with
 * *PROBLEM, a text. */
int series_reader_open(struct series_reader *reader, struct slice *problem);

/* Sets the values of GROUP's samples for a GPU to unknown after its loss, which LOST has. */
void series_forget_lost(const struct series *series, const struct number_map *lost,
                        struct series_group *group);

/* Reads the next record. Returns false at the end of the file, after an error (input.error) and
 * where the file was cut (out->truncated). */
bool series_reader_step(struct series_reader *reader);

#endif
