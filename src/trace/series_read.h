/* Reads files of samples. */
#ifndef NBSCOREP_TRACE_SERIES_READ_H
#define NBSCOREP_TRACE_SERIES_READ_H

#include "sample/series.h"

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

/* Reads a file. Returns 0, or -1 with *PROBLEM, "not a file of samples": text in ARENA; if the file
 * cannot be read *PROBLEM is empty and errno is set. A file that ends in the middle of a record is no
 * failure, and neither are records of later versions, which are passed over. */
int series_read_input(struct arena *arena, const struct series_input *input, struct series *out,
                      struct slice *problem);

/* The same of the text of a file, which stays the caller's. */
int series_read(struct arena *arena, struct slice text, struct series *out, struct slice *problem);

#endif
