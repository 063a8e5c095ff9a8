#include "cli/notebooks.h"
#include "emit/dump.h"

static void dump_ir(struct compilation *c, void *data)
{
	const struct options *options = data;
	struct strbuf text = {.arena = c->arena};
	emit_ir_dump(&text, &c->ir, options->format == 0 ? DUMP_JSON : options->format - 1);
	if (message_print(c->arena, strbuf_slice(&text)) != EXIT_DONE)
		c->diags.failed = true;
}

int command_ir(struct arena *arena, struct options *options)
{
	if (options->operands.count > 1)
		return message_usage(arena, "'ir' requires one notebook");
	return notebooks_run(arena, COMMAND_IR, options, dump_ir, options);
}
