#include <string.h>

#include "cli/cli.h"
#include "cli/command_completion.h"

enum completion_kind completion_kind_of(const struct option_row *row)
{
	if (row->setting.argument == NULL || option_is_optional(row))
		return COMPLETION_NONE;
	if (row->setting.type == SETTING_CHOICE)
		return COMPLETION_CHOICE;
	if (strcmp(row->setting.argument, "DIR") == 0)
		return COMPLETION_FOLDER;
	return slice_starts_with(slice_from(row->setting.argument), SLICE("FILE"))
	               ? COMPLETION_FILE
	               : COMPLETION_TEXT;
}

const char *completion_operands(int command)
{
	const char *operands = command_rows()[command].operands;
	bool is_choice = strchr(operands, '|') != NULL && completion_suffix(command) == NULL;
	return is_choice ? operands : NULL;
}

void completion_add_choices(struct strbuf *out, const char *choices)
{
	for (const char *at = choices; *at != '\0'; at++) {
		if (*at == '|')
			strbuf_addc(out, ' ');
		else
			strbuf_addc(out, *at);
	}
}

const char *completion_suffix(int command)
{
	struct slice operands = slice_from(command_rows()[command].operands);
	if (slice_starts_with(operands, SLICE("NOTEBOOK")) ||
	    slice_starts_with(operands, SLICE("[NOTEBOOK")))
		return ".ipynb";
	return slice_starts_with(operands, SLICE("FILE")) ? ".samples" : NULL;
}

void completion_add_commands(struct strbuf *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		strbuf_printf(out, "%s ", command_rows()[i].name);
}

int command_completion(struct invocation *invocation)
{
	static const struct {
		const char *name;
		void (*add)(struct strbuf *);
	} shells[] = {
#define SHELL(name) {#name, completion_##name},
#include "cli/shells.def"
#undef SHELL
	};
	const struct options *options = invocation->options;
	struct strbuf out;
	strbuf_init(&out, invocation->arena);
	for (size_t i = 0; options->operands.count == 1 && i < sizeof shells / sizeof *shells;
	     i++) {
		if (strcmp(options->operands.items[0], shells[i].name) != 0)
			continue;
		shells[i].add(&out);
		return message_print(invocation->arena, strbuf_slice(&out));
	}
	return message_usage(invocation->arena, "'completion' requires 'bash', 'fish' or 'zsh'");
}
