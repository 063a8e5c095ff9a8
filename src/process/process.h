/* Child processes: started by argument vector, never through a shell. None outlives this program. */
#pragma once

#include <sys/types.h>

#include "process/spawn.h"

/* What a child may use. */
struct process_limits {
	double seconds; /* from the start, or from a question, to the end of its answer; 0: no limit */
	struct spawn_limits resources; /* of its whole life */
};

/* What to start. */
struct process_order {
	const char *const
	        *argv; /* argv[0] is searched for on PATH unless it has a slash; ends with NULL */
	struct slice input;       /* its standard input, which ends after this */
	size_t limit;             /* bytes that are kept of its output, and of its errors */
	char *const *environment; /* NULL: this program's */
	const char *folder;       /* where it starts; NULL: this program's */
	struct process_limits limits;
	bool own_group;  /* it leads a process group, which ends with it; false: it may ask at the
	                   terminal */
	bool is_whole;   /* more output than LIMIT ends the exchange, with EMSGSIZE */
	bool to_the_end; /* a signal that asks this program to end acts after the child's end */
};

/* The outcome. Texts live in the arena. */
struct process_result {
	struct slice out, err; /* the first bytes that it wrote, up to the limit */
	int status;            /* as waitpid() gives it, if the child has ended */
	bool started;          /* also if the exchange with it failed */
	int error; /* 0, or an errno if it could not be started or the exchange failed: ETIMEDOUT at the time limit, EMSGSIZE,
	              EINTR if a signal asked this program to end */
};

/* Starts COUNT children side by side, writes to them and reads from them until they end; what else is in a group
 * that one leads is then killed. The children inherit no descriptors of this program, and block no signals. They
 * need not read all of their input. RESULTS has one element for each, the first order decides whether signals wait
 * TO_THE_END. All children have ended when this returns. SIGPIPE is ignored meanwhile, in this whole process.
 * Returns 0, or -1 and sets errno if no child was started. */
int process_run_all(struct arena *arena, const struct process_order *orders, size_t count,
                    struct process_result *results);

/* The same for one child. Returns 0, or -1 and sets errno if OUT->error is set or no child was started. */
int process_run(struct arena *arena, const struct process_order *order, struct process_result *out);

/* A child that answers one question after the other. Zeroed: not running. */
struct process {
	pid_t pid;   /* 0: not running */
	int ends[3]; /* our ends of its standard streams; -1: closed */
	bool own_group;
};

/* Starts the child of ORDER unless it is running, writes the order's INPUT and reads until a line
 * equals LAST_LINE, which is not empty. The texts of OUT are those of this answer. Returns 0, or -1 and sets errno like
 * process_run(), to ECHILD if the child has ended without that line; no child is running then. If memory
 * runs out, the caller must call process_end(). */
int process_ask(struct arena *arena, struct process *process, const struct process_order *order,
                struct slice last_line, struct process_result *out);

/* Kills the child, if it is running, and its group if it leads one. */
void process_end(struct process *process);

/* How the child ended, for a message: "ended with status 2", "was killed by signal 9". */
struct slice process_ending(struct arena *arena, int status);

/* The reason why RESULT, of a child that had SECONDS, does not count, for a message: "it ended with status 2: " and the
 * last line of its errors. Empty: it counts. */
struct slice process_failure(struct arena *arena, const struct process_result *result,
                             double seconds);
