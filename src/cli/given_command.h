/* The command after "--" of `monitor` and `record`. */
#ifndef NBSCOREP_CLI_GIVEN_COMMAND_H
#define NBSCOREP_CLI_GIVEN_COMMAND_H

#include "cli/options.h"

/* Its words for execvp(), with the NULL at the end. */
char **given_command_words(struct arena *arena, const text_list *command);

/* Prints that it could not be started, because of ERROR. Returns the status of env(1) and timeout(1): 127 if it was
 * not found, else 126. */
int given_command_failed(struct arena *arena, const text_list *command, int error);

/* Its exit status, or EXIT_SIGNAL and the number of the signal that killed it. STATUS: of waitpid(). */
int given_command_status(int status);

#endif
