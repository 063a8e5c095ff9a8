/* Writes the times of cells as JSON and CSV. */
#ifndef NBSCOREP_RUN_CELL_TIMES_H
#define NBSCOREP_RUN_CELL_TIMES_H

#include "run/summary.h"

/* For programs (nbscorep-run(1), --cell-times). */
void cell_times_json(struct strbuf *out, const struct summary *summary);

void cell_times_csv(struct strbuf *out, const struct summary *summary);

#endif
