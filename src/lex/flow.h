/* How a cell uses the names of its module, in the order of execution, for warnings about undefined
 * names. It is not a parser. Where the tokens do not show what runs, a name counts as possibly set,
 * and never as used. */
#ifndef NBSCOREP_LEX_FLOW_H
#define NBSCOREP_LEX_FLOW_H

#include "lex/lex.h"

enum flow_kind {
	FLOW_NOTHING,
	FLOW_USE,    /* the cell certainly reads the value of NAME */
	FLOW_BIND,   /* NAME may get a value */
	FLOW_GLOBAL, /* a function may give NAME a value whenever it is called */
	FLOW_DELETE, /* the cell certainly deletes NAME */
	FLOW_MAGIC,  /* magic number INDEX certainly runs */
	FLOW_MAGIC_PERHAPS,
	FLOW_ANY, /* any name may get a value: a star import, exec(), globals() */
	FLOW_END, /* the script ends */
};

struct flow_event {
	enum flow_kind kind;
	uint32_t index;
	struct slice name; /* a part of the cell's text */
};

typedef VECTOR(struct flow_event) flow_events;

/* Returns a reader for one cell after the other. It lives in ARENA, as does the memory that it
 * needs. */
struct flow_reader *flow_reader_new(struct arena *arena);

/* Appends the events of CELL to OUT. A cell whose tokens are not Python is a single FLOW_ANY. Takes
 * time linear in the cell's size. */
void flow_read(struct flow_reader *reader, const struct lexed_cell *cell, flow_events *out);

#endif
