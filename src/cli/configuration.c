#include "cli/configuration.h"

static struct config_value from_option(struct arena *arena, const char *text)
{
	struct config_value out = {.source = CONFIG_COMMAND_LINE};
	if (text != NULL) {
		struct value *value = ARENA_NEW(arena, struct value);
		*value = (struct value){.kind = VALUE_TEXT, .text = slice_from(text)};
		out.value = value;
	}
	return out;
}

int configuration_make(struct compilation *c, const struct options *given,
                       struct options *configured)
{
	*configured = *given;
	c->config.ranks = from_option(c->arena, given->ranks);
	c->config.launcher = from_option(c->arena, given->launcher);
	return 0;
}
