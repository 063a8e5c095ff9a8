/* Sweeps: one program for many sets of parameters (nbscorep.yaml(5), `sweep`). */
#pragma once

#include "base/value.h"
#include "diag/diag.h"

/* Limits for the cost of an untrusted sweep; SWEEP_MAX_VALUES is for all sets together. */
enum { SWEEP_MAX_SETS = 100000, SWEEP_MAX_VALUES = 1000000 };

/* The values of one run, each parameter once. */
struct sweep_set {
	VECTOR(struct value_entry) values;
};

typedef VECTOR(struct sweep_set) sweep_set_list;

struct sweep {
	sweep_set_list sets; /* set N of messages and files is sets.items[N - 1] */
	struct slice limit;  /* the number of runs at a time; empty: all */
};

/* Reads WRITTEN: a list of sets, or a map that has at least one of
 *   list: a list of sets, each a map of parameters;
 *   zip:  a map of lists of equal length; set N has value N of each list;
 *   grid: a map of lists; the sets are all combinations of their values, and the last name's values
 *         change first.
 * Several of them are combined like a grid, in this order. The map may also have a limit. A problem
 * becomes one error at its place. Returns 0, or -1 after an error. The result lives in ARENA. */
int sweep_read(struct arena *arena, const struct value *written, struct diags *diags,
               struct sweep *out);
