#include "ir/ir.h"

#include "lex/lex.h"

const char *block_kind_name(enum block_kind kind)
{
	static const char *const names[] = {
#define BLOCK(id, name, doc) [BLOCK_##id] = (name),
#include "ir/ir.def"
#undef BLOCK
	};
	return names[kind];
}

void block_add_edit(struct arena *arena, struct block *block, uint32_t offset, uint32_t len,
                    struct slice text)
{
	vec_push(arena, &block->edits, (struct edit){offset, len, text});
	/* Passes add from the front to the back, so this loop is short. */
	for (size_t i = block->edits.count - 1; i > 0; i--) {
		struct edit *edit = &block->edits.items[i];
		if (edit[-1].offset <= edit->offset)
			break;
		struct edit swap = *edit;
		*edit = edit[-1];
		edit[-1] = swap;
	}
}

void program_add_snippet(struct arena *arena, struct program *program, struct slice name)
{
	for (size_t i = 0; i < program->snippets.count; i++) {
		if (slice_eq(program->snippets.items[i], name))
			return;
	}
	vec_push(arena, &program->snippets, name);
}

void blocks_walk(block_list *blocks, void (*visit)(struct block *block, void *data), void *data)
{
	for (size_t i = 0; i < blocks->count; i++) {
		visit(&blocks->items[i], data);
		blocks_walk(&blocks->items[i].blocks, visit, data);
	}
}

struct location block_location(const struct block *block, uint32_t offset, uint32_t len)
{
	return lexed_location(block->lexed, offset, len);
}
