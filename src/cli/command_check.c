#include <unistd.h>

#include "base/name_set.h"
#include "cli/session.h"

/* What the notebooks would install. */
struct requirements {
	struct arena *arena; /* lives as long as the run */
	struct name_set lines;
};

static void check(struct compilation *c, const struct options *options, void *data)
{
	struct requirements *requirements = data;
	for (size_t i = 0; options->print_requirements && i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		for (size_t k = 0; k < program->packages.count; k++)
			name_set_add(&requirements->lines,
			             arena_dup(requirements->arena, program->packages.items[k]));
	}
}

static int print_requirements(const struct requirements *requirements)
{
	struct strbuf out;
	strbuf_init(&out, requirements->arena);
	for (size_t i = 0; i < requirements->lines.names.count; i++) {
		strbuf_add(&out, requirements->lines.names.items[i]);
		strbuf_addc(&out, '\n');
	}
	return cli_print(requirements->arena, strbuf_slice(&out));
}

int command_check(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	if (options->print_requirements && options->diagnostics_format > 1)
		return cli_usage_error(invocation->arena,
		                       "'--print-requirements' and '--diagnostics-format' both "
		                       "want standard output");
	struct requirements requirements = {.arena = invocation->arena};
	name_set_init(&requirements.lines, invocation->arena);
	int status = session_run(invocation, STDOUT_FILENO, check, &requirements);
	if (options->print_requirements && print_requirements(&requirements) != EXIT_DONE)
		return EXIT_SYSTEM;
	return status;
}
