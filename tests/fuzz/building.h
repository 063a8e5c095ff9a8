/* A whole build in memory, for the targets that fuzz one. */
#ifndef NBSCOREP_TESTS_FUZZ_BUILDING_H
#define NBSCOREP_TESTS_FUZZ_BUILDING_H

#include "fuzz.h"

/* Builds the notebook TEXT twice, all stages from its bytes to the texts of all files, and
 * checks what comes out. The number of line ends at the end of TEXT chooses options. Nothing is
 * written. */
void fuzz_build(struct slice text);

#endif
