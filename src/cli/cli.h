/* The command line: one function that dispatches argv, and one per command. */
#pragma once

#include "diag/message.h"
#include "settings/settings.h"

/* Runs nbscorep. Prints, but does not exit: the result is the exit status. */
int cli_main(int argc, char **argv);

/* One per command, in a file of its name. ARENA lives as long as the run. Each returns an exit status. */
#define COMMAND(id, name, operands, summary)                                                       \
	int command_##name(struct arena *arena, struct options *options);
#include "settings/settings.def"

/* The command called NAME, or COMMAND_COUNT after a message, with a near name if any. */
enum command_id command_find(struct arena *arena, const char *name);

/* Prints that COMMAND, the words after "--" of `monitor` and `record`, could not be started, because of
 * ERROR. Returns the status of env(1) and timeout(1): 127 if
 * it was not found, else 126. */
int cli_command_failed(struct arena *arena, const text_list *command, int error);

/* The exit status of a command, or EXIT_SIGNAL and the number of the signal that killed it. STATUS: of waitpid(). */
int cli_command_status(int status);

/* True if output to FD is coloured: by --color, else for a terminal without NO_COLOR. */
bool cli_wants_color(const struct options *options, int fd);
