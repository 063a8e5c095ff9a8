/* The nesting depth of a cell's blocks, as CPython's compiler counts it (compiler_push_fblock in
 * Python/compile.c), because a frame around the cell must not exceed the limit. */
#include "lex/syntax_nesting.h"

#include "lex/statements.h"

enum block_kind {
	BLOCK_PLAIN, /* if, match, case: not a block of CPython */
	BLOCK_SCOPE, /* def, class: separate code, which a frame does not deepen */
	BLOCK_LOOP,
	BLOCK_WITH,
	BLOCK_TRY,
};

enum clause { CLAUSE_BODY, CLAUSE_EXCEPT, CLAUSE_ELSE, CLAUSE_FINALLY, CLAUSE_COUNT };

struct block {
	enum block_kind kind;
	uint32_t column;
	unsigned items; /* of a with */
	enum clause clause;
	bool seen[CLAUSE_COUNT];
	unsigned need[CLAUSE_COUNT]; /* blocks of the statements in each clause */
};

struct nesting {
	struct arena *arena;
	const struct lexed_cell *cell;
	VECTOR(struct block) open;
	unsigned blocks; /* of the cell as a whole */
};

static unsigned max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned try_need(const struct block *block)
{
	unsigned need = block->need[CLAUSE_BODY];
	if (block->seen[CLAUSE_EXCEPT]) {
		/* Inside a handler: the handler, and the clean-up of its name. */
		need = max(1 + need, 2 + block->need[CLAUSE_EXCEPT]);
		need = max(need, block->need[CLAUSE_ELSE]);
	}
	if (block->seen[CLAUSE_FINALLY])
		need = 1 + max(need, block->need[CLAUSE_FINALLY]);
	return need;
}

static unsigned block_need(const struct block *block)
{
	switch (block->kind) {
	case BLOCK_SCOPE:
		return 0;
	case BLOCK_LOOP:
		return max(1 + block->need[CLAUSE_BODY], block->need[CLAUSE_ELSE]);
	case BLOCK_WITH:
		return block->items + block->need[CLAUSE_BODY];
	case BLOCK_TRY:
		return try_need(block);
	case BLOCK_PLAIN:
		break;
	}
	return block->need[CLAUSE_BODY];
}

static void close_blocks(struct nesting *nesting, uint32_t from_column)
{
	while (nesting->open.count > 0 &&
	       nesting->open.items[nesting->open.count - 1].column >= from_column) {
		unsigned need = block_need(&nesting->open.items[--nesting->open.count]);
		unsigned *outer = &nesting->blocks;
		if (nesting->open.count > 0) {
			struct block *parent = &nesting->open.items[nesting->open.count - 1];
			outer = &parent->need[parent->clause];
		}
		*outer = max(*outer, need);
	}
}

/* Counts commas between FIRST and END, at bracket depth DEPTH; a trailing one does not count. */
static unsigned count_commas(const struct lexed_cell *cell, uint32_t first, uint32_t end,
                             unsigned depth)
{
	unsigned open = 0, commas = 0;
	bool trailing = false;
	for (uint32_t at = first; at < end; at = syntax_next(cell, at + 1, end)) {
		struct slice text = statement_token(cell, at);
		bool single = cell->tokens.items[at].kind == TOKEN_OP && text.len == 1;
		char c = '\0';
		if (single)
			c = text.ptr[0];
		bool closes = c == ')' || c == ']' || c == '}';
		open -= closes && open > 0;
		open += c == '(' || c == '[' || c == '{';
		trailing = c == ',' ? open == depth : trailing && closes;
		commas += c == ',' && open == depth;
	}
	return commas - (trailing && depth > 0 ? 1 : 0);
}

/* True if the bracket at FIRST closes just before END. */
static bool is_bracketed(const struct lexed_cell *cell, uint32_t first, uint32_t end)
{
	struct statement_depth depth = {0};
	for (uint32_t at = first; at < end; at = syntax_next(cell, at + 1, end)) {
		statement_outside(cell, at, &depth);
		if (depth.brackets == 0)
			return syntax_next(cell, at + 1, end) == end;
	}
	return false;
}

/* Since 3.9, the items may have brackets around them. */
static unsigned count_items(const struct lexed_cell *cell, const struct syntax_statement *statement)
{
	uint32_t first = statement->first_token, end = statement->last_token;
	while (first < end && !syntax_is(cell, first, SLICE("with")))
		first = statement_step(cell, statement, first);
	first = syntax_next(cell, first + 1, end);
	if (first < end && syntax_is(cell, first, SLICE("(")) && is_bracketed(cell, first, end))
		return 1 + count_commas(cell, first, end, 1);
	return 1 + count_commas(cell, first, end, 0);
}

static bool is_word(struct slice keyword, const char *word)
{
	return slice_eq(keyword, slice_from(word));
}

static enum clause clause_of(struct slice keyword)
{
	if (is_word(keyword, "except"))
		return CLAUSE_EXCEPT;
	if (is_word(keyword, "else"))
		return CLAUSE_ELSE;
	if (is_word(keyword, "finally"))
		return CLAUSE_FINALLY;
	return CLAUSE_BODY;
}

static enum block_kind kind_of(struct slice keyword)
{
	if (is_word(keyword, "for") || is_word(keyword, "while"))
		return BLOCK_LOOP;
	if (is_word(keyword, "with"))
		return BLOCK_WITH;
	if (is_word(keyword, "try"))
		return BLOCK_TRY;
	if (is_word(keyword, "def") || is_word(keyword, "class"))
		return BLOCK_SCOPE;
	return BLOCK_PLAIN;
}

static void read_statement(struct nesting *nesting, const struct syntax_statement *statement)
{
	uint32_t column = nesting->cell->logical.items[statement->logical].column;
	if (statement->in_suite)
		return;
	struct slice keyword = statement_keyword(nesting->cell, statement);
	enum clause clause = statement->header ? clause_of(keyword) : CLAUSE_BODY;
	bool goes_on = clause != CLAUSE_BODY || (statement->header && is_word(keyword, "elif"));
	close_blocks(nesting, goes_on ? column + 1 : column);
	if (goes_on && nesting->open.count > 0) {
		struct block *block = &nesting->open.items[nesting->open.count - 1];
		block->clause = block->kind == BLOCK_PLAIN ? CLAUSE_BODY : clause;
		block->seen[clause] = true;
	} else if (statement->header) {
		struct block block = {.kind = kind_of(keyword), .column = column};
		if (block.kind == BLOCK_WITH)
			block.items = count_items(nesting->cell, statement);
		vec_push(nesting->arena, &nesting->open, block);
	}
}

static unsigned count_indents(const struct lexed_cell *cell, struct arena *arena)
{
	VECTOR(uint32_t) columns = {0};
	size_t deepest = 0;
	for (size_t i = 0; i < cell->logical.count; i++) {
		uint32_t column = cell->logical.items[i].column;
		if (cell->logical.items[i].kind == LINE_BLANK)
			continue;
		while (columns.count > 0 && columns.items[columns.count - 1] > column)
			columns.count--;
		if (column > (columns.count > 0 ? columns.items[columns.count - 1] : 0))
			vec_push(arena, &columns, column);
		deepest = columns.count > deepest ? columns.count : deepest;
	}
	return (unsigned)deepest;
}

struct syntax_depth syntax_nesting(const struct lexed_cell *cell, struct arena *arena)
{
	struct nesting nesting = {.arena = arena, .cell = cell};
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	if (cell->is_flat)
		return (struct syntax_depth){0};
	while (syntax_next_statement(cell, &cursor, &statement))
		read_statement(&nesting, &statement);
	close_blocks(&nesting, 0);
	return (struct syntax_depth){nesting.blocks, count_indents(cell, arena)};
}
