/* Prints the IR as JSON or YAML. nbscorep-ir(5) describes the contents of a dump. IR_VERSION must
 * change with it. */
#include "emit/dump.h"

#include "base/json_writer.h"
#include "base/python_value.h"
#include "emit/emit.h"
#include "emit/structure.h"
#include "ir/ir.h"
#include "settings/yaml_writer.h"

struct dump {
	struct arena *arena;
	const struct structure *to;
	void *data;
};

static void put_text(const struct dump *d, const char *key, struct slice value)
{
	d->to->key(d->data, key);
	d->to->text(d->data, value);
}

static void put_optional(const struct dump *d, const char *key, struct slice value)
{
	if (value.len > 0)
		put_text(d, key, value);
}

static void put_number(const struct dump *d, const char *key, long long value)
{
	d->to->key(d->data, key);
	d->to->number(d->data, value);
}

static void put_bool(const struct dump *d, const char *key, bool value)
{
	d->to->key(d->data, key);
	d->to->boolean(d->data, value);
}

static void put_place(const struct dump *d, struct location where)
{
	put_number(d, "cell", where.cell);
	put_number(d, "line", where.line);
	put_number(d, "column", where.column);
	put_optional(d, "file", where.file);
}

static void begin_list(const struct dump *d, const char *key)
{
	d->to->key(d->data, key);
	d->to->begin_list(d->data);
}

static void put_names(const struct dump *d, const char *key, const struct slice *names,
                      size_t count)
{
	if (count == 0)
		return;
	begin_list(d, key);
	for (size_t i = 0; i < count; i++)
		d->to->text(d->data, names[i]);
	d->to->end_list(d->data);
}

static void put_settings(const struct dump *d, const char *key, const struct setting *settings,
                         size_t count)
{
	if (count == 0)
		return;
	begin_list(d, key);
	for (size_t i = 0; i < count; i++) {
		d->to->begin_map(d->data);
		put_text(d, "name", settings[i].name);
		put_text(d, "value", settings[i].value);
		if (settings[i].literal)
			put_bool(d, "literal", true);
		put_place(d, settings[i].name_where);
		d->to->end_map(d->data);
	}
	d->to->end_list(d->data);
}

static void put_arguments(const struct dump *d, const struct argument *arguments, size_t count)
{
	if (count == 0)
		return;
	begin_list(d, "arguments");
	for (size_t i = 0; i < count; i++) {
		d->to->begin_map(d->data);
		put_text(d, "text", arguments[i].text);
		if (arguments[i].expands)
			put_bool(d, "expands", true);
		put_place(d, arguments[i].where);
		d->to->end_map(d->data);
	}
	d->to->end_list(d->data);
}

static void put_names_of_parameters(const struct dump *d, const struct program *program)
{
	if (program->parameters_cell == 0)
		return;
	begin_list(d, "parameters");
	for (size_t i = 0; i < program->parameters.count; i++) {
		const struct parameter_name *name = &program->parameters.items[i];
		d->to->begin_map(d->data);
		put_text(d, "name", name->name);
		put_optional(d, "value", name->value);
		put_optional(d, "type", name->type);
		put_optional(d, "comment", name->comment);
		put_place(d, name->where);
		d->to->end_map(d->data);
	}
	d->to->end_list(d->data);
}

static void put_edits(const struct dump *d, const struct block *block)
{
	if (block->edits.count == 0)
		return;
	begin_list(d, "edits");
	for (size_t i = 0; i < block->edits.count; i++) {
		const struct edit *edit = &block->edits.items[i];
		struct location where = block_location(block, edit->offset, edit->len);
		d->to->begin_map(d->data);
		put_number(d, "line", where.line);
		put_number(d, "column", where.column);
		put_text(d, "old",
		         slice_sub(block->code.text, edit->offset, edit->offset + edit->len));
		put_text(d, "new", edit->text);
		d->to->end_map(d->data);
	}
	d->to->end_list(d->data);
}

static void put_code(const struct dump *d, const struct block *block)
{
	static const char *const frames[] = {"none", "disable", "region", "cell"};
	put_text(d, "frame", slice_from(frames[block->frame]));
	put_optional(d, "region", block->region);
	put_names(d, "contexts", block->contexts.items, block->contexts.count);
	if (!block_is_code(block))
		return;
	put_bool(d, "async", block->is_async);
	put_names(d, "globals", block->globals.items, block->globals.count);
	put_edits(d, block);
	put_number(d, "first_line", block->code.head_lines + 1);
	put_text(d, "code", block->code.text);
}

static void put_blocks(const struct dump *d, const block_list *blocks);

static void put_includes(const struct dump *d, const struct block *block)
{
	if (block->includes.count == 0)
		return;
	begin_list(d, "includes");
	for (size_t i = 0; i < block->includes.count; i++) {
		const struct include *include = &block->includes.items[i];
		d->to->begin_map(d->data);
		put_text(d, "name", include->name);
		put_number(d, "behind_line", block->code.head_lines + include->end_line);
		if (include->entered)
			put_bool(d, "entered", true);
		put_blocks(d, &include->blocks);
		d->to->end_map(d->data);
	}
	d->to->end_list(d->data);
}

static void put_block(const struct dump *d, const struct block *block)
{
	d->to->begin_map(d->data);
	put_text(d, "kind", slice_from(block_kind_name(block->kind)));
	put_number(d, "cell", block->cell);
	put_optional(d, block->is_text ? "text" : "notebook", block->notebook);
	if (block->last_cell != block->cell)
		put_number(d, "last_cell", block->last_cell);
	put_optional(d, "id", block->id);
	put_optional(d, "name", block->name);
	if (block->aborted)
		put_bool(d, "aborted", true);
	if (block->kind == BLOCK_PARAMETERS) {
		begin_list(d, "values");
		for (size_t i = 0; i < block->values.count; i++) {
			struct strbuf text;
			strbuf_init(&text, d->arena);
			python_value(&text, block->values.items[i].value);
			d->to->begin_map(d->data);
			put_text(d, "name", block->values.items[i].name);
			put_text(d, "value", strbuf_slice(&text));
			d->to->end_map(d->data);
		}
		d->to->end_list(d->data);
	} else if (!block_is_code(block) && block->kind != BLOCK_MULTICELL) {
		put_text(d, "source", block->source);
	}
	if (block_is_code(block) || block->kind == BLOCK_MULTICELL || block_is_called(block))
		put_code(d, block);
	if (block_is_called(block)) {
		put_text(d, "function", block->function);
		put_text(d, "argument", block->argument);
	}
	put_includes(d, block);
	put_settings(d, "settings", block->settings.items, block->settings.count);
	put_arguments(d, block->arguments.items, block->arguments.count);
	if (block->kind == BLOCK_SECTION || block->kind == BLOCK_MULTICELL)
		put_blocks(d, &block->blocks);
	d->to->end_map(d->data);
}

static void put_blocks(const struct dump *d, const block_list *blocks)
{
	begin_list(d, "blocks");
	for (size_t i = 0; i < blocks->count; i++)
		put_block(d, &blocks->items[i]);
	d->to->end_list(d->data);
}

static void put_ir(const struct dump *d, const struct ir *ir)
{
	d->to->begin_map(d->data);
	put_number(d, "nbscorep_ir", IR_VERSION);
	put_text(d, "notebook", ir->notebook_name);
	begin_list(d, "programs");
	for (size_t i = 0; i < ir->programs.count; i++) {
		const struct program *program = &ir->programs.items[i];
		d->to->begin_map(d->data);
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
		d->to->end_map(d->data);
	}
	d->to->end_list(d->data);
	d->to->end_map(d->data);
}

/* The two outputs: struct structure for the JSON and the YAML writer. */
#define CALL0(slot, call)                                                                          \
	static void slot(void *data)                                                               \
	{                                                                                          \
		call(data);                                                                        \
	}
#define CALL1(slot, call, type)                                                                    \
	static void slot(void *data, type value)                                                   \
	{                                                                                          \
		call(data, value);                                                                 \
	}
CALL0(json_map_begins, json_begin_object)
CALL0(json_map_ends, json_end_object)
CALL0(json_list_begins, json_begin_array)
CALL0(json_list_ends, json_end_array)
CALL1(json_puts_key, json_put_key, const char *)
CALL1(json_puts_text, json_put_string, struct slice)
CALL1(json_puts_number, json_put_number, long long)
CALL1(json_puts_bool, json_put_bool, bool)

static const struct structure to_json = {
        json_map_begins, json_map_ends,  json_list_begins, json_list_ends,
        json_puts_key,   json_puts_text, json_puts_number, json_puts_bool,
};

CALL0(yaml_map_begins, yaml_begin_map)
CALL0(yaml_map_ends, yaml_end_map)
CALL0(yaml_list_begins, yaml_begin_list)
CALL0(yaml_list_ends, yaml_end_list)
CALL1(yaml_puts_key, yaml_key, const char *)
CALL1(yaml_puts_text, yaml_text, struct slice)
CALL1(yaml_puts_number, yaml_number, long long)
CALL1(yaml_puts_bool, yaml_bool, bool)

static const struct structure to_yaml = {
        yaml_map_begins, yaml_map_ends,  yaml_list_begins, yaml_list_ends,
        yaml_puts_key,   yaml_puts_text, yaml_puts_number, yaml_puts_bool,
};

struct document {
	struct arena *arena;
	const struct ir *ir;
};

static void put_yaml(struct yaml_writer *yaml, void *data)
{
	const struct document *document = data;
	put_ir(&(struct dump){document->arena, &to_yaml, yaml}, document->ir);
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
	put_ir(&(struct dump){out->arena, &to_json, &json}, ir);
	strbuf_addc(out, '\n');
}
