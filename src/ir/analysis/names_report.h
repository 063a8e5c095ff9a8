/* Internal to src/ir: reports the names without a value that pass_names.c finds. */
#ifndef NBSCOREP_IR_ANALYSIS_NAMES_REPORT_H
#define NBSCOREP_IR_ANALYSIS_NAMES_REPORT_H

#include "ir/pass.h"

/* A use of a name without a value. */
struct unset_name {
	struct slice name;
	const struct block *block;      /* the block that uses it */
	const struct block *deleted_in; /* a block before it that deletes the name, or NULL */
	struct location where;
};

typedef VECTOR(struct unset_name) unset_name_list;

/* Warns about each of NAMES, which PROGRAM uses. SET contains the names that get a value. Names
 * that are set later, or in a cell that is left out, are added to it. */
void names_report(struct pass_context *context, const struct program *program,
                  const unset_name_list *names, struct name_set *set);

#endif
