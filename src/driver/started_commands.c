#include "driver/started_commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/quote.h"
#include "driver/config_program.h"
#include "driver/python.h"
#include "emit/run_steps.h"

struct lister {
	struct strbuf *out;
	struct compilation *c;
	const struct build_settings *settings;
	const text_list *arguments; /* of the script */
};

static void add_line(struct lister *lister, struct slice origin, struct slice command)
{
	strbuf_puts(lister->out, "would start (");
	terminal_text(lister->out, origin);
	strbuf_puts(lister->out, "): ");
	terminal_text(lister->out, command);
	strbuf_addc(lister->out, '\n');
}

/* The notebook's name, as diagnostics show it. */
static struct slice notebook_of(const struct lister *lister)
{
	const struct compilation *c = lister->c;
	return path_is_stdin(c->path) ? compile_notebook_name(c) : c->path;
}

/* "nbscorep.yaml:4", "option --ranks", "heat.ipynb:12, metadata". */
static struct slice origin_of(const struct lister *lister, const struct config_value *value)
{
	struct arena *arena = lister->c->arena;
	const struct location *where = &value->value->where;
	if (value->source == CONFIG_COMMAND_LINE)
		return arena_printf(arena, "option %.*s", SLICE_ARG(where->file));
	if (value->source == CONFIG_NOTEBOOK)
		return arena_printf(arena, "%.*s:%u, metadata", SLICE_ARG(notebook_of(lister)),
		                    where->line);
	return arena_printf(arena, "%.*s:%u", SLICE_ARG(where->file), where->line);
}

/* "heat.ipynb:cell 3:1:5", as in diagnostics. */
static struct slice place_of(const struct lister *lister, const struct location *where)
{
	struct slice file = where->file.len > 0 ? where->file : notebook_of(lister);
	const char *cell =
	        where->cell == 0 ? "" : arena_printf(lister->c->arena, "cell %u:", where->cell).ptr;
	return arena_printf(lister->c->arena, "%.*s:%s%u:%u", SLICE_ARG(file), cell, where->line,
	                    where->column);
}

static void add_modules(struct lister *lister)
{
	const config_value_list *list = &lister->c->config.modules;
	for (size_t i = 0; i < list->count; i++) {
		struct slice item = config_text(&list->items[i]);
		const char *load = run_steps_is_module_command(item) ? "" : "load ";
		add_line(lister, origin_of(lister, &list->items[i]),
		         arena_printf(lister->c->arena, "module %s%.*s", load, SLICE_ARG(item)));
	}
}

static void add_lines(struct lister *lister, const config_value_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct slice line, rest = config_text(&list->items[i]);
		struct slice origin = origin_of(lister, &list->items[i]);
		while (slice_next_line(&rest, &line)) {
			if (slice_trim(line).len > 0)
				add_line(lister, origin, slice_trim(line));
		}
	}
}

static void add_launcher(struct lister *lister)
{
	struct arena *arena = lister->c->arena;
	const struct config *config = &lister->c->config;
	if (config->launcher.value != NULL)
		add_line(lister, origin_of(lister, &config->launcher),
		         config_text(&config->launcher));
	else if (config->ranks.value != NULL)
		add_line(lister, origin_of(lister, &config->ranks),
		         arena_printf(arena, "srun, mpirun or mpiexec -n %.*s",
		                      SLICE_ARG(config_text(&config->ranks))));
}

/* As templates/run.sh finds it. */
static struct slice python_of(struct lister *lister, struct slice *origin)
{
	const struct config_value *value = &lister->c->config.python;
	const char *variable = getenv("PYTHON");
	struct environment environment;
	bool is_set = variable != NULL && variable[0] != '\0';
	*origin = SLICE("variable PYTHON");
	if (is_set && lister->settings->python == NULL)
		return slice_from(variable);
	if (value->value != NULL) {
		*origin = origin_of(lister, value);
		return config_program_python(lister->c);
	}
	environment_init(&environment, lister->c->arena, environ);
	struct slice found = slice_from(python_find(&environment, NULL));
	*origin = slice_find(found, '/', 0) < found.len ? SLICE("variable VIRTUAL_ENV")
	                                                : SLICE("built in");
	return found;
}

static void add_python(struct lister *lister, const struct program *program, struct slice script)
{
	struct strbuf command;
	struct slice origin, python = python_of(lister, &origin);
	strbuf_init(&command, lister->c->arena);
	bash_word(&command, python);
	if (!lister->settings->no_scorep) {
		strbuf_puts(&command, " -m scorep");
		for (size_t i = 0; i < program->arguments.count; i++) {
			strbuf_addc(&command, ' ');
			bash_word(&command, program->arguments.items[i].text);
		}
	}
	strbuf_addc(&command, ' ');
	bash_word(&command, script);
	for (size_t i = 0; i < lister->arguments->count; i++) {
		strbuf_addc(&command, ' ');
		bash_word(&command, slice_from(lister->arguments->items[i]));
	}
	add_line(lister, origin, strbuf_slice(&command));
}

static void list_program(struct lister *lister, const struct program *program, struct slice script)
{
	const struct config *config = &lister->c->config;
	add_modules(lister);
	add_lines(lister, &config->setup);
	add_launcher(lister);
	add_python(lister, program, script);
	for (size_t i = 0; i < program->commands.count; i++) {
		const struct cell_command *command = &program->commands.items[i];
		add_line(lister, place_of(lister, &command->where), command->text);
	}
	if (program->opens_vampir)
		add_line(lister, SLICE("%%enable_vampir_launch_on_scorep_instrumented"),
		         SLICE("vampir"));
	add_lines(lister, &config->teardown);
}

void started_commands_list(struct strbuf *out, struct compilation *c,
                           const struct build_settings *settings, const text_list *arguments,
                           const struct outputs *outputs)
{
	struct lister lister = {out, c, settings, arguments};
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		struct slice script = arena_printf(c->arena, "%.*s.py", SLICE_ARG(program->name));
		if (c->ir.programs.count == 1)
			script = path_file(slice_from(outputs->script));
		list_program(&lister, program, script);
	}
}
