#include <unistd.h>

#include "base/name_set.h"
#include "base/quote.h"
#include "cli/notebook_folders.h"
#include "cli/notebooks.h"
#include "emit/emit.h"
#include "emit/run_script.h"
#include "process/environment.h"
#include "run/supported.h"
#include "settings/print.h"

/* What is known of all notebooks. */
struct check {
	const struct options *options;
	struct name_set requirements; /* what they would install */
	struct supported supported;
	struct strbuf environment; /* of their run scripts */
	struct strbuf configuration;
};

/* Reports nothing without Score-P, or if the run will have another one. */
static void check_support(struct check *check, struct compilation *c)
{
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		if (check->supported.scorep_config != NULL &&
		    program_setting(program, SLICE("PATH")) == NULL)
			supported_report(&check->supported, program, &c->diags,
			                 DIAG_ARGS_UNSUPPORTED);
	}
}

static void add_requirements(struct name_set *lines, const struct program *program)
{
	for (size_t i = 0; i < program->packages.names.count; i++)
		name_set_add(lines, arena_dup(lines->arena, program->packages.names.items[i]));
}

static void add_environment(struct strbuf *out, const struct compilation *c,
                            const struct program *program)
{
	strbuf_puts(out, "# ");
	comment_inline(out, program->name);
	strbuf_puts(out, "_run.sh\n");
	emit_environment(out, program, &c->ir.notebook_name);
}

/* Each of several notebooks is a document. */
static void add_configuration(struct strbuf *out, const struct compilation *c)
{
	if (out->len > 0)
		strbuf_puts(out, "---\n");
	strbuf_puts(out, "# ");
	comment_inline(out, c->path);
	strbuf_addc(out, '\n');
	config_print(out, &c->config, c->ir.notebook_name);
}

static void check(struct compilation *c, const struct build_settings *settings, void *data)
{
	struct check *check = data;
	const struct options *options = check->options;
	(void)settings;
	check_support(check, c);
	if (options->check.print_config)
		add_configuration(&check->configuration, c);
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		add_requirements(&check->requirements, program);
		if (options->check.print_env)
			add_environment(&check->environment, c, program);
	}
}

static int print_requirements(const struct name_set *requirements)
{
	struct strbuf out;
	strbuf_init(&out, requirements->arena);
	for (size_t i = 0; i < requirements->names.count; i++) {
		terminal_text(&out, requirements->names.items[i]);
		strbuf_addc(&out, '\n');
	}
	return message_print(requirements->arena, strbuf_slice(&out));
}

/* Only one of the requested texts can use standard output. */
static int check_options(struct arena *arena, const struct options *options)
{
	static const char message[] = "'%s' and '%s' both use standard output";
	const char *wanted[4];
	size_t count = 0;
	if (options->check.print_requirements)
		wanted[count++] = "--print-requirements";
	if (options->check.print_env)
		wanted[count++] = "--print-env";
	if (options->check.print_config)
		wanted[count++] = "--print-config";
	if (options->diagnostics_format > DIAGNOSTICS_TEXT)
		wanted[count++] = "--diagnostics-format";
	if (count > 1)
		return message_usage(arena, message, wanted[0], wanted[1]);
	return EXIT_DONE;
}

static struct check check_make(struct arena *arena, const struct options *options)
{
	struct environment environment;
	struct check check = {.options = options, .supported.arena = arena};
	environment_init(&environment, arena, environ);
	if (!options->build.untrusted.given)
		check.supported.scorep_config =
		        environment_find_program(&environment, "scorep-config");
	name_set_init(&check.requirements, arena);
	strbuf_init(&check.environment, arena);
	strbuf_init(&check.configuration, arena);
	return check;
}

int command_check(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	int status = check_options(invocation->arena, options);
	if (status != EXIT_DONE)
		return status;
	struct options expanded;
	int left_out = notebook_folders_expand(invocation->arena, options, &expanded);
	if (left_out != EXIT_DONE && expanded.operands.count == 0)
		return left_out;
	struct invocation on_notebooks = *invocation;
	on_notebooks.options = &expanded;
	struct check data = check_make(invocation->arena, options);
	status = notebooks_run(&on_notebooks, STDOUT_FILENO, check, &data);
	if (options->check.print_env &&
	    message_print(invocation->arena, strbuf_slice(&data.environment)) != EXIT_DONE)
		return EXIT_SYSTEM;
	if (options->check.print_config &&
	    message_print(invocation->arena, strbuf_slice(&data.configuration)) != EXIT_DONE)
		return EXIT_SYSTEM;
	if (options->check.print_requirements &&
	    print_requirements(&data.requirements) != EXIT_DONE)
		return EXIT_SYSTEM;
	return exit_worse(left_out, status);
}
