#include "ir/ir.h"

#include "lex/syntax_names.h"

const char *block_kind_name(enum block_kind kind)
{
	static const char *const names[] = {
#define BLOCK(id, name, doc) [BLOCK_##id] = (name),
#include "ir/ir.def"
	};
	return names[kind];
}

static uint32_t offset_of(const struct block *block, struct slice part)
{
	return (uint32_t)(part.ptr - block->code->lexed->text.ptr);
}

void block_add_edit(struct arena *arena, struct block *block, struct slice part, struct slice text)
{
	vec_push(arena, &block->code->edits,
	         ((struct edit){.offset = offset_of(block, part),
	                        .len = (uint32_t)part.len,
	                        .order = (uint32_t)block->code->edits.count,
	                        .text = text}));
}

const struct setting *program_setting(const struct program *program, struct slice name)
{
	for (size_t i = program->environment.count; i-- > 0;) {
		if (slice_eq(program->environment.items[i].name, name))
			return &program->environment.items[i];
	}
	return NULL;
}

struct slice program_echo(struct arena *arena, const struct program *program,
                          const struct block *block)
{
	if (block->code->echo.len > 0)
		return block->code->echo;
	if ((program->effects & NEED_OUTPUTS) != 0)
		return arena_printf(arena, PACKAGE_ALIAS ".out(%u, ", block->code->count);
	return SLICE(PACKAGE_ALIAS ".echo(");
}

static void flatten_into(struct arena *arena, const block_list *list, bool code_only,
                         block_refs *out)
{
	vec_each(struct block, block, list) {
		if (!code_only || block_is_code(block))
			vec_push(arena, out, block);
		if (block_is_group(block))
			flatten_into(arena, &block->group->blocks, code_only, out);
		for (size_t k = 0; block_runs(block) && k < block->code->includes.count; k++)
			flatten_into(arena, &block->code->includes.items[k].blocks, code_only, out);
	}
}

block_refs blocks_flatten(struct arena *arena, const block_list *list)
{
	block_refs refs = {0};
	flatten_into(arena, list, false, &refs);
	return refs;
}

block_refs program_code(struct arena *arena, struct program *program)
{
	program->code.count = 0;
	flatten_into(arena, &program->blocks, true, &program->code);
	return program->code;
}

bool blocks_set_name(struct arena *arena, const block_refs *blocks, struct slice name)
{
	for (size_t i = 0; i < blocks->count; i++) {
		const struct lexed_cell *cell = blocks->items[i]->code->lexed;
		syntax_token_list found = {0};
		if (syntax_has(cell, name))
			syntax_bindings(arena, cell, &found);
		for (size_t k = 0; k < found.count; k++) {
			if (syntax_is(cell, found.items[k], name))
				return true;
		}
	}
	return false;
}

struct location block_location(const struct block *block, struct slice part)
{
	return lexed_location(block->code->lexed, offset_of(block, part), (uint32_t)part.len);
}

struct location block_token_location(const struct block *block, uint32_t token)
{
	return block_location(block, statement_token(block->code->lexed, token));
}

struct location block_cell_location(const struct block *block)
{
	return (struct location){.cell = block->code->lexed->number,
	                         .file = block->code->lexed->file};
}

struct slice block_title(struct arena *arena, const struct block *block)
{
	/* Nearly each cell: printf() would take a thirtieth of a build's time. */
	if (block->origin == NULL) {
		static const char word[] = {'c', 'e', 'l', 'l', ' '};
		char text[sizeof word + SLICE_DECIMAL_MAX];
		struct slice number = slice_decimal(text + sizeof word, block->cell, 0);
		char *title = text + sizeof text - number.len - sizeof word;
		memcpy(title, word, sizeof word);
		return arena_dup(arena, slice_make(title, sizeof word + number.len));
	}
	if (block->origin->is_text || (block_runs(block) && block->code->lexed->number == 0))
		return block->origin->notebook;
	return arena_printf(arena, "%.*s cell %u", SLICE_ARG(block->origin->notebook), block->cell);
}

struct slice block_region(struct arena *arena, const struct block *block)
{
	if (!block->has_region)
		return slice_make(NULL, 0);
	if (block->kind == BLOCK_MULTICELL)
		return arena_printf(arena, "cells %u-%u", block->cell, block->group->last_cell);
	return block_title(arena, block);
}
