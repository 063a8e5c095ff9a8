/* Prints the IR as JSON or YAML, and the source map. nbscorep-ir(5) describes the contents of a dump.
 * IR_VERSION must change with it. */
#include "emit/dump.h"

#include "base/json_writer.h"
#include "base/value.h"
#include "ir/ir.h"
#include "settings/yaml_writer.h"

/* Writes structured data as JSON, or as YAML if YAML is not NULL. */
struct dump {
	struct arena *arena;
	struct json_writer *json;
	struct yaml_writer *yaml;
};

#define WRITE(d, json_call, yaml_call, ...)                                                        \
	((d)->yaml != NULL ? yaml_call((d)->yaml, ##__VA_ARGS__)                                   \
	                   : json_call((d)->json, ##__VA_ARGS__))

static void begin_map(const struct dump *d)
{
	WRITE(d, json_begin, yaml_begin, '{');
}

static void end_map(const struct dump *d)
{
	WRITE(d, json_end, yaml_end, '}');
}

static void begin_list(const struct dump *d, const char *key)
{
	WRITE(d, json_put_key, yaml_key, key);
	WRITE(d, json_begin, yaml_begin, '[');
}

static void end_list(const struct dump *d)
{
	WRITE(d, json_end, yaml_end, ']');
}

static void put_text(const struct dump *d, const char *key, struct slice value)
{
	WRITE(d, json_put_key, yaml_key, key);
	WRITE(d, json_put_string, yaml_text, value);
}

static void put_number(const struct dump *d, const char *key, long long value)
{
	WRITE(d, json_put_key, yaml_key, key);
	WRITE(d, json_put_number, yaml_number, value);
}

static void put_bool(const struct dump *d, const char *key, bool value)
{
	WRITE(d, json_put_key, yaml_key, key);
	WRITE(d, json_put_bool, yaml_bool, value);
}

static void put_optional(const struct dump *d, const char *key, struct slice value)
{
	if (value.len > 0)
		put_text(d, key, value);
}

static void put_place(const struct dump *d, struct location where)
{
	put_number(d, "cell", where.cell);
	put_number(d, "line", where.line);
	put_number(d, "column", where.column);
	put_optional(d, "file", where.file);
}

static void put_names(const struct dump *d, const char *key, const struct slice *names,
                      size_t count)
{
	if (count == 0)
		return;
	begin_list(d, key);
	for (size_t i = 0; i < count; i++)
		WRITE(d, json_put_string, yaml_text, names[i]);
	end_list(d);
}

static void put_settings(const struct dump *d, const char *key, const struct setting *settings,
                         size_t count)
{
	if (count == 0)
		return;
	begin_list(d, key);
	for (size_t i = 0; i < count; i++) {
		begin_map(d);
		put_text(d, "name", settings[i].name);
		put_text(d, "value", settings[i].value);
		if (settings[i].literal)
			put_bool(d, "literal", true);
		put_place(d, settings[i].name_where);
		end_map(d);
	}
	end_list(d);
}

static void put_arguments(const struct dump *d, const struct argument *arguments, size_t count)
{
	if (count == 0)
		return;
	begin_list(d, "arguments");
	for (size_t i = 0; i < count; i++) {
		begin_map(d);
		put_text(d, "text", arguments[i].text);
		if (arguments[i].expands)
			put_bool(d, "expands", true);
		put_place(d, arguments[i].where);
		end_map(d);
	}
	end_list(d);
}

static void put_names_of_parameters(const struct dump *d, const struct program *program)
{
	if (program->parameters.cell == 0)
		return;
	begin_list(d, "parameters");
	for (size_t i = 0; i < program->parameters.names.count; i++) {
		const struct parameter_name *name = &program->parameters.names.items[i];
		begin_map(d);
		put_text(d, "name", name->name);
		put_optional(d, "value", name->value);
		put_optional(d, "type", name->type);
		put_optional(d, "comment", name->comment);
		put_place(d, name->where);
		end_map(d);
	}
	end_list(d);
}

static void put_edits(const struct dump *d, const struct block *block)
{
	const struct code *code = block->code;
	if (code->edits.count == 0)
		return;
	begin_list(d, "edits");
	for (size_t i = 0; i < code->edits.count; i++) {
		const struct edit *edit = &code->edits.items[i];
		struct location where = block_location(block, edit->offset, edit->len);
		begin_map(d);
		put_number(d, "line", where.line);
		put_number(d, "column", where.column);
		put_text(d, "old",
		         slice_sub(code->lexed->text, edit->offset, edit->offset + edit->len));
		put_text(d, "new", edit->text);
		end_map(d);
	}
	end_list(d);
}

static void put_frame(const struct dump *d, const struct block *block)
{
	static const char *const frames[] = {"none", "disable", "region", "cell"};
	put_text(d, "frame", slice_from(frames[block->frame]));
	put_optional(d, "region", block_region(d->arena, block));
}

static void put_blocks(const struct dump *d, const block_list *blocks);

static void put_includes(const struct dump *d, const struct code *code)
{
	if (code->includes.count == 0)
		return;
	begin_list(d, "includes");
	for (size_t i = 0; i < code->includes.count; i++) {
		const struct include *include = &code->includes.items[i];
		begin_map(d);
		put_text(d, "name", include->name);
		put_number(d, "behind_line", code->lexed->text_line + include->end_line);
		if (include->entered)
			put_bool(d, "entered", true);
		put_blocks(d, &include->blocks);
		end_map(d);
	}
	end_list(d);
}

static void put_code(const struct dump *d, const struct block *block)
{
	const struct code *code = block->code;
	if (!block_is_code(block))
		put_text(d, "source", block->source);
	put_frame(d, block);
	put_names(d, "contexts", code->contexts.items, code->contexts.count);
	if (block_is_code(block)) {
		put_bool(d, "async", code->is_async);
		put_names(d, "globals", code->globals.items, code->globals.count);
		put_edits(d, block);
		put_number(d, "first_line", code->lexed->text_line + 1);
		put_text(d, "code", code->lexed->text);
	}
	if (block_is_called(block)) {
		put_text(d, "function", code->helper.function);
		put_text(d, "argument", code->helper.argument);
	}
	put_includes(d, code);
	put_settings(d, "settings", code->settings.items, code->settings.count);
}

static void put_values(const struct dump *d, const parameter_list *values)
{
	begin_list(d, "values");
	for (size_t i = 0; i < values->count; i++) {
		struct strbuf text;
		strbuf_init(&text, d->arena);
		python_value(&text, values->items[i].value);
		begin_map(d);
		put_text(d, "name", values->items[i].name);
		put_text(d, "value", strbuf_slice(&text));
		end_map(d);
	}
	end_list(d);
}

static void put_block(const struct dump *d, const struct block *block)
{
	const struct origin *origin = block->origin;
	const struct group *group = block->kind == BLOCK_MULTICELL ? block->group : NULL;
	begin_map(d);
	put_text(d, "kind", slice_from(block_kind_name(block->kind)));
	put_number(d, "cell", block->cell);
	if (origin != NULL)
		put_text(d, origin->is_text ? "text" : "notebook", origin->notebook);
	if (group != NULL && group->last_cell != block->cell)
		put_number(d, "last_cell", group->last_cell);
	put_optional(d, "id", block->id);
	if (block->kind == BLOCK_COMMENT && block->left_out.aborted)
		put_bool(d, "aborted", true);
	if (block_runs(block)) {
		put_code(d, block);
	} else if (group != NULL) {
		put_frame(d, block);
		put_blocks(d, &group->blocks);
	} else if (block->kind == BLOCK_PARAMETERS) {
		put_values(d, &block->values);
	} else {
		put_text(d, "source", block->source);
	}
	if (block->kind == BLOCK_ENV)
		put_settings(d, "settings", block->settings.items, block->settings.count);
	if (block->kind == BLOCK_ARGS)
		put_arguments(d, block->args->list.items, block->args->list.count);
	end_map(d);
}

static void put_blocks(const struct dump *d, const block_list *blocks)
{
	begin_list(d, "blocks");
	for (size_t i = 0; i < blocks->count; i++)
		put_block(d, &blocks->items[i]);
	end_list(d);
}

static void put_ir(const struct dump *d, const struct ir *ir)
{
	begin_map(d);
	put_number(d, "nbscorep_ir", IR_VERSION);
	put_text(d, "notebook", ir->notebook_name);
	begin_list(d, "programs");
	for (size_t i = 0; i < ir->programs.count; i++) {
		const struct program *program = &ir->programs.items[i];
		begin_map(d);
		put_text(d, "name", program->name);
		put_bool(d, "section", program->from_section);
		put_names(d, "futures", program->futures.items, program->futures.count);
		put_settings(d, "environment", program->environment.items,
		             program->environment.count);
		put_arguments(d, program->arguments.items, program->arguments.count);
		put_names_of_parameters(d, program);
		put_names(d, "packages", program->packages.names.items,
		          program->packages.names.count);
		put_blocks(d, &program->blocks);
		end_map(d);
	}
	end_list(d);
	end_map(d);
}

struct document {
	struct arena *arena;
	const struct ir *ir;
};

static void put_yaml(struct yaml_writer *yaml, void *data)
{
	const struct document *document = data;
	put_ir(&(struct dump){.arena = document->arena, .yaml = yaml}, document->ir);
}

void emit_ir_dump(struct strbuf *out, const struct ir *ir, enum dump_format format)
{
	struct document document = {out->arena, ir};
	if (format == DUMP_YAML) {
		yaml_write_document(out, put_yaml, &document);
		return;
	}
	struct json_writer json;
	json_writer_init(&json, out);
	put_ir(&(struct dump){.arena = out->arena, .json = &json}, ir);
	strbuf_addc(out, '\n');
}

/* ---- the source map ---- */

void emit_source_map(struct strbuf *out, const struct source_map *map,
                     const struct emit_names *names, struct slice build)
{
	struct json_writer json;
	struct dump d = {.arena = out->arena, .json = &json};
	json_writer_init(&json, out);
	begin_map(&d);
	put_text(&d, "generator", SLICE("compiled by nbscorep"));
	put_number(&d, "version", 1);
	put_text(&d, "notebook", names->notebook);
	put_text(&d, "script", names->script);
	put_text(&d, "build", build);
	begin_list(&d, "cells");
	for (size_t i = 0; i < map->entries.count; i++) {
		const struct source_map_entry *entry = &map->entries.items[i];
		const struct block *block = entry->block;
		begin_map(&d);
		put_number(&d, "cell", block->cell);
		/* The notebook of an included cell, or the included text that holds the lines. */
		if (block->origin != NULL)
			put_optional(&d, block->origin->is_text ? "text" : "notebook",
			             block->origin->notebook);
		put_optional(&d, "id", block->id);
		put_text(&d, "kind", slice_from(block_kind_name(block->kind)));
		if (entry->first_line > 1)
			put_number(&d, "first_line", (long long)entry->first_line);
		put_number(&d, "script_line", (long long)entry->script_line);
		put_number(&d, "lines", (long long)entry->lines);
		put_number(&d, "indent", (long long)entry->indent);
		end_map(&d);
	}
	end_list(&d);
	end_map(&d);
	strbuf_addc(out, '\n');
}
