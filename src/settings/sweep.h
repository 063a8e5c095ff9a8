/* Sweeps: one program for many sets of parameters (nbscorep.yaml(5), `sweep`). */
#ifndef NBSCOREP_SETTINGS_SWEEP_H
#define NBSCOREP_SETTINGS_SWEEP_H

#include "base/value.h"
#include "diag/diag.h"

/* They bound what a stranger's sweep costs; the second one is for the values of all sets together. */
enum { SWEEP_MAX_SETS = 100000, SWEEP_MAX_VALUES = 1000000 };

/* The values of one run, each parameter once. */
struct sweep_set {
	VECTOR(struct value_entry) values;
};

typedef VECTOR(struct sweep_set) sweep_set_list;

struct sweep {
	sweep_set_list sets; /* set N of messages and files is sets.items[N - 1] */
	struct slice limit;  /* how many may run at a time, a number; empty: all */
};

/* Reads WRITTEN: a list of sets, or a map with at least one of
 *   list: a list of sets, each a map of parameters;
 *   zip:  a map of lists of one length, whose values go together;
 *   grid: a map of lists, of whose values every combination is meant, the last name's changing
 *         first;
 * several of them are combined likewise, in this order, and limit. What is wrong becomes one error
 * at its place. Returns 0 or -1. The result lives in ARENA. */
int sweep_read(struct arena *arena, const struct value *written, struct diags *diags,
               struct sweep *out);

#endif
