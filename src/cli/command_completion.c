#include <string.h>

#include "cli/cli.h"
#include "emit/template.h"

int command_completion(struct invocation *invocation)
{
	static const char *const shells[] = {"bash", "fish", "zsh"};
	const text_list *words = &invocation->options->operands;
	for (size_t i = 0; words->count == 1 && i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(words->items[0], shells[i]) == 0)
			return message_print(
			        invocation->arena,
			        template_text(arena_printf(invocation->arena, "completion.%s",
			                                   shells[i])));
	}
	return message_usage(invocation->arena, "'completion' requires 'bash', 'fish' or 'zsh'");
}
