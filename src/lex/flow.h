/* What a cell does with the names of its module, in the order in which it runs: for warnings about names
 * that no cell has defined. It has no parser. Where the tokens do not tell what runs, a name may get a
 * value, and none is used. */
#ifndef NBSCOREP_LEX_FLOW_H
#define NBSCOREP_LEX_FLOW_H

#include "lex/lex.h"

enum flow_kind {
	FLOW_NOTHING,
	FLOW_USE,    /* the cell reads the value of NAME, for certain */
	FLOW_BIND,   /* NAME may get a value */
	FLOW_GLOBAL, /* a function may give NAME a value whenever it is called */
	FLOW_DELETE, /* the cell deletes NAME, for certain */
	FLOW_MAGIC,  /* magic number INDEX runs, for certain */
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

/* Reads one cell after the other; memory that it needs is the arena's. */
struct flow_reader *flow_reader_new(struct arena *arena);

/* Appends the events of CELL to OUT. A cell that is not Python, as far as the tokens show, is a single
 * FLOW_ANY. Takes time linear in the cell. */
void flow_read(struct flow_reader *reader, const struct lexed_cell *cell, flow_events *out);

#endif
