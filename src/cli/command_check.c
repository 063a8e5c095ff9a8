#include <unistd.h>

#include "base/name_set.h"
#include "cli/session.h"
#include "cli/supported.h"
#include "run/environment.h"

/* What is known of all notebooks. */
struct check {
	struct name_set requirements; /* what they would install */
	struct supported supported;
};

static bool sets_path(const struct program *program)
{
	for (size_t i = 0; i < program->environment.count; i++) {
		if (slice_eq(program->environment.items[i].name, SLICE("PATH")))
			return true;
	}
	return false;
}

/* Where there is no Score-P, or another one than the run will have, nothing is said. */
static void check_support(struct check *check, struct compilation *c)
{
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		if (check->supported.scorep_config != NULL && !sets_path(program))
			supported_report(&check->supported, program, &c->diags,
			                 DIAG_ARGS_UNSUPPORTED);
	}
}

static void check(struct compilation *c, const struct options *options, void *data)
{
	struct check *check = data;
	struct name_set *lines = &check->requirements;
	check_support(check, c);
	for (size_t i = 0; options->print_requirements && i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		for (size_t k = 0; k < program->packages.count; k++)
			name_set_add(lines, arena_dup(lines->arena, program->packages.items[k]));
	}
}

static int print_requirements(const struct name_set *requirements)
{
	struct strbuf out;
	strbuf_init(&out, requirements->arena);
	for (size_t i = 0; i < requirements->names.count; i++) {
		strbuf_add(&out, requirements->names.items[i]);
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
	struct environment environment;
	environment_init(&environment, invocation->arena, environ);
	struct check data = {
	        .supported = {.arena = invocation->arena,
	                      .scorep_config =
	                              environment_find_program(&environment, "scorep-config")},
	};
	name_set_init(&data.requirements, invocation->arena);
	int status = session_run(invocation, STDOUT_FILENO, check, &data);
	if (options->print_requirements && print_requirements(&data.requirements) != EXIT_DONE)
		return EXIT_SYSTEM;
	return status;
}
