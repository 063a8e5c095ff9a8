#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "base/quote.h"
#include "cli/batch.h"
#include "cli/command_build.h"
#include "cli/selective.h"
#include "cli/session.h"
#include "cli/started_commands.h"

/* Prints what was done to the files and, if LISTS, the commands that a run starts. */
static void say(struct compilation *c, const struct options *options, const struct outputs *outputs,
                bool lists)
{
	bool is_dry = options->dry_run;
	struct strbuf out;
	strbuf_init(&out, c->arena);
	for (size_t i = 0; i < outputs->files.count; i++) {
		strbuf_puts(&out, is_dry ? "would write " : "wrote ");
		terminal_text(&out, slice_from(outputs->files.items[i].path));
		strbuf_addc(&out, '\n');
	}
	if (lists)
		started_commands_list(&out, c, options, outputs);
	int status = is_dry ? cli_print(c->arena, strbuf_slice(&out))
	                    : os_write_all(STDERR_FILENO, strbuf_slice(&out));
	if (status != 0)
		c->system_failed = true;
}

/* Nothing may be written twice: by two notebooks of one call, or by one under two names. */
static int take_paths(struct compilation *c, struct outputs *outputs, struct taken *taken)
{
	for (size_t i = 0; i < outputs->files.count; i++) {
		struct output *file = &outputs->files.items[i];
		size_t count = taken->paths.names.count;
		file->real = os_real_path(c->arena, slice_from(file->path));
		if (file->real.len == 0 ||
		    name_set_add(&taken->paths, arena_dup(taken->arena, file->real)) == count)
			continue;
		diag_add(&c->diags, DIAG_NAME_TWICE, (struct location){0},
		         "'%s' would be written twice by this call", file->path);
		return -1;
	}
	return 0;
}

int build_write(struct compilation *c, const struct options *options, struct taken *taken,
                struct outputs *out)
{
	if (outputs_make(c, options, out) < 0 || take_paths(c, out, taken) < 0)
		return -1;
	if (options->dry_run) {
		if (outputs_check(c, out, options->force) < 0)
			return -1;
		say(c, options, out, true);
		return 0;
	}
	if (outputs_write(c, out, options->force) < 0)
		return -1;
	if (options->verbose)
		say(c, options, out, taken->lists);
	return 0;
}

static void build(struct compilation *c, const struct options *options, void *data)
{
	struct outputs outputs = {0};
	(void)build_write(c, options, data, &outputs);
}

static bool names_a_file(const char *text)
{
	return text != NULL && text[0] != '\0';
}

bool build_read_count(const char *text, size_t *out)
{
	size_t digits = strspn(text, "0123456789");
	*out = digits > 0 && digits < 8 && text[digits] == '\0' ? strtoul(text, NULL, 10) : 0;
	return *out > 0;
}

static int check_launch_options(struct arena *arena, const struct options *options)
{
	size_t ranks;
	if (options->ranks != NULL && !build_read_count(options->ranks, &ranks))
		return cli_usage_error(arena, "'--ranks' is a number of processes, not '%s'",
		                       options->ranks);
	if (options->launcher != NULL &&
	    options->launcher[strspn(options->launcher, " \t\n")] == '\0')
		return cli_usage_error(arena, "'--launcher' is empty");
	if (options->launcher != NULL && options->tag_output)
		return cli_usage_error(arena,
		                       "'--tag-output' is for a launcher that is found; give '%s' "
		                       "its own option",
		                       options->launcher);
	return EXIT_DONE;
}

static int check_modules(struct invocation *invocation)
{
	const text_list *modules = &invocation->options->instrument_modules;
	for (size_t i = 0; i < modules->count; i++) {
		if (!selective_is_module(slice_from(modules->items[i])))
			return cli_usage_error(invocation->arena,
			                       "'--instrument-module' wants a module's name, not "
			                       "'%s'",
			                       modules->items[i]);
	}
	return EXIT_DONE;
}

int build_check_options(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	bool to_stdout = options->output != NULL && strcmp(options->output, "-") == 0;
	bool one_file = options->output != NULL || options->depfile_path != NULL ||
	                names_a_file(options->source_map);
	if (options->operands.count > 1 && one_file)
		return cli_usage_error(invocation->arena,
		                       "one output file is named, but %zu notebooks are given; use "
		                       "--output-dir",
		                       options->operands.count);
	if (options->output != NULL && options->output_dir != NULL)
		return cli_usage_error(invocation->arena,
		                       "'--output' and '--output-dir' exclude each other");
	if ((options->output != NULL && options->output[0] == '\0') ||
	    (options->output_dir != NULL && options->output_dir[0] == '\0') ||
	    (options->depfile_path != NULL && options->depfile_path[0] == '\0'))
		return cli_usage_error(invocation->arena, "an output's name is empty");
	if (to_stdout &&
	    (options->depfile || options->depfile_path != NULL || options->source_map != NULL))
		return cli_usage_error(invocation->arena,
		                       "'-MD' and '--source-map' describe a file, but the script "
		                       "goes to standard output");
	int status = check_launch_options(invocation->arena, options);
	if (status == EXIT_DONE)
		status = batch_check_options(invocation->arena, options);
	return status == EXIT_DONE ? check_modules(invocation) : status;
}

int command_build(struct invocation *invocation)
{
	int status = build_check_options(invocation);
	if (status != EXIT_DONE)
		return status;
	struct taken taken = {.arena = invocation->arena, .lists = true};
	name_set_init(&taken.paths, invocation->arena);
	return session_run(invocation, STDERR_FILENO, build, &taken);
}
