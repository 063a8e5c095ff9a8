/* Prints the IR as JSON or YAML, and the source map. nbscorep-ir(5) describes the contents of a dump.
 * IR_VERSION must change with it. */
#include "emit/dump.h"

#include "base/json_writer.h"
#include "base/value.h"
#include "ir/ir.h"
#include "settings/yaml_writer.h"

static void put_place(struct json_writer *json, struct location where)
{
	json_put(json, "'cell': ?, 'line': ?, 'column': ?, 'file': ?*", J(where.cell),
	         J(where.line), J(where.column), J(where.file));
}

/* Puts the members of the object for item INDEX of OWNER. */
typedef void put_item(struct json_writer *json, const void *owner, size_t index);

static void put_list(struct json_writer *json, const char *key, const void *owner, size_t count,
                     put_item *put)
{
	json_put(json, "?: [", J(key));
	for (size_t i = 0; i < count; i++) {
		json_put(json, "{");
		put(json, owner, i);
		json_put(json, "}");
	}
	json_put(json, "]");
}

/* The same, without an empty list. */
static void put_any(struct json_writer *json, const char *key, const void *owner, size_t count,
                    put_item *put)
{
	if (count > 0)
		put_list(json, key, owner, count, put);
}

static void put_setting(struct json_writer *json, const void *owner, size_t index)
{
	const struct setting *setting = (const struct setting *)owner + index;
	json_put(json, "'name': ?, 'value': ?, 'literal': ?*", J(setting->name), J(setting->value),
	         json_if(setting->literal, json_bool(true)));
	put_place(json, setting->name_where);
}

static void put_argument(struct json_writer *json, const void *owner, size_t index)
{
	const struct argument *argument = (const struct argument *)owner + index;
	json_put(json, "'text': ?, 'expands': ?*", J(argument->text),
	         json_if(argument->expands, json_bool(true)));
	put_place(json, argument->where);
}

static void put_parameter_name(struct json_writer *json, const void *owner, size_t index)
{
	const struct parameter_name *name = (const struct parameter_name *)owner + index;
	json_put(json, "'name': ?, 'value': ?*, 'type': ?*, 'comment': ?*", J(name->name),
	         J(name->value), J(name->type), J(name->comment));
	put_place(json, name->where);
}

/* An edit of the block OWNER. */
static void put_edit(struct json_writer *json, const void *owner, size_t index)
{
	const struct block *block = owner;
	const struct edit *edit = &block->code->edits.items[index];
	struct slice old =
	        slice_sub(block->code->lexed->text, edit->offset, edit->offset + edit->len);
	struct location where = block_location(block, old);
	json_put(json, "'line': ?, 'column': ?, 'old': ?, 'new': ?", J(where.line), J(where.column),
	         J(old), J(edit->text));
}

static void put_frame(struct json_writer *json, const struct block *block)
{
	static const char *const frames[] = {"none", "disable", "region", "cell"};
	json_put(json, "'frame': ?, 'region': ?*", J(frames[block->frame]),
	         J(block_region(json->out->arena, block)));
}

static void put_blocks(struct json_writer *json, const block_list *blocks);

/* A file that the code OWNER includes. */
static void put_include(struct json_writer *json, const void *owner, size_t index)
{
	const struct code *code = owner;
	const struct include *include = &code->includes.items[index];
	json_put(json, "'name': ?, 'behind_line': ?, 'entered': ?*", J(include->name),
	         J(code->lexed->text_line + include->end_line),
	         json_if(include->entered, json_bool(true)));
	put_blocks(json, &include->blocks);
}

static void put_value(struct json_writer *json, const void *owner, size_t index)
{
	const struct parameter *parameter = (const struct parameter *)owner + index;
	struct strbuf text = {.arena = json->out->arena};
	python_value(&text, parameter->value);
	json_put(json, "'name': ?, 'value': ?", J(parameter->name), J(strbuf_slice(&text)));
}

static void put_block(struct json_writer *json, const void *owner, size_t index)
{
	const struct block *block = (const struct block *)owner + index;
	const struct origin *origin = block->origin;
	const struct group *group = block->kind == BLOCK_MULTICELL ? block->group : NULL;
	json_put(json, "'kind': ?, 'cell': ?", J(block_kind_name(block->kind)), J(block->cell));
	if (origin != NULL)
		json_put(json, "?: ?", J(origin->is_text ? "text" : "notebook"),
		         J(origin->notebook));
	if (group != NULL && group->last_cell != block->cell)
		json_put(json, "'last_cell': ?", J(group->last_cell));
	json_put(json, "'id': ?*, 'aborted': ?*", J(block->id),
	         json_if(block->kind == BLOCK_COMMENT && block->left_out.aborted, json_bool(true)));
	if (block_runs(block)) {
		const struct code *code = block->code;
		if (!block_is_code(block))
			json_put(json, "'source': ?", J(block->source));
		put_frame(json, block);
		json_put(json, "'contexts': ?*",
		         json_texts(code->contexts.items, code->contexts.count));
		if (block_is_code(block)) {
			json_put(json, "'async': ?, 'globals': ?*", json_bool(code->is_async),
			         json_texts(code->globals.items, code->globals.count));
			put_any(json, "edits", block, code->edits.count, put_edit);
			json_put(json, "'first_line': ?, 'code': ?", J(code->lexed->text_line + 1),
			         J(code->lexed->text));
		}
		if (block_is_called(block))
			json_put(json, "'function': ?, 'argument': ?", J(code->helper.function),
			         J(code->helper.argument));
		put_any(json, "includes", code, code->includes.count, put_include);
		put_any(json, "settings", code->settings.items, code->settings.count, put_setting);
	} else if (group != NULL) {
		put_frame(json, block);
		put_blocks(json, &group->blocks);
	} else if (block->kind == BLOCK_PARAMETERS) {
		put_list(json, "values", block->values.items, block->values.count, put_value);
	} else {
		json_put(json, "'source': ?", J(block->source));
	}
	if (block->kind == BLOCK_ENV)
		put_any(json, "settings", block->settings.items, block->settings.count,
		        put_setting);
	if (block->kind == BLOCK_ARGS)
		put_any(json, "arguments", block->args->list.items, block->args->list.count,
		        put_argument);
}

static void put_blocks(struct json_writer *json, const block_list *blocks)
{
	put_list(json, "blocks", blocks->items, blocks->count, put_block);
}

static void put_program(struct json_writer *json, const void *owner, size_t index)
{
	const struct program *program = (const struct program *)owner + index;
	json_put(json, "'name': ?, 'section': ?, 'futures': ?*", J(program->name),
	         json_bool(program->from_section),
	         json_texts(program->futures.items, program->futures.count));
	put_any(json, "environment", program->environment.items, program->environment.count,
	        put_setting);
	put_any(json, "arguments", program->arguments.items, program->arguments.count,
	        put_argument);
	if (program->parameters.cell > 0)
		put_list(json, "parameters", program->parameters.names.items,
		         program->parameters.names.count, put_parameter_name);
	json_put(json, "'packages': ?*",
	         json_texts(program->packages.names.items, program->packages.names.count));
	put_blocks(json, &program->blocks);
}

void emit_ir_dump(struct strbuf *out, const struct ir *ir, enum dump_format format)
{
	struct strbuf text = {.arena = out->arena};
	struct json_writer json = {.out = format == DUMP_YAML ? &text : out};
	json_put(&json, "{'nbscorep_ir': ?, 'notebook': ?", J(IR_VERSION), J(ir->notebook_name));
	put_list(&json, "programs", ir->programs.items, ir->programs.count, put_program);
	json_put(&json, "}");
	if (format == DUMP_YAML)
		yaml_write_json(out, strbuf_slice(&text));
	else
		strbuf_addc(out, '\n');
}

/* ---- the source map ---- */

static void put_entry(struct json_writer *json, const void *owner, size_t index)
{
	const struct source_map_entry *entry = (const struct source_map_entry *)owner + index;
	const struct block *block = entry->block;
	json_put(json, "'cell': ?", J(block->cell));
	/* The notebook of an included cell, or the included text that holds the lines. */
	if (block->origin != NULL)
		json_put(json, "?: ?*", J(block->origin->is_text ? "text" : "notebook"),
		         J(block->origin->notebook));
	json_put(json, "'id': ?*, 'kind': ?, 'first_line': ?*", J(block->id),
	         J(block_kind_name(block->kind)),
	         json_if(entry->first_line > 1, J(entry->first_line)));
	json_put(json, "'script_line': ?, 'lines': ?, 'indent': ?", J(entry->script_line),
	         J(entry->lines), J(entry->indent));
}

void emit_source_map(struct strbuf *out, const source_map *map, const struct emit_names *names,
                     struct slice build)
{
	struct json_writer json = {.out = out};
	json_put(&json,
	         "{'generator': 'compiled by nbscorep', 'version': 1,"
	         "'notebook': ?, 'script': ?, 'build': ?",
	         J(names->notebook), J(names->script), J(build));
	put_list(&json, "cells", map->items, map->count, put_entry);
	json_put(&json, "}");
	strbuf_addc(out, '\n');
}
