/* Finds cells that start asyncio's tasks without an await, which is possible in Jupyter because an
 * event loop runs while a cell runs. Other libraries have functions of these names, too. */
#ifndef NBSCOREP_IR_ANALYSIS_TASK_STARTERS_H
#define NBSCOREP_IR_ANALYSIS_TASK_STARTERS_H

#include "base/name_filter.h"
#include "base/name_set.h"
#include "lex/lex.h"

/* Names that start tasks when they are called. */
struct task_starters {
	struct name_set functions; /* of the cells so far, and classes whose __methods__ do */
	struct name_set methods;
	struct name_filter names; /* these and asyncio's */
	bool nests;               /* asyncio.run() requires a running loop, too */
};

/* NESTS: the notebook uses nest_asyncio, with which asyncio.run() uses the loop of Jupyter. */
void task_starters_init(struct task_starters *starters, struct arena *arena, bool nests);

/* True if CELL starts tasks or requires a running loop when it runs. Adds the functions and methods
 * of CELL that do so when they are called. */
bool task_starters_read(struct task_starters *starters, const struct lexed_cell *cell);

#endif
