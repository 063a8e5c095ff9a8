/* Which cells start tasks of asyncio without an await. In Jupyter an event loop runs while a cell does,
 * so that they can. Other libraries than asyncio have functions of such names, too. */
#ifndef NBSCOREP_IR_ANALYSIS_TASK_STARTERS_H
#define NBSCOREP_IR_ANALYSIS_TASK_STARTERS_H

#include "base/name_filter.h"
#include "base/name_set.h"
#include "lex/lex.h"

/* What starts tasks when it is called. */
struct task_starters {
	struct name_set functions; /* of the cells so far, and classes whose objects do */
	struct name_set methods;
	struct name_filter names; /* these and asyncio's */
	bool nests;               /* asyncio.run() wants a running loop, too */
};

/* NESTS: the notebook has nest_asyncio, with which asyncio.run() runs in Jupyter, in the loop there. */
void task_starters_init(struct task_starters *starters, struct arena *arena, bool nests);

/* Does CELL start tasks when it runs, or want a running loop? The functions and methods that it
 * defines and that would are added. */
bool task_starters_read(struct task_starters *starters, const struct lexed_cell *cell);

#endif
