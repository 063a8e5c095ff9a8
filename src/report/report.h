/* What a report is about: a run, of one node or several, and the figures of it and of its cells.
 * nbscorep-report(1) has the rules. */
#pragma once

#include "report/measure.h"
#include "trace/series_read.h"

/* What a run is bound by. */
enum signature {
#define SIGNATURE(id, name, text) SIGNATURE_##id,
#include "report/signatures.def"
	SIGNATURE_COUNT
};

/* "CPU-BOUND". */
struct slice signature_name(enum signature signature);

/* One file of samples. */
struct report_node {
	struct slice file; /* as the user named it, or its name in the folder that the user named */
	struct series series;
};

/* A run, on one node or several. */
struct report_run {
	struct slice name;                /* as the user named it */
	VECTOR(struct report_node) nodes; /* by number of the node, host, and name of the file */
	size_t first_index;               /* JUmPER's, of the first cell that has one */
};

/* What the user named: the files of a run, or of several, of which there is no report. */
struct report_files {
	struct slice name;              /* as the user named it */
	VECTOR(struct report_run) runs; /* by their first nodes */
	VECTOR(struct slice) problems;  /* "x.samples: not a file of samples" */
	bool is_unread;                 /* one of them is that a file could not be read */
};

/* Cells by number, both included. */
struct report_range {
	unsigned first, last;
};

/* All cells. */
#define REPORT_RANGE_ALL ((struct report_range){0, UINT32_MAX})

static inline bool report_range_is_all(const struct report_range *range)
{
	return range->first == 0 && range->last == UINT32_MAX;
}

/* A cell that ran. */
struct report_row {
	unsigned number;
	int64_t index; /* in the order in which cells ran, as JUmPER counts; -1: it does not */
	size_t repeat; /* how often a cell of this number ran before */
	struct slice title, state; /* both may be empty */
	struct stretch stretch;    /* on the first node that knows of cells */
	struct figures figures;    /* of all nodes */
};

struct report {
	struct arena *arena;
	const struct report_run *run;
	const struct report_node *lead; /* whose clock ROWS and STRETCH have */
	enum level level;
	struct report_range range;
	struct stretch stretch; /* the run, or from the first to the last cell of RANGE */
	VECTOR(struct report_row) rows;
	struct figures figures; /* of all nodes in STRETCH */
	unsigned signatures;    /* 1u << SIGNATURE_... */
	unsigned plots; /* those of a figure, of report_plots_read(); 0: the standard ones */
	/* What the nodes have together: bytes that the level may have, and bytes of GPUs. */
	size_t cpus, gpus;
	double memory, gpu_memory;
	double peak; /* bytes of resident memory on the node where it was highest; NaN: not known */
	double need; /* bytes there, with a page that processes share counted once */
	double tmpfs; /* bytes there of tmpfs and shared memory that no process maps; NaN: not known */
	double oom_kills; /* processes that the kernel killed for lack of memory; NaN: not known */
	int64_t request;  /* bytes to request for the next job, on each node; 0: not known */
};

/* True if a node has figures of LEVEL. */
bool report_has_level(const struct report_run *run, enum level level);

/* True if SIGKILL ended the program on a node. */
bool report_is_killed(const struct report_run *run);

/* Makes the report of RUN, which has a node. Returns 0, or -1 where no cell of RANGE ran. */
int report_make(struct arena *arena, const struct report_run *run, enum level level,
                struct report_range range, struct report *out);

/* The stretch of ROW (NULL: that of the report) by the clock of NODE: where NODE knows of the
 * cell, of its own run of it. */
struct stretch report_row_on(const struct report *report, const struct report_node *node,
                             const struct report_row *row);

/* Figures of ROW (NULL: the report's stretch) on NODE, or where that is NULL of all nodes that have LEVEL: sums; the
 * longest time; percentages are of all processors and GPUs. */
void report_figures(const struct report *report, const struct report_node *node, enum level level,
                    const struct report_row *row, struct figures *out);
