/* The blocks of a cell: their layout and depth, and whether one needs an event loop. */
#include "lex/syntax_blocks.h"

/* ---- headers, suites and indentation ---- */

bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out)
{
	size_t next = 0;          /* statement */
	bool wants_suite = false; /* the previous line is a header, whose last token is SUITE_OF */
	uint32_t suite_of = 0, column = 0; /* of the previous line */
	for (uint32_t i = 0; !cell->is_flat && i < cell->logical.count; i++) {
		const struct logical_line *line = &cell->logical.items[i];
		uint32_t end = line->first_token + line->token_count;
		uint32_t first = syntax_next(cell, line->first_token, end);
		if (line->kind == LINE_BLANK)
			continue;
		if (first < end && wants_suite && line->column <= column) {
			*out = (struct syntax_fault){"expected an indented block", suite_of};
			return true;
		}
		if (first < end && !wants_suite && line->column > column) {
			*out = (struct syntax_fault){"unexpected indentation", first};
			return true;
		}
		if (first < end) {
			column = line->column;
			wants_suite = false;
		}
		for (; next < cell->statements.count; next++) {
			const struct syntax_statement *now = &cell->statements.items[next];
			if (now->logical != i)
				break;
			suite_of = now->last_token;
			wants_suite = now->header;
			if (!now->header && statement_is_header_keyword(cell, now->first_token)) {
				*out = (struct syntax_fault){"expected ':' after this", suite_of};
				return true;
			}
		}
	}
	if (wants_suite)
		*out = (struct syntax_fault){"expected an indented block", suite_of};
	return wants_suite;
}

/* ---- depth ---- */

/* The nesting depth of a cell's blocks, as CPython's compiler counts it (compiler_push_fblock in
 * Python/compile.c), because a frame around the cell must not exceed the limit. */

enum nested_kind {
	NESTED_PLAIN, /* if, match, case: not a block of CPython */
	NESTED_SCOPE, /* def, class: separate code, which a frame does not deepen */
	NESTED_LOOP,
	NESTED_WITH,
	NESTED_TRY,
};

enum clause { CLAUSE_BODY, CLAUSE_EXCEPT, CLAUSE_ELSE, CLAUSE_FINALLY, CLAUSE_COUNT };

struct nested_block {
	enum nested_kind kind;
	uint32_t column;
	unsigned items; /* of a with */
	enum clause clause;
	bool seen[CLAUSE_COUNT];
	unsigned need[CLAUSE_COUNT]; /* blocks of the statements in each clause */
};

struct nesting {
	struct arena *arena;
	const struct lexed_cell *cell;
	VECTOR(struct nested_block) open;
	unsigned blocks; /* of the cell as a whole */
};

static unsigned max_unsigned(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned nested_need(const struct nested_block *block)
{
	unsigned need = block->need[CLAUSE_BODY];
	switch (block->kind) {
	case NESTED_SCOPE:
		return 0;
	case NESTED_LOOP:
		return max_unsigned(1 + need, block->need[CLAUSE_ELSE]);
	case NESTED_WITH:
		return block->items + need;
	case NESTED_TRY:
		if (block->seen[CLAUSE_EXCEPT]) {
			/* Inside a handler: the handler, and the clean-up of its name. */
			need = max_unsigned(1 + need, 2 + block->need[CLAUSE_EXCEPT]);
			need = max_unsigned(need, block->need[CLAUSE_ELSE]);
		}
		if (block->seen[CLAUSE_FINALLY])
			need = 1 + max_unsigned(need, block->need[CLAUSE_FINALLY]);
		break;
	case NESTED_PLAIN:
		break;
	}
	return need;
}

static void close_blocks(struct nesting *nesting, uint32_t from_column)
{
	while (nesting->open.count > 0 &&
	       nesting->open.items[nesting->open.count - 1].column >= from_column) {
		unsigned need = nested_need(&nesting->open.items[--nesting->open.count]);
		unsigned *outer = &nesting->blocks;
		if (nesting->open.count > 0) {
			struct nested_block *parent = &nesting->open.items[nesting->open.count - 1];
			outer = &parent->need[parent->clause];
		}
		*outer = max_unsigned(*outer, need);
	}
}

/* Since 3.9, the items may have brackets around them, and a comma after the last one. */
static unsigned count_items(const struct lexed_cell *cell, const struct syntax_statement *statement)
{
	uint32_t first = statement->first_token, end = statement->last_token;
	while (first < end && !syntax_is(cell, first, SLICE("with")))
		first = statement_step(cell, statement, first);
	first = syntax_next(cell, first + 1, end);
	uint32_t close =
	        syntax_is(cell, first, SLICE("(")) ? syntax_closing(cell, first, end) : end;
	bool bracketed = close < end && syntax_next(cell, close + 1, end) == end;
	first = bracketed ? syntax_next(cell, first + 1, close) : first;
	end = bracketed ? close : end;
	struct statement_depth depth = {0};
	unsigned commas = 0;
	bool trailing = false;
	for (uint32_t at = first; at < end; at = syntax_next(cell, at + 1, end)) {
		trailing = statement_outside(cell, at, &depth) && syntax_is(cell, at, SLICE(","));
		commas += trailing;
	}
	return 1 + commas - (bracketed && trailing);
}

static void read_statement(struct nesting *nesting, const struct syntax_statement *statement)
{
	uint32_t column = nesting->cell->logical.items[statement->logical].column;
	struct slice keyword = statement_keyword(nesting->cell, statement);
	enum clause clause = !statement->header                    ? CLAUSE_BODY
	                     : slice_eq(keyword, SLICE("except"))  ? CLAUSE_EXCEPT
	                     : slice_eq(keyword, SLICE("else"))    ? CLAUSE_ELSE
	                     : slice_eq(keyword, SLICE("finally")) ? CLAUSE_FINALLY
	                                                           : CLAUSE_BODY;
	bool goes_on =
	        clause != CLAUSE_BODY || (statement->header && slice_eq(keyword, SLICE("elif")));
	close_blocks(nesting, goes_on ? column + 1 : column);
	if (goes_on && nesting->open.count > 0) {
		struct nested_block *block = &nesting->open.items[nesting->open.count - 1];
		block->clause = block->kind == NESTED_PLAIN ? CLAUSE_BODY : clause;
		block->seen[clause] = true;
	} else if (statement->header) {
		struct nested_block block = {.column = column};
		if (slice_is_word_of(keyword, "for while"))
			block.kind = NESTED_LOOP;
		else if (slice_is_word_of(keyword, "def class"))
			block.kind = NESTED_SCOPE;
		else if (slice_eq(keyword, SLICE("try")))
			block.kind = NESTED_TRY;
		else if (slice_eq(keyword, SLICE("with")))
			block.kind = NESTED_WITH;
		if (block.kind == NESTED_WITH)
			block.items = count_items(nesting->cell, statement);
		vec_push(nesting->arena, &nesting->open, block);
	}
}

struct code_depth code_depth_of(struct arena *arena, const struct lexed_cell *cell)
{
	struct nesting nesting = {.arena = arena, .cell = cell};
	VECTOR(uint32_t) columns = {0};
	size_t indents = 0;
	if (cell->is_flat)
		return (struct code_depth){0};
	for (size_t i = 0; i < cell->statements.count; i++) {
		if (!cell->statements.items[i].in_suite)
			read_statement(&nesting, &cell->statements.items[i]);
	}
	close_blocks(&nesting, 0);
	for (size_t i = 0; i < cell->logical.count; i++) {
		uint32_t column = cell->logical.items[i].column;
		if (cell->logical.items[i].kind == LINE_BLANK)
			continue;
		while (columns.count > 0 && columns.items[columns.count - 1] > column)
			columns.count--;
		if (column > (columns.count > 0 ? columns.items[columns.count - 1] : 0))
			vec_push(arena, &columns, column);
		indents = columns.count > indents ? columns.count : indents;
	}
	return (struct code_depth){nesting.blocks, (unsigned)indents};
}

struct code_depth code_depth_sum(struct code_depth a, struct code_depth b)
{
	return (struct code_depth){a.blocks + b.blocks, a.indents + b.indents};
}

struct code_depth code_depth_max(struct code_depth a, struct code_depth b)
{
	return (struct code_depth){max_unsigned(a.blocks, b.blocks),
	                           max_unsigned(a.indents, b.indents)};
}

struct code_depth code_depth_deeper(struct code_depth depth, size_t count)
{
	return (struct code_depth){depth.blocks + (unsigned)count, depth.indents + (unsigned)count};
}

bool code_depth_fits(struct code_depth depth)
{
	enum {
		BLOCKS_MAX = 20,  /* CPython's CO_MAXBLOCKS: deeper code does not compile */
		INDENTS_MAX = 99, /* levels of indentation that CPython's tokenizer accepts */
	};
	return depth.blocks <= BLOCKS_MAX && depth.indents <= INDENTS_MAX;
}

/* ---- await ---- */

typedef VECTOR(char) open_brackets;

/* Await in the body of a lambda is a syntax error, so lambdas do not matter. OPEN: scratch. */
static bool statement_awaits(struct arena *arena, const struct lexed_cell *cell,
                             const struct syntax_statement *statement, open_brackets *open)
{
	open->count = 0;
	for (uint32_t at = statement->first_token; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		struct slice text = statement_token(cell, at);
		enum token_kind kind = cell->tokens.items[at].kind;
		if (kind == TOKEN_OP && slice_is_word_of(text, "( [ {"))
			vec_push(arena, open, text.ptr[0]);
		else if (kind == TOKEN_OP && slice_is_word_of(text, ") ] }") && open->count > 0)
			open->count--;
		/* Words in strings in a field of an f-string count, too: an unnecessary loop is
		 * harmless. */
		for (struct slice field, name;
		     kind == TOKEN_FSTRING && syntax_next_field(&text, &field);) {
			while (slice_next_name(&field, &name)) {
				if (slice_is_word_of(name, "await async"))
					return true;
			}
		}
		if (syntax_is(cell, at, SLICE("await")))
			return true;
		/* An asynchronous generator expression needs no loop at its creation; other
		 * comprehensions do. */
		uint32_t next = syntax_after(cell, at);
		bool generator = open->count > 0 && open->items[open->count - 1] == '(';
		if (syntax_is(cell, at, SLICE("async")) &&
		    (syntax_is(cell, next, SLICE("with")) ||
		     (syntax_is(cell, next, SLICE("for")) && !generator)))
			return true;
	}
	return false;
}

bool syntax_has_top_level_await(struct arena *arena, const struct lexed_cell *cell)
{
	struct statement_scope scope = {0};
	open_brackets open = {0};
	if (!name_filter_may_have(&cell->names, SLICE("await")) &&
	    !name_filter_may_have(&cell->names, SLICE("async")))
		return false;
	for (size_t i = 0; i < cell->statements.count; i++) {
		const struct syntax_statement *statement = &cell->statements.items[i];
		if (!statement_inside(cell, statement, &scope) &&
		    statement_awaits(arena, cell, statement, &open))
			return true;
	}
	return false;
}
