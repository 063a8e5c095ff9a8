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
		if (line->kind == LINE_BLANK)
			continue;
		if (wants_suite && line->column <= column) {
			*out = (struct syntax_fault){"expected an indented block", suite_of};
			return true;
		}
		if (!wants_suite && line->column > column) {
			*out = (struct syntax_fault){
			        "unexpected indentation",
			        syntax_next(cell, line->first_token, (uint32_t)cell->tokens.count)};
			return true;
		}
		column = line->column;
		wants_suite = false;
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

enum {
	BLOCKS_MAX = 20,  /* CPython's CO_MAXBLOCKS: deeper code does not compile */
	INDENTS_MAX = 99, /* levels of indentation that CPython's tokenizer accepts */
};

/* The walk over the statements of a cell. NEXT is an index of cell->statements. */
struct nesting {
	const struct lexed_cell *cell;
	size_t next;
};

static unsigned max_unsigned(unsigned a, unsigned b)
{
	return a > b ? a : b;
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

/* The next statement, or NULL after the last one. Those on the line of a header count as none. */
static const struct syntax_statement *peek(struct nesting *n)
{
	const struct syntax_statement *all = n->cell->statements.items;
	while (n->next < n->cell->statements.count && all[n->next].in_suite)
		n->next++;
	return n->next < n->cell->statements.count ? &all[n->next] : NULL;
}

static uint32_t column_of(const struct nesting *n, const struct syntax_statement *statement)
{
	return n->cell->logical.items[statement->logical].column;
}

static unsigned read_block(struct nesting *n, const struct syntax_statement *statement);

/* The blocks of the statements that are indented deeper than HEADER, the next one. */
static unsigned read_suite(struct nesting *n, const struct syntax_statement *header)
{
	uint32_t column = column_of(n, header);
	unsigned need = 0;
	n->next++;
	for (const struct syntax_statement *one;
	     (one = peek(n)) != NULL && column_of(n, one) > column;)
		need = max_unsigned(need, read_block(n, one));
	return need;
}

/* The blocks of STATEMENT, the next one, with all of its clauses. */
static unsigned read_block(struct nesting *n, const struct syntax_statement *statement)
{
	struct slice keyword = statement_keyword(n->cell, statement);
	uint32_t column = column_of(n, statement);
	bool has_handler = false, has_finally = false;
	unsigned need = read_suite(n, statement), handlers = 0, last = 0, others = 0;
	for (const struct syntax_statement *one; statement->header && (one = peek(n)) != NULL;) {
		struct slice clause = statement_keyword(n->cell, one);
		if (!one->header || column_of(n, one) != column ||
		    !slice_is_word_of(clause, "elif else except finally"))
			break;
		bool handles = slice_eq(clause, SLICE("except")),
		     ends = slice_eq(clause, SLICE("finally"));
		unsigned *most = handles ? &handlers : ends ? &last : &others;
		*most = max_unsigned(*most, read_suite(n, one));
		has_handler |= handles;
		has_finally |= ends;
	}
	/* A function or class is separate code, which a frame does not deepen. */
	if (!statement->header || slice_is_word_of(keyword, "def class"))
		return 0;
	if (slice_eq(keyword, SLICE("with")))
		need += count_items(n->cell, statement);
	if (slice_is_word_of(keyword, "for while"))
		need++;
	/* Inside a handler: the handler, and the clean-up of its name. */
	if (has_handler)
		need = max_unsigned(1 + need, 2 + handlers);
	need = max_unsigned(need, others);
	return has_finally ? 1 + max_unsigned(need, last) : need;
}

struct code_depth code_depth_of(struct arena *arena, const struct lexed_cell *cell)
{
	struct nesting nesting = {.cell = cell};
	VECTOR(uint32_t) columns = {0};
	size_t indents = 0;
	unsigned blocks = 0;
	if (cell->is_flat)
		return (struct code_depth){0};
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
	/* Deeper code does not compile. The limit also bounds the recursion. */
	for (const struct syntax_statement *one;
	     indents <= INDENTS_MAX && (one = peek(&nesting)) != NULL;)
		blocks = max_unsigned(blocks, read_block(&nesting, one));
	return (struct code_depth){blocks, (unsigned)indents};
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
	open_brackets open = {0};
	if (!name_filter_may_have(&cell->names, SLICE("await")) &&
	    !name_filter_may_have(&cell->names, SLICE("async")))
		return false;
	for (size_t i = 0; i < cell->statements.count; i++) {
		const struct syntax_statement *statement = &cell->statements.items[i];
		if (!statement->in_function && statement_awaits(arena, cell, statement, &open))
			return true;
	}
	return false;
}
