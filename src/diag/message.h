/* Messages of the program as a whole, "nbscorep: ...", and its exit status. */
#ifndef NBSCOREP_DIAG_MESSAGE_H
#define NBSCOREP_DIAG_MESSAGE_H

#include "base/arena.h"
#include "base/slice.h"

/* EXIT_USAGE is 2 for the shell as well: cli_main() first prints how to get help. EXIT_UNCLEAR is the same after
 * a message that lists what to choose from. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_NOTEBOOK = 1,
	EXIT_UNCLEAR = 2,
	EXIT_SYSTEM = 3,
	EXIT_USAGE = 0x102
};

/* The one of two statuses that a call of several steps ends with. */
static inline int exit_worse(int a, int b)
{
	return (a & 0xff) > (b & 0xff) ? a : b;
}

/* As in shells, this plus the number of a signal is the status of a program that the signal ended. */
enum { EXIT_SIGNAL = 128 };

/* Prints "nbscorep: MESSAGE" on standard error. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int message_usage(struct arena *arena, const char *format,
                                                        ...);

/* Prints "nbscorep: MESSAGE" on standard error, and after it HINT, lines that end in a line end, or "".
 * Returns STATUS. */
__attribute__((format(printf, 4, 5))) int message_fail(struct arena *arena, int status,
                                                       const char *hint, const char *format, ...);

/* Writes TEXT to standard output. Returns EXIT_DONE, or EXIT_SYSTEM after a message. */
int message_print(struct arena *arena, struct slice text);

#endif
