/* Samples a program while it runs, into a file. It has one descriptor, which becomes readable when
 * work is due, so that a process that waits for the program can wait for it, too.
 *
 * The program is read at each interval, all else at a pace at which it takes at most a hundredth of
 * one processor's time. */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "base/cell_mark.h"
#include "sample/series.h"

struct sampler;

struct sampler_order {
	bool adopts; /* it is this process' child, and its orphans will be */
	/* The launcher: its children with RANK_VARIABLE in their environment count as the program. A
	 * process with that variable itself is not a launcher. 0: no launcher. */
	pid_t launcher;
	const char *rank_variable;
	int64_t interval; /* nanoseconds */
	unsigned levels;  /* 1u << LEVEL_... */
	int output;       /* descriptor that is appended to; stays the caller's */
	int marks;        /* that lines come from, of those below; -1: none */
	int answers;      /* with marks: where "sync" is answered */
	int64_t node;     /* its number in the job, or -1 */
	struct slice command;
};

/* Lines from the process that runs the cells:
 *   begin 7 MOMENT [CHILDREN], end 7 MOMENT STATE [CHILDREN]
 *                                       base/cell_mark.h
 *   title 7 TEXT                        the rest of the line describes the cell
 *   sync                                "done" answers when the program was read, and all written
 *   quit                                as the end of the lines, which another process may hold open
 * Other lines are ignored. */

/* Makes all ready, before the program starts: with GPUs that takes a moment. Returns NULL with
 * errno where it cannot. ARENA serves the sampler until its end. */
struct sampler *sampler_open(struct arena *arena, const struct sampler_order *order);

/* PID, the program, has been started. */
void sampler_begin(struct sampler *sampler, pid_t pid);

/* Readable when sampler_look() has something to do. */
int sampler_descriptor(const struct sampler *sampler);

/* Does what is due. Does not longjmp, nor do the functions below: if memory or the file fails, the
 * sampler stops, which sampler_end() reports. */
void sampler_look(struct sampler *sampler);

/* True if nothing is left to do: the lines have ended, or the sampler has failed. */
bool sampler_is_over(const struct sampler *sampler);

/* True if another rank that this process's parent has started was still running at the last look. */
bool sampler_has_other_ranks(const struct sampler *sampler);

/* Gives up a sampler that did not begin. */
void sampler_close(struct sampler *sampler);

/* The program has ended with STATUS (of waitpid()); USAGE: of all children of this process, of
 * which those before sampler_open() are left out, or NULL if it is another process's child.
 * Returns 0, or -1 with errno when not all could be written. */
int sampler_end(struct sampler *sampler, int status, const struct rusage *usage);

/* A cell begins or ends: the program is read at once. */
void sampler_mark(struct sampler *sampler, const struct cell_mark *mark);

/* What is known of a cell; its texts stay the caller's. */
void sampler_title(struct sampler *sampler, const struct series_title *title);
