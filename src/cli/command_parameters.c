#include "base/json_writer.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "cli/notebooks.h"

enum { COMMENT_COLUMN = 34, FORMAT_JSON = 2 /* the second word of --format */ };

/* What is known of its type. */
static struct slice type_of(const struct parameter_name *name)
{
	return name->type.len > 0 ? name->type : SLICE("unknown");
}

static void print_text(struct strbuf *out, const struct parameter_name *name)
{
	struct slice rest = name->value, part;
	struct strbuf line = {.arena = out->arena};
	strbuf_printf(&line, "  %.*s: %.*s", SLICE_ARG(name->name), SLICE_ARG(type_of(name)));
	/* Source of several lines is shown as one. */
	for (bool first = true; slice_next_line(&rest, &part); first = false)
		strbuf_printf(&line, "%s%.*s", first ? " (default " : " ",
		              SLICE_ARG(slice_trim(part)));
	strbuf_puts(&line, name->value.len > 0 ? ")" : "");
	size_t length = utf8_length(strbuf_slice(&line));
	if (name->comment.len > 0) {
		if (length + 2 > COMMENT_COLUMN)
			strbuf_addc(&line, '\n');
		strbuf_fill(&line, ' ',
		            length + 2 > COMMENT_COLUMN ? COMMENT_COLUMN : COMMENT_COLUMN - length);
		strbuf_add(&line, name->comment);
	}
	rest = strbuf_slice(&line);
	while (slice_next_line(&rest, &part)) {
		terminal_text(out, part);
		strbuf_addc(out, '\n');
	}
}

static void list_text(struct strbuf *out, const struct compilation *c)
{
	vec_each(const struct program, program, &c->ir.programs) {
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

static void list_json(struct strbuf *out, const struct compilation *c)
{
	struct json_writer json = {.out = out};
	json_put(&json, "{'notebook': ?, 'programs': [", J(c->ir.notebook_name));
	vec_each(const struct program, program, &c->ir.programs) {
		json_put(&json, "{'name': ?, 'cell': ?*, 'parameters': [", J(program->name),
		         json_positive(program->parameters.cell));
		vec_each(const struct parameter_name, name, &program->parameters.names) {
			json_put(&json,
			         "{'name': ?, 'type': ?, 'default': ?*, 'comment': ?*, 'line': ?}",
			         J(name->name), J(type_of(name)), J(name->value), J(name->comment),
			         J(name->where.line));
		}
		json_put(&json, "]}");
	}
	json_put(&json, "]}");
	strbuf_addc(out, '\n');
}

static void list_parameters(struct compilation *c, void *data)
{
	const struct options *options = data;
	struct strbuf text = {.arena = c->arena};
	if (options->format == FORMAT_JSON)
		list_json(&text, c);
	else
		list_text(&text, c);
	if (message_print(c->arena, strbuf_slice(&text)) != EXIT_DONE)
		c->diags.failed = true;
}

int command_parameters(struct arena *arena, struct options *options)
{
	if (options->operands.count > 1)
		return message_usage(arena, "'parameters' requires one notebook");
	options->build.quiet = true;                /* warnings are what check is for */
	options->build.allow_new_parameters = true; /* whatever a configuration has */
	return notebooks_run(arena, COMMAND_PARAMETERS, options, list_parameters, options);
}
