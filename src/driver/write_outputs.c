#include "driver/write_outputs.h"

#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "driver/read_sweep.h"

/* "would start (heat.ipynb:cell 3:1:5): pip install x" for each command of PROGRAM's magics. */
static void add_commands(struct strbuf *out, const struct compilation *c,
                         const struct program *program)
{
	for (size_t i = 0; i < program->commands.count; i++) {
		const struct cell_command *command = &program->commands.items[i];
		const struct location *where = &command->where;
		strbuf_puts(out, "would start (");
		terminal_text(out, where->file.len > 0      ? where->file
		                   : path_is_stdin(c->path) ? compile_notebook_name(c)
		                                            : c->path);
		if (where->cell > 0)
			strbuf_printf(out, ":cell %u", where->cell);
		strbuf_printf(out, ":%u:%u): ", where->line, where->column);
		terminal_text(out, command->text);
		strbuf_addc(out, '\n');
	}
}

/* Prints what was done to the files. In a dry run also the commands of the notebook's magics and, if LISTS,
 * the run script. */
static void say(struct compilation *c, const struct build_settings *settings,
                const struct outputs *outputs, bool lists)
{
	bool is_dry = settings->dry_run;
	struct strbuf out;
	strbuf_init(&out, c->arena);
	for (size_t i = 0; i < outputs->files.count; i++) {
		strbuf_puts(&out, is_dry ? "would write " : "wrote ");
		terminal_text(&out, slice_from(outputs->files.items[i].path));
		strbuf_addc(&out, '\n');
	}
	for (size_t i = 0; i < outputs->packages.count; i++) {
		strbuf_puts(&out, is_dry ? "would write " : "wrote ");
		terminal_text(&out, outputs->packages.items[i]);
		strbuf_puts(&out, "/\n");
	}
	for (size_t i = 0; lists && i < outputs->files.count; i++) {
		struct slice line, rest = outputs->files.items[i].text;
		while (outputs->files.items[i].mode == 0777 && slice_next_line(&rest, &line)) {
			terminal_text(&out, line);
			strbuf_addc(&out, '\n');
		}
	}
	for (size_t i = 0; is_dry && i < c->ir.programs.count; i++)
		add_commands(&out, c, &c->ir.programs.items[i]);
	int status = is_dry ? message_print(c->arena, strbuf_slice(&out))
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
		if (file->real.len == 0)
			continue;
		size_t index = name_set_add(&taken->paths, arena_dup(taken->arena, file->real));
		if (index == count) {
			vec_push(taken->arena, &taken->notebooks, arena_dup(taken->arena, c->path));
			continue;
		}
		struct slice other = taken->notebooks.items[index];
		if (slice_eq(other, c->path))
			diag_add(&c->diags, DIAG_NAME_TWICE, (struct location){0},
			         "'%s' would be written twice by this call", file->path);
		else
			diag_add(&c->diags, DIAG_NAME_TWICE, (struct location){0},
			         "'%.*s' would write '%s', too", SLICE_ARG(other), file->path);
		diag_hint(&c->diags, DIAG_NAME_TWICE, "use -o, or build into two folders");
		return -1;
	}
	return 0;
}

int build_write(struct compilation *c, const struct build_settings *settings, struct taken *taken,
                struct outputs *out)
{
	if (outputs_make(c, settings, out) < 0 || take_paths(c, out, taken) < 0)
		return -1;
	if (settings->dry_run) {
		if (outputs_check(c, out, settings->force) < 0)
			return -1;
		say(c, settings, out, taken->lists);
		return 0;
	}
	if (outputs_write(c, out, settings->force) < 0)
		return -1;
	for (size_t i = 0; i < out->files.count; i++) {
		struct slice path = slice_from(out->files.items[i].path), ending = SLICE(".tsv");
		if (slice_ends_with(path, SLICE("_sweep.tsv")))
			sweep_set_aside(c, slice_sub(path, 0, path.len - ending.len));
	}
	if (settings->verbose)
		say(c, settings, out, false);
	return 0;
}
