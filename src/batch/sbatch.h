/* The options of sbatch, and how it reads a time limit. The table is sbatch.def. */
#ifndef NBSCOREP_BATCH_SBATCH_H
#define NBSCOREP_BATCH_SBATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/slice.h"

enum sbatch_value { SBATCH_NONE, SBATCH_REQUIRED, SBATCH_OPTIONAL };

struct sbatch_row {
	const char *name, *doc;
	enum sbatch_value value;
	char short_name; /* '\0': none */
	bool is_list;    /* its value may be a list, separated by commas */
};

/* Returns the whole table and sets *COUNT. */
const struct sbatch_row *sbatch_rows(size_t *count);

/* Returns the row of the option NAME (without leading dashes), or NULL. */
const struct sbatch_row *sbatch_find(struct slice name);

/* The name as sbatch writes it: underscores become dashes. Arena memory. */
struct slice sbatch_name(struct arena *arena, struct slice name);

/* Returns the option that NAME, which may be a short form ("J"), most likely means, or an empty
 * slice. */
struct slice sbatch_suggest(struct slice name);

/* Returns why an option of sbatch (such as wrap) is not allowed in a run script, or NULL. */
const char *sbatch_refusal(struct slice name);

/* The minutes of an unlimited time limit. */
#define SBATCH_UNLIMITED (-1L)

/* Reads a time limit as sbatch does (MIN, MIN:SEC, H:M:S, D-H, D-H:M, D-H:M:S, UNLIMITED, ...) into
 * minutes, rounded up. Returns false if TEXT is not one. */
bool sbatch_read_time(struct slice text, long *minutes);

#endif
