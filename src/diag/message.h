/* Messages of the program as a whole, "nbscorep: ...", and its exit status. */
#pragma once

#include "base/base.h"

/* EXIT_USAGE is 2 for the shell, too: cli_main() first prints how to get help. EXIT_UNCLEAR is the
 * same after a message that lists the choices. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_NOTEBOOK = 1,
	EXIT_UNCLEAR = 2,
	EXIT_SYSTEM = 3,
	EXIT_USAGE = 0x102
};

/* The exit status of a call of several steps, from the statuses of two. */
static inline int exit_worse(int a, int b)
{
	return (a & 0xff) > (b & 0xff) ? a : b;
}

/* As in shells, the status of a program that a signal ended is EXIT_SIGNAL plus the signal's
 * number. */
enum { EXIT_SIGNAL = 128 };

/* Prints "nbscorep: MESSAGE" on standard error. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int message_usage(struct arena *arena, const char *format,
                                                        ...);

/* Prints "nbscorep: MESSAGE" and then HINT on standard error. HINT is "" or lines that end in a
 * line end. Returns STATUS. */
__attribute__((format(printf, 4, 5))) int message_fail(struct arena *arena, int status,
                                                       const char *hint, const char *format, ...);

/* Prints that the file at PATH is left as it is, for REASON of os_keep_reason(). Returns EXIT_SYSTEM. */
int message_kept(struct arena *arena, const char *path, const char *reason, bool forcible);

/* Writes TEXT to the file at PATH (base/os_put.h). Returns EXIT_DONE, or EXIT_SYSTEM after a message. */
int message_write(struct arena *arena, const char *path, struct slice text);

/* Writes TEXT to standard output. Returns EXIT_DONE, or EXIT_SYSTEM after a message. */
int message_print(struct arena *arena, struct slice text);
