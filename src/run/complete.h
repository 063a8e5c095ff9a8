/* Checks whether files of Score-P are complete. A file that Score-P was writing when it was killed
 * cannot be opened. */
#ifndef NBSCOREP_RUN_COMPLETE_H
#define NBSCOREP_RUN_COMPLETE_H

#include <stdbool.h>

/* True if the file PATH is a tar archive with an end, whose last member is Cube's anchor.xml. */
bool complete_profile(const char *path);

/* True if the file PATH begins like an anchor of OTF2, which is written last. */
bool complete_traces(const char *path);

#endif
