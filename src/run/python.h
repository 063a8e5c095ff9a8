/* The Python that runs scripts: which one it is, and what it says about a script. */
#ifndef NBSCOREP_RUN_PYTHON_H
#define NBSCOREP_RUN_PYTHON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/vector.h"
#include "run/environment.h"

/* The status that Python ends with after an exception that is not caught, and where -m finds no module. */
enum { PYTHON_EXIT_EXCEPTION = 1 };

/* The Python that runs scripts in ENVIRONMENT: NAMED unless it is NULL, else $PYTHON, else that of the
 * active virtual environment, else python3 on PATH. The run script does the same (templates/run.sh). */
const char *python_find(const struct environment *environment, const char *named);

/* Where a cell stands: COUNT lines with INDENT blanks before its code, from line FIRST (1-based) of
 * cell_text on, and from line IN_SCRIPT of the script, there SPAN lines with cells that it includes. */
struct python_cell {
	size_t first, count, indent, in_script, span;
};

/* A cell that does not compile. */
struct python_fault {
	size_t cell; /* its index; the number of cells: the fault lies in none */
	unsigned line, column,
	        length;             /* LINE counts the cell's lines (with WHOLE those of its SPAN),
	                                  COLUMN and LENGTH characters of cell_text, or with WHOLE of
	                                  the script; 0: not known */
	bool whole;                 /* the cell compiles for itself, but not in the script */
	bool python_2;              /* the line is code for Python 2 */
	struct slice type, message; /* of the exception: "SyntaxError", "invalid syntax" */
};

struct python_check {
	struct slice cell_text; /* in which the cells are compiled one by one */
	struct slice script;
	const struct python_cell *cells;
	size_t cell_count;
	bool started;                       /* there is such a program */
	VECTOR(struct python_fault) faults; /* the result */
};

/* Lets PYTHON run CHECKER (templates/verify.py) over CHECK: each cell is compiled for itself, then
 * the script without those that do not compile; nothing is run. Returns 0, or -1 with a
 * REASON for messages when there is no result. */
int python_check(struct arena *arena, const char *python, struct slice checker,
                 struct python_check *check, struct slice *reason);

#endif
