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
	if (block->edits.count > 0 && offset < block->edits.items[block->edits.count - 1].offset)
		block->needs_sort = true;
	vec_push(arena, &block->edits, ((struct edit){.offset = offset, .len = len, .text = text}));
}

void block_add_echo(struct arena *arena, struct block *block, uint32_t offset, struct slice text)
{
	block_add_edit(arena, block, offset, 0, text);
	block->edits.items[block->edits.count - 1].is_echo = true;
}

/* Returns the end of the sorted run that begins at FROM. */
static size_t run_end(const struct edit *edits, size_t from, size_t count)
{
	while (from + 1 < count && edits[from].offset <= edits[from + 1].offset)
		from++;
	return from < count ? from + 1 : count;
}

/* Merges pairs of sorted runs of IN into OUT; returns how many runs IN had. */
static size_t merge_runs(const struct edit *in, struct edit *out, size_t count)
{
	size_t runs = 0;
	for (size_t from = 0; from < count;) {
		size_t middle = run_end(in, from, count), end = run_end(in, middle, count);
		size_t left = from, right = middle;
		for (size_t i = from; i < end; i++) {
			bool takes_left = right == end ||
			                  (left < middle && in[left].offset <= in[right].offset);
			out[i] = in[takes_left ? left++ : right++];
		}
		runs += end > middle ? 2 : 1;
		from = end;
	}
	return runs;
}

static void sort_edits(struct block *block, void *data)
{
	struct arena *arena = data;
	size_t count = block->edits.count, runs = 2;
	if (!block->needs_sort)
		return;
	struct edit *out = arena_calloc(arena, count, sizeof *out);
	while (runs > 1) {
		struct edit *in = block->edits.items;
		runs = merge_runs(in, out, count);
		block->edits.items = out;
		block->edits.capacity = count;
		out = in;
	}
	block->needs_sort = false;
}

void program_sort_edits(struct arena *arena, struct program *program)
{
	blocks_walk(&program->blocks, sort_edits, arena);
}

const struct setting *program_setting(const struct program *program, struct slice name)
{
	for (size_t i = program->environment.count; i-- > 0;) {
		if (slice_eq(program->environment.items[i].name, name))
			return &program->environment.items[i];
	}
	return NULL;
}

void program_add_command(struct arena *arena, struct program *program, struct slice text,
                         struct location where)
{
	vec_push(arena, &program->commands, ((struct cell_command){text, where}));
}

struct slice program_echo(struct arena *arena, const struct program *program,
                          const struct block *block)
{
	if (block->echo.len > 0)
		return block->echo;
	if ((program->effects & NEED_OUTPUTS) != 0)
		return arena_printf(arena, PACKAGE_ALIAS ".out(%u, ", block->count);
	return SLICE(PACKAGE_ALIAS ".echo(");
}

void blocks_walk(block_list *blocks, void (*visit)(struct block *block, void *data), void *data)
{
	for (size_t i = 0; i < blocks->count; i++) {
		visit(&blocks->items[i], data);
		blocks_walk(&blocks->items[i].blocks, visit, data);
		for (size_t k = 0; k < blocks->items[i].includes.count; k++)
			blocks_walk(&blocks->items[i].includes.items[k].blocks, visit, data);
	}
}

struct block_collector {
	struct arena *arena;
	block_refs refs;
};

static void collect_block(struct block *block, void *data)
{
	struct block_collector *collector = data;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
	vec_push(collector->arena, &collector->refs, block);
}

block_refs program_blocks(struct arena *arena, struct program *program)
{
	struct block_collector collector = {.arena = arena};
	blocks_walk(&program->blocks, collect_block, &collector);
	return collector.refs;
}

struct location argument_place(const struct argument *argument)
{
	if (argument->source.len == 0)
		return argument->where;
	struct location where = location_in_cell(argument->where.cell, argument->source,
	                                         argument->offset, argument->len);
	where.file = argument->where.file;
	return where;
}

struct location block_location(const struct block *block, uint32_t offset, uint32_t len)
{
	return lexed_location(block->lexed, offset, len);
}

struct location block_token_location(const struct block *block, uint32_t token)
{
	const struct token *found = &block->lexed->tokens.items[token];
	return lexed_location(block->lexed, found->offset, found->len);
}

struct location block_cell_location(const struct block *block)
{
	return (struct location){.cell = block->lexed->number, .file = block->lexed->file};
}

struct slice block_title(struct arena *arena, const struct block *block)
{
	const char *blank = block->notebook.len > 0 ? " " : "";
	bool is_file = block->lexed != NULL && block->lexed->number == 0;
	if (is_file)
		return block->notebook;
	return arena_printf(arena, "%.*s%scell %u", SLICE_ARG(block->notebook), blank, block->cell);
}
