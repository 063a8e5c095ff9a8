/* Finds what an experiment directory has of a measurement. */
#pragma once

#include "trace/measurement.h"

/* What lines.csv begins with; nbscorep-experiment(5) has the meaning. */
#define SCRIPT_COPY "script.py" /* in an experiment directory: the script as it ran */
#define SCRIPT_LIMIT ((size_t)64 << 20)
#define LINES_HEAD "outer_line,line,seconds,cpu_seconds,native_seconds,delay_seconds,lock_seconds"

typedef VECTOR(struct slice) directory_list;

/* Adds the directories in which results of DIRECTORY are, if it is an experiment directory: itself, or those of
 * ranks that were measured separately, rank-0 first. Results are a trace, a profile, or a recording that was not converted. */
void measurement_directories(struct arena *arena, struct slice directory, directory_list *out);

/* Adds the experiment directories that PATH means: itself, or if it is none those in it. */
void measurement_runs(struct arena *arena, struct slice path, directory_list *out);

/* Reads all traces of DIRECTORY, and where there is none the profile; of traces timelines, too, with about so many
 * changes that are WANTED. Returns NULL, or what is wrong, and the path of the file in *FAILED. A damaged trace may end
 * the process (otf2_read()). */
const char *measurement_read(struct measurement *out, struct arena *arena, struct slice directory,
                             size_t wanted, struct slice *failed);
