/* What is known of sbatch: its options, and how it reads a time limit. The table is sbatch.def. */
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
	bool is_list;    /* its value may be several ones, which commas part */
};

/* The whole table. */
const struct sbatch_row *sbatch_rows(size_t *count);

/* The row of the option NAME (without dashes in front), or NULL. */
const struct sbatch_row *sbatch_find(struct slice name);

/* The name as sbatch writes it: underscores become dashes. Arena memory. */
struct slice sbatch_name(struct arena *arena, struct slice name);

/* The option that was meant by NAME, also where it is a short form ("J"), or an empty slice. */
struct slice sbatch_suggest(struct slice name);

/* Why the option cannot stand in a run script although sbatch has it (such as wrap), or NULL. */
const char *sbatch_refusal(struct slice name);

/* Minutes of a time limit of any length. */
#define SBATCH_UNLIMITED (-1L)

/* Reads a time limit as sbatch does (MIN, MIN:SEC, H:M:S, D-H, D-H:M, D-H:M:S, UNLIMITED, ...) into
 * minutes, rounded up. False when it is none. */
bool sbatch_read_time(struct slice text, long *minutes);

#endif
