/* Profilers of the notebook's own that take the place of Score-P's instrumenter. */
#ifndef NBSCOREP_IR_ANALYSIS_PROFILERS_H
#define NBSCOREP_IR_ANALYSIS_PROFILERS_H

#include "ir/ir.h"
#include "lex/syntax.h"

struct profiler;

/* What is known of them in front of the cell that is looked at. */
struct profiler_search {
	struct diags *diags;
	const struct program *program;
	uint32_t imported; /* rows of profilers.def, by bit: their module is */
	uint32_t bare;     /* and their name: "from module import name" */
	uint32_t here;     /* their module is, and the cell's text holds their name */
	bool keeps;        /* there was an object */
	struct profiler_object {
		struct slice variable; /* empty: a free place */
		const struct profiler *profiler;
	} objects[8];
};

/* CELL begins, which imports MODULES. */
void profilers_begin_cell(struct profiler_search *search, const struct lexed_cell *cell,
                          const syntax_slices *modules);

/* May profilers_check() find something in the cell that has begun? */
bool profilers_may_stand(const struct profiler_search *search);

/* Warns where the name AT of an instrumented BLOCK sets the instrumenter's hook. Call it for each
 * name of all cells, in order. */
void profilers_check(struct profiler_search *search, const struct block *block, uint32_t at);

#endif
