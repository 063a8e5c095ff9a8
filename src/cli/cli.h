/* The command line: one function that does what argv says, and one per command. */
#ifndef NBSCOREP_CLI_CLI_H
#define NBSCOREP_CLI_CLI_H

#include "base/strbuf.h"
#include "cli/options.h"

enum exit_status { EXIT_DONE = 0, EXIT_NOTEBOOK = 1, EXIT_USAGE = 2, EXIT_SYSTEM = 3 };

/* As shells have it, this plus a signal's number is the status of what that signal ended. */
enum { EXIT_SIGNAL = 128 };

/* Runs nbscorep. Prints, but does not exit: the result is the exit status. */
int cli_main(int argc, char **argv);

/* What a command works with. ARENA lives as long as the run. */
struct invocation {
	struct arena *arena;
	enum command_id command;
	const struct options *options;
};

/* One per command, in a file of its name. Each returns an exit status. */
#define COMMAND(id, name, operands, summary) int command_##name(struct invocation *invocation);
#include "cli/commands.def"
#undef COMMAND

/* Is colour wanted for what is written to FD: --color, else a terminal without NO_COLOR? */
bool cli_wants_color(const struct options *options, int fd);

/* "nbscorep: MESSAGE" and a hint at --help, on standard error; returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int cli_usage_error(struct arena *arena, const char *format,
                                                          ...);

/* "nbscorep: MESSAGE" on standard error, and behind it the lines of HINT, which end in a line end or
 * are empty; returns STATUS. */
__attribute__((format(printf, 4, 5))) int cli_fail(struct arena *arena, int status,
                                                   const char *hint, const char *format, ...);

/* "nbscorep: MESSAGE" on standard error; returns EXIT_SYSTEM. */
int cli_system_error(struct arena *arena, struct slice message);

/* Writes TEXT to standard output; returns EXIT_DONE, or EXIT_SYSTEM with a message. */
int cli_print(struct arena *arena, struct slice text);

#endif
