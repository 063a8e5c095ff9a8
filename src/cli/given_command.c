#include "cli/given_command.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "diag/message.h"

char **given_command_words(struct arena *arena, const text_list *command)
{
	VECTOR(char *) words = {0};
	for (size_t i = 0; i < command->count; i++)
		vec_push(arena, &words, (char *)command->items[i]);
	vec_push(arena, &words, NULL);
	return words.items;
}

int given_command_failed(struct arena *arena, const text_list *command, int error)
{
	enum { EXIT_CANNOT_START = 126, EXIT_NOT_FOUND = 127 };
	return message_fail(arena, error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_START, "",
	                    "cannot start '%s': %s", command->items[0], strerror(error));
}

int given_command_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
