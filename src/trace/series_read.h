/* Reads files of samples. */
#pragma once

#include "sample/series.h"

/* Reads TEXT, a file of samples. Returns 0, or -1 with *PROBLEM, "not a file of samples": text in ARENA. A file that
 * ends in the middle of a record is no failure, and neither are records of later versions, which are passed over. */
int series_read(struct arena *arena, struct slice text, struct series *out, struct slice *problem);
