/* Reads the files of samples of a run. */
#pragma once

#include "report/report.h"

/* Reads the file PATH ("-": standard input), or all files *.samples in the folder PATH, or, where
 * the file PATH does not exist, all files PATH.*.samples and PATH.samples. One of several that cannot be
 * read is a problem. Returns 0, also where there are problems only, or -1 with errno.
 *
 * Files are of one run where command and job are the same, the nodes are different, and the times of
 * both overlap. */
int report_read(struct arena *arena, const char *path, struct report_files *files);

/* Reads "5", "2:8", ":5", "3:" or ":". Returns 0, or -1. */
int report_range_parse(struct slice text, struct report_range *out);
