/* Which cells of a script took the time, in which lines and functions: its lines were sampled. */
#pragma once

#include "trace/measurement.h"

/* Nanoseconds in which the thread waited for neither a processor nor the interpreter's lock: it slept. */
static inline uint64_t script_cells_idle(const struct line_time *time)
{
	uint64_t known = time->cpu + time->delay + time->lock;
	return time->total > known ? time->total - known : 0;
}

/* A line that ran in a cell. */
struct cell_line {
	uint32_t number; /* of the script */
	struct line_time time;
};

/* A stretch of the script that is of one cell or file. */
struct script_part {
	uint32_t marker; /* the line "# %% cell 9" of the script; 0: none */
	uint32_t call;   /* the line that calls the function which a cell with await is; 0: none */
	int64_t before;  /* the line of the script before its line 1 */
	bool is_cell;    /* from its first line on */
	size_t cell;     /* the index of the cell that it is of, or that includes it */
	struct slice name; /* "cell 9", "other.ipynb cell 2", "file.py"; empty: before all cells */
};

struct script_cell {
	uint32_t marker;   /* the line "# %% cell 9" of the script; 0: none */
	struct slice name; /* "cell 9", "other.ipynb cell 2"; empty: before all cells */
	struct line_time time;
	VECTOR(struct cell_line) lines; /* by time, the slowest first */
};

struct script_cells {
	struct arena *arena;
	VECTOR(struct slice) script;     /* its lines; empty if it cannot be read */
	VECTOR(struct script_cell) list; /* in the order of the script; the first one has no name */
	VECTOR(struct script_part) parts; /* the same, with those of what cells include */
	/* All that lies outside of measured cells, with the time in which no line of the script runs: Python's start and
	 * end. */
	struct script_cell outside;
	uint64_t total; /* nanoseconds, of Python's start and end, too */
};

/* Finds the cells of MEASUREMENT's script and the times of their lines. Without lines, or if the script cannot be
 * read, OUT has no cells. MEASURED: the cells that have a region there. */
void script_cells_make(struct script_cells *out, struct arena *arena,
                       const struct measurement *measurement, const struct name_set *measured);

/* The cell NAME, or NULL. */
const struct script_cell *script_cells_find(const struct script_cells *cells, struct slice name);

/* True if LINE of the script imports a module. */
bool script_cells_is_import(const struct script_cells *cells, uint32_t line);

/* "line 3", or if it is another cell's "cell 2, line 3" */
struct slice script_cells_line(const struct script_cells *cells, const struct script_cell *cell,
                               uint32_t line);

/* The text of LINE, shortened. */
struct slice script_cells_text(const struct script_cells *cells, uint32_t line);

/* "line 3: for i in range(n):", or if it is another cell's "cell 2, line 3: ..." */
struct slice script_cells_place(const struct script_cells *cells, const struct script_cell *cell,
                                uint32_t line);
