#include <unistd.h>

#include "base/json_writer.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "cli/notebooks.h"

enum { COMMENT_COLUMN = 34 };

static const struct slice unknown = SLICE_INIT("unknown");

/* Source of several lines, as one. */
static struct slice on_one_line(struct arena *arena, struct slice text)
{
	struct strbuf out;
	struct slice line;
	strbuf_init(&out, arena);
	while (slice_next_line(&text, &line)) {
		strbuf_puts(&out, out.len > 0 ? " " : "");
		strbuf_add(&out, slice_trim(line));
	}
	return strbuf_slice(&out);
}

static void print_text(struct strbuf *out, const struct parameter_name *name)
{
	struct strbuf line;
	strbuf_init(&line, out->arena);
	strbuf_printf(&line, "  %.*s: %.*s", SLICE_ARG(name->name),
	              SLICE_ARG(name->type.len > 0 ? name->type : unknown));
	if (name->value.len > 0)
		strbuf_printf(&line, " (default %.*s)",
		              SLICE_ARG(on_one_line(out->arena, name->value)));
	size_t length = utf8_length(strbuf_slice(&line));
	if (name->comment.len > 0) {
		if (length + 2 > COMMENT_COLUMN)
			strbuf_addc(&line, '\n');
		strbuf_fill(&line, ' ',
		            length + 2 > COMMENT_COLUMN ? COMMENT_COLUMN : COMMENT_COLUMN - length);
		strbuf_add(&line, name->comment);
	}
	struct slice rest = strbuf_slice(&line), part;
	while (slice_next_line(&rest, &part)) {
		terminal_text(out, part);
		strbuf_addc(out, '\n');
	}
}

static void list_text(struct strbuf *out, const struct compilation *c)
{
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		terminal_text(out, c->ir.notebook_name);
		if (program->from_section) {
			strbuf_puts(out, ", program ");
			terminal_text(out, program->name);
		}
		if (program->parameters.cell == 0)
			strbuf_puts(out, ": no cell is tagged 'parameters'\n");
		else
			strbuf_printf(out, ", cell %u:\n", program->parameters.cell);
		for (size_t k = 0; k < program->parameters.names.count; k++)
			print_text(out, &program->parameters.names.items[k]);
	}
}

static void put_text(struct json_writer *json, const char *key, struct slice text)
{
	if (text.len == 0)
		return;
	json_member_string(json, key, text);
}

static void put_parameter(struct json_writer *json, const struct parameter_name *name)
{
	json_put_source(json, "{");
	put_text(json, "name", name->name);
	put_text(json, "type", name->type.len > 0 ? name->type : unknown);
	put_text(json, "default", name->value);
	put_text(json, "comment", name->comment);
	json_member_number(json, "line", name->where.line);
	json_put_source(json, "}");
}

static void put_program(struct json_writer *json, const struct program *program)
{
	json_put_source(json, "{");
	put_text(json, "name", program->name);
	if (program->parameters.cell > 0)
		json_member_number(json, "cell", program->parameters.cell);
	json_put_source(json, "'parameters': [");
	for (size_t k = 0; k < program->parameters.names.count; k++)
		put_parameter(json, &program->parameters.names.items[k]);
	json_put_source(json, "]}");
}

static void list_json(struct strbuf *out, const struct compilation *c)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_put_source(&json, "{");
	put_text(&json, "notebook", c->ir.notebook_name);
	json_put_source(&json, "'programs': [");
	for (size_t i = 0; i < c->ir.programs.count; i++)
		put_program(&json, &c->ir.programs.items[i]);
	json_put_source(&json, "]}");
	strbuf_addc(out, '\n');
}

static void list_parameters(struct compilation *c, const struct build_settings *settings,
                            void *data)
{
	const struct options *options = data;
	(void)settings;
	struct strbuf text;
	strbuf_init(&text, c->arena);
	if (options->parameters_format == PARAMETERS_FORMAT_JSON)
		list_json(&text, c);
	else
		list_text(&text, c);
	if (message_print(c->arena, strbuf_slice(&text)) != EXIT_DONE)
		c->system_failed = true;
}

int command_parameters(struct invocation *invocation)
{
	struct options *options = invocation->options;
	if (options->operands.count > 1)
		return message_usage(invocation->arena, "'parameters' requires one notebook");
	options->build.quiet = true;                /* warnings are what check is for */
	options->build.allow_new_parameters = true; /* whatever a configuration has */
	return notebooks_run(invocation, list_parameters, options);
}
