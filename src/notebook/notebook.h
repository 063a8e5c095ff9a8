/* Reading Jupyter notebooks: nbformat 4.0-4.5, 3, and 2 and 1 as far as they need no guessing
 * (https://nbformat.readthedocs.io/en/latest/format_description.html). Outputs are skipped while
 * reading and never held in memory. jansson is used only behind this header. */
#ifndef NBSCOREP_NOTEBOOK_NOTEBOOK_H
#define NBSCOREP_NOTEBOOK_NOTEBOOK_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/value.h"
#include "base/vector.h"
#include "diag/diag.h"

enum cell_type { CELL_CODE, CELL_MARKDOWN, CELL_RAW, CELL_HEADING };

struct cell {
	enum cell_type type;
	unsigned number;     /* 1-based position among all cells of the notebook */
	unsigned file_line;  /* line of the file on which the cell's source value begins, or 0 */
	unsigned lines_from; /* that of its first line, where each line has one of its own, or 0 */
	unsigned level;      /* of a CELL_HEADING (nbformat < 4): 1..6 */
	struct slice id;     /* nbformat 4.5, else empty */
	struct slice source; /* UTF-8; a list of lines is joined as nbformat joins it */
	VECTOR(struct slice) tags;
	struct slice
	        language; /* that an editor notes in its metadata, unless that is Python; or empty */
};

struct notebook {
	struct slice name; /* as in diagnostics: the path as given, or "<stdin>" */
	unsigned nbformat, nbformat_minor;
	struct slice kernel_name;    /* metadata.kernelspec.name, or empty */
	struct slice kernel_display; /* metadata.kernelspec.display_name, or empty */
	const struct value *config;  /* metadata.nbscorep, or NULL; all of it has the same place */
	VECTOR(struct cell) cells;   /* by number; what is no cell has a number, but none here */
};

/* The number of the last cell, or 0: how many the file has, without what is no cell behind it. */
static inline unsigned notebook_last_cell(const struct notebook *notebook)
{
	size_t count = notebook->cells.count;
	return count == 0 ? 0 : notebook->cells.items[count - 1].number;
}

/* Beyond these a file is refused. They keep a hostile file from taking all memory. */
struct notebook_limits {
	size_t nesting;    /* levels of arrays and objects, outputs included */
	size_t cells;      /* cells */
	size_t cell_bytes; /* what is kept of one cell, or of the metadata: source, the rest as JSON */
	size_t bytes;      /* the same of the whole notebook */
	size_t values;     /* JSON values kept: source lines, tags, members of metadata.nbscorep */
	size_t included_cells,
	        included_bytes; /* of files that the notebook includes, all together */
};

extern const struct notebook_limits notebook_default_limits;

/* Reads a notebook from the open file FD. NAME is used in messages only. Every problem becomes a
 * diagnostic in DIAGS (JSON errors with line and column of the file). All memory comes from ARENA.
 * Returns 0, or -1 after at least one error was added: not JSON, not a notebook, another language,
 * a limit exceeded, or a read error (then *READ_ERROR is errno, else 0). */
int notebook_read(struct arena *arena, int fd, struct slice name,
                  const struct notebook_limits *limits, struct diags *diags, struct notebook *out,
                  int *read_error);

#endif
