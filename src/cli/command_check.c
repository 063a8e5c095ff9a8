#include <unistd.h>

#include "base/name_set.h"
#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "cli/cli.h"
#include "cli/notebooks.h"
#include "diag/diag_report.h"
#include "diag/message.h"
#include "emit/run_script.h"
#include "run/supported.h"
#include "settings/config.h"

/* ---- folders in place of notebooks ---- */

/* Adds the notebooks in FOLDER, which is OPERAND or below it. */
static int add_folder(struct arena *arena, struct options *options, const char *operand,
                      struct slice folder)
{
	struct os_names names = {0};
	if (os_list_folder(arena, arena_cstr(arena, folder), &names) < 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot read folder '%.*s': %s",
		                    SLICE_ARG(folder), strerror(errno));
	int status = EXIT_DONE;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (name.ptr[0] == '.')
			continue;
		struct slice path = path_join(arena, folder, name);
		const char *entry = arena_cstr(arena, path);
		bool is_link = os_is_link(entry);
		/* Where a link of an untrusted tree leads is not looked at. */
		bool is_closed = is_link && options->build.untrusted.given;
		if (!is_closed && os_is_directory(entry)) {
			if (!is_link)
				status = exit_worse(status,
				                    add_folder(arena, options, operand, path));
			continue;
		}
		/* What cannot be looked at, and a dangling symlink, is reported when it is read. */
		if (slice_ends_with(path, SLICE(".ipynb")) &&
		    (is_closed || os_find(entry, S_IFREG) != 0 || os_is_lost_link(entry))) {
			vec_push(arena, &options->operands, entry);
			vec_push(arena, &options->found_in, operand);
		}
	}
	return status;
}

/* Replaces each folder among the operands by the notebooks (*.ipynb) in it and below, in the order of their names; found_in
 * has the folder. Hidden files and folders, such as .ipynb_checkpoints, are left out, and links to folders are not
 * followed. Returns EXIT_DONE, or the highest status of what it had to leave out, with a message for each: a folder
 * that cannot be read, or that has no notebook. */
static int expand_folders(struct arena *arena, struct options *options)
{
	text_list operands = options->operands;
	int status = EXIT_DONE;
	options->operands = (text_list){0};
	for (size_t i = 0; i < operands.count; i++) {
		const char *operand = operands.items[i];
		size_t before = options->operands.count;
		if (!os_is_directory(operand)) {
			vec_push(arena, &options->operands, operand);
			vec_push(arena, &options->found_in, NULL);
			continue;
		}
		/* Without the slashes that completion adds. */
		struct slice name = slice_from(operand);
		while (name.len > 1 && slice_ends_with(name, SLICE("/")))
			name.len--;
		int of_folder = add_folder(arena, options, operand, name);
		if (of_folder == EXIT_DONE && options->operands.count == before)
			of_folder =
			        message_usage(arena, "the folder '%s' has no notebook", operand);
		status = exit_worse(status, of_folder);
	}
	return status;
}

/* ---- the command ---- */

/* What is known of all notebooks. */
struct check {
	const struct options *options;
	struct name_set requirements; /* what they would install */
	struct supported supported;
	struct strbuf text; /* of --print-env, --print-config or --print-requirements */
};

static void check_notebook(struct compilation *c, void *data)
{
	struct check *check = data;
	const struct options *options = check->options;
	if (options->check.print_config) { /* each of several notebooks is a document */
		strbuf_puts(&check->text, check->text.len > 0 ? "---\n# " : "# ");
		comment_inline(&check->text, c->path);
		strbuf_addc(&check->text, '\n');
		config_print(&check->text, &c->config, c->ir.notebook_name);
	}
	vec_each(const struct program, program, &c->ir.programs) {
		/* Reports nothing without Score-P, or if the run will have another one. */
		if (!options->build.untrusted.given &&
		    program_setting(program, SLICE("PATH")) == NULL)
			supported_report(&check->supported, program, &c->diags,
			                 DIAG_ARGS_UNSUPPORTED);
		for (size_t k = 0; k < program->packages.names.count; k++)
			name_set_add(&check->requirements,
			             arena_dup(check->requirements.arena,
			                       program->packages.names.items[k]));
		if (options->check.print_env) {
			strbuf_puts(&check->text, "# ");
			comment_inline(&check->text, program->name);
			strbuf_puts(&check->text, "_run.sh\n");
			emit_environment(&check->text, program, &c->ir.notebook_name);
		}
	}
}

int command_check(struct arena *arena, struct options *options)
{
	const char *wanted[4]; /* of these texts, only one can use standard output */
	size_t count = 0;
	if (options->check.print_requirements)
		wanted[count++] = "--print-requirements";
	if (options->check.print_env)
		wanted[count++] = "--print-env";
	if (options->check.print_config)
		wanted[count++] = "--print-config";
	bool prints = count > 0;
	if (options->diagnostics_format > DIAG_REPORT_TEXT + 1)
		wanted[count++] = "--diagnostics-format";
	if (count > 1)
		return message_usage(arena, "'%s' and '%s' both use standard output", wanted[0],
		                     wanted[1]);
	int left_out = expand_folders(arena, options);
	if (left_out != EXIT_DONE && options->operands.count == 0)
		return left_out;
	struct check data = {.options = options,
	                     .supported.arena = arena,
	                     .requirements.arena = arena,
	                     .text.arena = arena};
	int status = notebooks_run(arena, COMMAND_CHECK, options, check_notebook, &data);
	for (size_t i = 0; options->check.print_requirements && i < data.requirements.names.count;
	     i++) {
		terminal_text(&data.text, data.requirements.names.items[i]);
		strbuf_addc(&data.text, '\n');
	}
	if (prints && message_print(arena, strbuf_slice(&data.text)) != EXIT_DONE)
		return EXIT_SYSTEM;
	return exit_worse(left_out, status);
}
