#include <unistd.h>

#include "cli/session.h"
#include "emit/dump.h"
#include "emit/emit.h"

enum { FORMAT_JSON = 1, FORMAT_YAML };

static void dump(struct compilation *c, const struct options *options, void *data)
{
	(void)data;
	struct strbuf text;
	strbuf_init(&text, c->arena);
	emit_ir_dump(&text, &c->ir, options->ir_format == FORMAT_YAML ? DUMP_YAML : DUMP_JSON);
	if (cli_print(c->arena, strbuf_slice(&text)) != EXIT_DONE)
		c->system_failed = true;
}

int command_ir(struct invocation *invocation)
{
	if (invocation->options->operands.count > 1)
		return cli_usage_error(invocation->arena, "'ir' wants one notebook");
	return session_run(invocation, STDERR_FILENO, dump, NULL);
}
