/* The bytes of a file of samples, of which only a part need be in memory. */
#ifndef NBSCOREP_TRACE_SERIES_INPUT_H
#define NBSCOREP_TRACE_SERIES_INPUT_H

#include "base/strbuf.h"

struct series_input {
	struct slice text; /* what was read and was not taken yet */
	int fd;            /* which more comes from, or -1: TEXT is all */
	int error;         /* errno of a read that failed, or 0 */
	struct strbuf held;
};

/* All of TEXT, or what FD has from its current position on. FD stays the caller's. */
void series_input_of_text(struct series_input *input, struct slice text);
void series_input_of_file(struct series_input *input, struct arena *arena, int fd);

/* Reads on until at least LEN bytes are in input->text. Returns false if the file ends before, or
 * cannot be read. Slices of the text become invalid. */
bool series_input_fill(struct series_input *input, size_t len);

/* Takes LEN bytes, which are there, off the front of the text. */
void series_input_take(struct series_input *input, size_t len);

#endif
