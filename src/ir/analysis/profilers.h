/* Finds profilers in the notebook that replace Score-P's instrumenter. */
#ifndef NBSCOREP_IR_ANALYSIS_PROFILERS_H
#define NBSCOREP_IR_ANALYSIS_PROFILERS_H

#include "ir/ir.h"
#include "lex/syntax.h"

struct profiler;

/* What is known of them before the current cell. */
struct profiler_search {
	struct diags *diags;
	const struct program *program;
	uint32_t imported; /* bits of rows of profilers.def: the module is imported */
	uint32_t bare;     /* so is the name: "from module import name" */
	uint32_t here;     /* the module is imported, and the cell may contain the name */
	bool keeps;        /* an object was assigned to a variable */
	struct profiler_object {
		struct slice variable; /* empty: unused entry */
		const struct profiler *profiler;
	} objects[8];
};

/* Begins CELL, which imports MODULES. */
void profilers_begin_cell(struct profiler_search *search, const struct lexed_cell *cell,
                          const syntax_slices *modules);

/* True if profilers_check() may find something in the current cell. */
bool profilers_may_stand(const struct profiler_search *search);

/* Warns if BLOCK is instrumented and its name at token AT sets the instrumenter's hook. Must be
 * called for each name of all cells, in order. */
void profilers_check(struct profiler_search *search, const struct block *block, uint32_t at);

#endif
