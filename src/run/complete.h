/* Whether files of Score-P are whole: those that it was killed at while it wrote them cannot be opened. */
#ifndef NBSCOREP_RUN_COMPLETE_H
#define NBSCOREP_RUN_COMPLETE_H

#include <stdbool.h>

/* True if the file PATH is a tar archive with an end, whose last member is Cube's anchor.xml. */
bool complete_profile(const char *path);

/* True if the file PATH begins as an anchor of OTF2, which is written after all else. */
bool complete_traces(const char *path);

#endif
