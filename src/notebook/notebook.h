/* Reading Jupyter notebooks: nbformat 4.0-4.5, 3, and the parts of 2 and 1 that are unambiguous
 * (https://nbformat.readthedocs.io/en/latest/format_description.html). Outputs are skipped while
 * reading and never held in memory. This header hides the use of jansson. */
#pragma once

#include "base/value.h"
#include "diag/diag.h"

enum cell_type { CELL_CODE, CELL_MARKDOWN, CELL_RAW };

struct cell {
	enum cell_type type;
	unsigned number;     /* 1-based position among all cells of the notebook */
	unsigned file_line;  /* line of the file on which the cell's source value begins, or 0 */
	unsigned lines_from; /* line of the file of its first line, if each has its own, or 0 */
	struct slice id;     /* nbformat 4.5, else empty */
	struct slice source; /* UTF-8; a list of lines is joined as nbformat joins it */
	VECTOR(struct slice) tags;
	struct slice language; /* in an editor's metadata, unless it is Python; or empty */
};

struct notebook {
	struct slice name; /* as in diagnostics: the path as given, or "<stdin>" */
	unsigned nbformat;
	const struct value *config; /* metadata.nbscorep, or NULL; its values have one place */
	VECTOR(struct cell) cells;  /* by number; items that are not cells are left out */
};

/* The number of the last cell, or 0. It counts items that are not cells, except those at the
 * end. */
static inline unsigned notebook_last_cell(const struct notebook *notebook)
{
	size_t count = notebook->cells.count;
	return count == 0 ? 0 : notebook->cells.items[count - 1].number;
}

/* Limits above which a file is rejected. They keep a hostile file from using all memory. */
struct notebook_limits {
	size_t nesting;    /* levels of arrays and objects, outputs included */
	size_t cells;      /* cells */
	size_t cell_bytes; /* kept bytes of one cell or of the metadata, metadata.nbscorep included */
	size_t bytes;      /* kept bytes of the whole notebook */
	size_t values;     /* JSON values kept: source lines, tags */
	size_t included_cells, included_bytes; /* sums over all files that the notebook includes */
};

extern const struct notebook_limits notebook_default_limits;

/* Reads a notebook from the open file FD. NAME is used in messages only. Every problem becomes a
 * diagnostic in DIAGS (JSON errors with line and column of the file). All memory comes from ARENA.
 * Returns 0, or -1 after adding at least one error: not JSON, not a notebook, another language, a
 * limit exceeded, or a read error. */
int notebook_read(struct arena *arena, int fd, struct slice name,
                  const struct notebook_limits *limits, struct diags *diags, struct notebook *out);

/* True if NAME is like the names of Python kernels: "python3", "conda-env-x". */
bool notebook_is_python_kernel(struct slice name);
