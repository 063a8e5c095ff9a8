/* A whole build in memory, for the targets that fuzz one. */
#pragma once

#include "fuzz.h"

/* Builds the notebook TEXT twice, all stages from its bytes to the texts of all files, and
 * checks what comes out. The number of line ends at the end of TEXT chooses options. Nothing is
 * written. */
void fuzz_build(struct slice text);
