/* The figures of a measurement: of its cells, functions, call paths, processes and messages, and POP's efficiencies.
 * nbscorep-report(1) has the rules. */
#pragma once

#include "report/figure_table.h"
#include "report/report.h"
#include "report/script_cells.h"
#include "trace/measurement.h"

/* What recording an event takes, in seconds, measured: the recorder's (bench-record); Score-P's takes more. */
#define PROFILE_EVENT_COST 75e-9

enum time_kind {
#define TIME_KIND(id, key, title, text) TIME_##id,
#include "report/time_kind.def"
	TIME_KIND_COUNT
};

/* What is to be shown. */
struct profile_selection {
	struct report_range
	        cells; /* by their number in the notebook; REPORT_RANGE_ALL: what is in no cell, too */
	struct slice function; /* functions with this in their name; empty: all */
	int64_t rank, thread;  /* this process, this thread of each process; -1: all */
	size_t top;            /* functions at most; 0: all */
};

/* POP's efficiencies of processes that together take the time T, each of them U outside of MPI and OpenMP: mean(U) / T
 * = mean(U) / max(U) x max(U) / T (https://pop-coe.eu/node/69). Ratios. */
struct profile_efficiency {
	double parallel, load_balance, communication;
};

/* A cell, or what lies outside of all cells. Seconds are those of the main threads of ranks: the smallest, mean and
 * largest sum of a process's visits. A process that another one has started is not a rank. */
struct profile_cell {
	struct slice cell; /* "9", "other.ipynb 2"; empty: outside of cells */
	struct slice title;
	double visits, seconds_min, seconds, seconds_max;
	const struct report_row *samples; /* of the last time that it ran; NULL: none */
	double cpu, peak, read, written;  /* of these: % of the processors, bytes; NaN: not known */
	double threads; /* seconds of all threads besides the main ones meanwhile; NaN: there are none */
	struct slice hottest; /* the function with most time of its own, of all threads */
	double hottest_share; /* % of the time of all threads in the cell */
	bool hottest_is_cell; /* it is the region of a cell: code outside of functions */
	double events,
	        recording; /* of all threads: enters and leaves, and what recording them takes, in % of their time */
	double share[TIME_KIND_COUNT]; /* % */
	struct profile_efficiency efficiency;
};

struct profile_function {
	struct slice function, file; /* "module:name" */
	double line, visits, exclusive, inclusive, per_visit,
	        share; /* seconds; % of all exclusive time */
};

struct profile_call {
	struct slice tree, call; /* indented by its depth; "module:name" */
	double path, parent, visits, inclusive,
	        exclusive; /* numbers of call paths; that of the program is 0 */
};

struct profile_location {
	struct slice name, host;
	double rank, thread, events;
	double seconds, outside_mpi, mpi; /* in the selected cells */
};

struct profile_messages {
	struct slice cell;
	double from, to, count, bytes, mean; /* ranks */
};

struct profile {
	struct arena *arena;
	struct slice directory; /* as the user named it; who makes the profile sets it */
	const struct measurement *measurement;
	const struct report *samples; /* of the same run; NULL: none */
	struct profile_selection selection;
	struct script_cells lines;
	double seconds; /* from the first to the last moment, or of the process that ran longest */
	struct profile_efficiency efficiency;
	enum time_kind *kinds;      /* by call path */
	struct measured_time *sums; /* by call path: visits and total of the selected locations */
	size_t ranks;               /* processes that count for rows of time */
	VECTOR(struct profile_cell) cells;         /* by the place in the notebook, then the rest */
	VECTOR(struct profile_function) functions; /* by exclusive time */
	VECTOR(struct profile_call) calls; /* as the tree is walked, sums of all locations */
	VECTOR(struct profile_location) locations;
	VECTOR(struct profile_messages) messages; /* by bytes */
};

/* "module:name" of the last function on PATH, "threads", or the program. */
struct slice profile_path_name(const struct profile *profile, uint32_t path);

/* "Master thread", of one of several processes "MPI Rank 3, Master thread": the location INDEX of the measurement. */
struct slice profile_location_name(const struct profile *profile, size_t index);

/* True if LOCATION is of the selected process and thread. */
bool profile_selects(const struct profile *profile, const struct measured_location *location);

/* True if PROCESS counts for rows of time: the ranks, or what is selected. */
bool profile_counts(const struct profile *profile, size_t process);

/* Makes the figures of MEASUREMENT, which has a process, and of SAMPLES of the same run, which may be NULL. Returns 0, or
 * -1 if nothing of it is selected. */
int profile_make(struct profile *out, struct arena *arena, const struct measurement *measurement,
                 const struct report *samples, const struct profile_selection *selection);

/* Seconds of CELL that went to KIND: 0 if its share is not known. */
double profile_cell_time(const struct profile_cell *cell, enum time_kind kind);

/* Megabytes for SCOREP_TOTAL_MEMORY with which no trace buffer becomes full: 24 bytes a visit, as scorep-score counts, of
 * the process with the most of them, a fifth more, and what Score-P needs besides: 4 MB, and 2.5 MB for each
 * further thread (fitted to its estimates for runs with one and four threads). */
double profile_buffer_need(const struct profile *profile);
