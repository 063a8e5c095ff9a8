/* Reads files of samples. */
#ifndef NBSCOREP_TRACE_SERIES_READ_H
#define NBSCOREP_TRACE_SERIES_READ_H

#include "sample/series_file.h"
#include "trace/series_reader.h"

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
