/* The outcome of the notebooks of a run, in one line. */
#ifndef NBSCOREP_DRIVER_TALLY_H
#define NBSCOREP_DRIVER_TALLY_H

#include "base/strbuf.h"
#include "diag/diag.h"

struct tally {
	size_t clean, warned, faulty, failed; /* notebooks; failed: not read, or out of memory */
};

/* Counts a notebook by its diagnostics. */
void tally_add(struct tally *tally, const struct diags *diags, bool failed);

/* How many there were. */
size_t tally_count(const struct tally *tally);

/* Appends "12 notebooks: 9 clean, 1 with warnings, 2 with errors", without a line end. */
void tally_print(struct strbuf *out, const struct tally *tally);

#endif
