#include "lex/syntax.h"

#include "base/quote.h"

/* ---- statements ---- */

bool syntax_is_keyword(struct slice word)
{
	static const struct slice keywords[] = {
	        SLICE_INIT("and"),    SLICE_INIT("as"),       SLICE_INIT("assert"),
	        SLICE_INIT("async"),  SLICE_INIT("await"),    SLICE_INIT("break"),
	        SLICE_INIT("class"),  SLICE_INIT("continue"), SLICE_INIT("def"),
	        SLICE_INIT("del"),    SLICE_INIT("elif"),     SLICE_INIT("else"),
	        SLICE_INIT("except"), SLICE_INIT("finally"),  SLICE_INIT("for"),
	        SLICE_INIT("from"),   SLICE_INIT("global"),   SLICE_INIT("if"),
	        SLICE_INIT("import"), SLICE_INIT("in"),       SLICE_INIT("is"),
	        SLICE_INIT("lambda"), SLICE_INIT("nonlocal"), SLICE_INIT("not"),
	        SLICE_INIT("or"),     SLICE_INIT("pass"),     SLICE_INIT("raise"),
	        SLICE_INIT("return"), SLICE_INIT("try"),      SLICE_INIT("while"),
	        SLICE_INIT("with"),   SLICE_INIT("yield"),    SLICE_INIT("False"),
	        SLICE_INIT("None"),   SLICE_INIT("True"),
	};
	return slice_is_one_of(word, keywords, sizeof keywords / sizeof *keywords);
}

bool syntax_is_identifier(struct slice name)
{
	return bash_is_name(name) && !syntax_is_keyword(name);
}

uint32_t syntax_next(const struct lexed_cell *cell, uint32_t index, uint32_t end)
{
	while (index < end && !token_is_significant(cell->tokens.items[index].kind))
		index++;
	return index < end ? index : end;
}

uint32_t syntax_after(const struct lexed_cell *cell, uint32_t index)
{
	return syntax_next(cell, index + 1, (uint32_t)cell->tokens.count);
}

bool syntax_has(const struct lexed_cell *cell, struct slice name)
{
	bool found = false;
	if (name_filter_may_have(&cell->names, name))
		for (uint32_t i = 0; i < cell->tokens.count && !found; i++)
			found = syntax_is(cell, i, name);
	return found;
}

uint32_t syntax_previous(const struct lexed_cell *cell, uint32_t index)
{
	for (uint32_t at = index; at > 0 && cell->tokens.items[at - 1].kind != TOKEN_NEWLINE;
	     at--) {
		if (token_is_significant(cell->tokens.items[at - 1].kind))
			return at - 1;
	}
	return index;
}

bool syntax_is(const struct lexed_cell *cell, uint32_t index, struct slice text)
{
	if (index >= cell->tokens.count)
		return false;
	const struct token *token = &cell->tokens.items[index];
	return (token->kind == TOKEN_OP || token->kind == TOKEN_NAME) &&
	       slice_eq(token_text(cell, token), text);
}

bool syntax_is_attribute(const struct lexed_cell *cell, uint32_t index)
{
	uint32_t before = syntax_previous(cell, index);
	return before < index && syntax_is(cell, before, SLICE("."));
}

struct slice statement_token(const struct lexed_cell *cell, uint32_t index)
{
	if (index >= cell->tokens.count)
		return slice_make("", 0);
	return token_text(cell, &cell->tokens.items[index]);
}

struct slice statement_text(const struct lexed_cell *cell, uint32_t first, uint32_t last)
{
	const struct token *end = &cell->tokens.items[last];
	return slice_sub(cell->text, cell->tokens.items[first].offset, end->offset + end->len);
}

bool statement_is_name(const struct lexed_cell *cell, uint32_t index)
{
	return cell->tokens.items[index].kind == TOKEN_NAME &&
	       !syntax_is_keyword(statement_token(cell, index));
}

bool statement_is_operand(const struct lexed_cell *cell, uint32_t index)
{
	enum token_kind kind = cell->tokens.items[index].kind;
	if (kind == TOKEN_NUMBER || kind == TOKEN_STRING || kind == TOKEN_FSTRING)
		return true;
	return kind == TOKEN_NAME &&
	       (statement_is_name(cell, index) ||
	        slice_is_word_of(statement_token(cell, index), "None True False lambda await"));
}

bool statement_is_assignment(const struct lexed_cell *cell, uint32_t index)
{
	struct slice text = statement_token(cell, index);
	return cell->tokens.items[index].kind == TOKEN_OP && slice_ends_with(text, SLICE("=")) &&
	       !slice_is_word_of(text, "== != <= >= :=");
}

/* "match" and "case" may be names. */
static bool is_header_keyword(const struct lexed_cell *cell, uint32_t index)
{
	static const struct slice keywords[] = {
	        /* most names are none: a string takes twice as long */
	        SLICE_INIT("if"),     SLICE_INIT("elif"),    SLICE_INIT("else"),
	        SLICE_INIT("for"),    SLICE_INIT("while"),   SLICE_INIT("try"),
	        SLICE_INIT("except"), SLICE_INIT("finally"), SLICE_INIT("with"),
	        SLICE_INIT("def"),    SLICE_INIT("class"),   SLICE_INIT("async"),
	};
	return cell->tokens.items[index].kind == TOKEN_NAME &&
	       slice_is_one_of(statement_token(cell, index), keywords,
	                       sizeof keywords / sizeof *keywords);
}

uint32_t statement_step(const struct lexed_cell *cell, const struct syntax_statement *statement,
                        uint32_t index)
{
	return syntax_next(cell, index + 1, statement->last_token + 1);
}

bool statement_outside(const struct lexed_cell *cell, uint32_t index, struct statement_depth *depth)
{
	const struct token *token = &cell->tokens.items[index];
	char c = '\0';
	if (token->kind == TOKEN_OP)
		c = cell->text.ptr[token->offset];
	if (c == '(' || c == '[' || c == '{')
		depth->brackets++;
	else if (c == ')' || c == ']' || c == '}')
		depth->brackets -= depth->brackets > 0;
	else if (depth->brackets == 0 && syntax_is(cell, index, SLICE("lambda")))
		depth->lambdas++;
	else if (depth->brackets == 0 && depth->lambdas > 0)
		depth->lambdas -= syntax_is(cell, index, SLICE(":"));
	else
		return depth->brackets == 0;
	return false;
}

uint32_t syntax_closing(const struct lexed_cell *cell, uint32_t open, uint32_t end)
{
	struct statement_depth depth = {0};
	for (uint32_t at = open; at < end; at = syntax_next(cell, at + 1, end)) {
		statement_outside(cell, at, &depth);
		if (depth.brackets == 0)
			return at > open ? at : end;
	}
	return end;
}

/* "match" and "case" are keywords only if nothing else is possible. */
static bool is_soft_header(const struct lexed_cell *cell, uint32_t first, uint32_t end)
{
	bool is_case = syntax_is(cell, first, SLICE("case"));
	struct statement_depth depth = {0};
	if (!is_case && !syntax_is(cell, first, SLICE("match")))
		return false;
	uint32_t second = syntax_next(cell, first + 1, end);
	if (second == end)
		return false;
	if (statement_is_operand(cell, second) || syntax_is(cell, second, SLICE("not")))
		return true;
	if (!slice_is_word_of(statement_token(cell, second), "( [ { - ~ * ..."))
		return false;
	uint32_t colon = second;
	while (colon < end &&
	       !(statement_outside(cell, colon, &depth) && syntax_is(cell, colon, SLICE(":"))))
		colon = syntax_next(cell, colon + 1, end);
	/* match[x]: int is an annotation */
	return colon < end && (syntax_next(cell, colon + 1, end) == end || is_case ||
	                       !syntax_is(cell, second, SLICE("[")));
}

/* Sets the end of the statement that begins at out->first_token. Returns the index after it. */
static uint32_t find_statement_end(const struct lexed_cell *cell, uint32_t end, bool header,
                                   struct syntax_statement *out)
{
	struct statement_depth depth = {0};
	uint32_t at = out->first_token;
	for (; at < end; at = syntax_next(cell, at + 1, end)) {
		bool outside = statement_outside(cell, at, &depth);
		if (outside && syntax_is(cell, at, SLICE(";"))) {
			out->semicolon = true;
			return at + 1;
		}
		out->last_token = at;
		if (header && outside && syntax_is(cell, at, SLICE(":"))) {
			out->header = true;
			return at + 1;
		}
	}
	return end;
}

/* A function or class whose body the last statement begins or is in. */
struct scope {
	const char *keywords; /* that open it */
	uint32_t header;      /* index of the statement; NO_STATEMENT: none is open */
	uint32_t column, logical;
};

/* True if STATEMENT is in the body. Call it for each statement, in order, before it is added. */
static bool is_inside(const struct lexed_cell *cell, const struct syntax_statement *statement,
                      struct scope *scope)
{
	uint32_t column = cell->logical.items[statement->logical].column;
	if (scope->header != NO_STATEMENT &&
	    (column > scope->column || statement->logical == scope->logical))
		return true;
	bool opens = statement->header &&
	             slice_is_word_of(statement_keyword(cell, statement), scope->keywords);
	scope->header = opens ? (uint32_t)cell->statements.count : NO_STATEMENT;
	scope->column = column;
	scope->logical = statement->logical;
	return false;
}

void statements_find(struct arena *arena, struct lexed_cell *cell)
{
	struct scope function = {.keywords = "def", .header = NO_STATEMENT},
	             any = {.keywords = "def class", .header = NO_STATEMENT};
	for (uint32_t i = 0; i < cell->logical.count; i++) {
		struct logical_line *line = &cell->logical.items[i];
		uint32_t end = line->first_token + line->token_count;
		uint32_t begin = syntax_next(cell, line->first_token, end), next;
		bool in_suite = false;
		for (uint32_t first = begin; line->kind == LINE_CODE && first < end;
		     first = syntax_next(cell, next, end)) {
			struct syntax_statement statement = {.logical = i,
			                                     .first_token = first,
			                                     .last_token = first,
			                                     .in_suite = in_suite};
			bool leads = first == begin;
			bool header =
			        is_header_keyword(cell, first) || is_soft_header(cell, first, end);
			next = find_statement_end(cell, end, leads && header, &statement);
			in_suite |= statement.header;
			statement.alone = leads && !statement.semicolon &&
			                  syntax_next(cell, next, end) == end;
			statement.in_function = is_inside(cell, &statement, &function);
			statement.in_scope = is_inside(cell, &statement, &any);
			statement.function = function.header;
			vec_push(arena, &cell->statements, statement);
		}
		line->in_scope = any.header != NO_STATEMENT && line->column > any.column;
	}
	vec_trim(arena, &cell->statements);
}

const struct syntax_statement *syntax_statement_at(const struct lexed_cell *cell, uint32_t index)
{
	const struct syntax_statement *statements = cell->statements.items;
	size_t low = 0, high = cell->statements.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (statements[middle].last_token < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cell->statements.count && statements[low].first_token <= index
	               ? &statements[low]
	               : NULL;
}

struct slice statement_keyword(const struct lexed_cell *cell,
                               const struct syntax_statement *statement)
{
	uint32_t first = statement->first_token;
	uint32_t second = statement_step(cell, statement, first);
	bool is_async = syntax_is(cell, first, SLICE("async")) && second <= statement->last_token;
	return statement_token(cell, is_async ? second : first);
}

void syntax_outer_statements(struct arena *arena, const struct lexed_cell *cell, struct slice word,
                             syntax_statement_list *out)
{
	bool may_have = name_filter_may_have(&cell->names, word);
	for (size_t i = 0; may_have && i < cell->statements.count; i++) {
		const struct syntax_statement *statement = &cell->statements.items[i];
		if (!statement->in_scope && syntax_is(cell, statement->first_token, word))
			vec_push(arena, out, *statement);
	}
}

/* ---- headers, suites and indentation ---- */

bool syntax_layout_fault(const struct lexed_cell *cell, struct syntax_fault *out)
{
	size_t next = 0;          /* statement */
	bool wants_suite = false; /* the previous line is a header, whose last token is SUITE_OF */
	uint32_t suite_of = 0, column = 0; /* of the previous line */
	for (uint32_t i = 0; i < cell->logical.count; i++) {
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
			if (!now->header && is_header_keyword(cell, now->first_token)) {
				*out = (struct syntax_fault){"expected ':' after this", suite_of};
				return true;
			}
		}
	}
	if (wants_suite)
		*out = (struct syntax_fault){"expected an indented block", suite_of};
	return wants_suite;
}

/* ---- fields of f-strings ---- */

bool syntax_next_field(struct slice *rest, struct slice *field)
{
	struct slice text = *rest;
	for (size_t at = slice_find(text, '{', 0); at < text.len;
	     at = slice_find(text, '{', at + 2)) {
		if (at + 1 < text.len && text.ptr[at + 1] == '{')
			continue;
		size_t end = at + 1; /* its "}", or the end of the text */
		for (size_t depth = 1; end < text.len; end++) {
			depth += text.ptr[end] == '{';
			depth -= text.ptr[end] == '}';
			if (depth == 0)
				break;
		}
		*field = slice_sub(text, at + 1, end);
		*rest = slice_tail(text, end + 1);
		return true;
	}
	*rest = slice_tail(text, text.len);
	return false;
}

/* ---- await ---- */

/* Await in the body of a lambda is a syntax error, so lambdas do not matter. */
static bool statement_awaits(struct arena *arena, const struct lexed_cell *cell,
                             const struct syntax_statement *statement)
{
	VECTOR(char) open = {0};
	for (uint32_t at = statement->first_token; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		struct slice text = statement_token(cell, at);
		enum token_kind kind = cell->tokens.items[at].kind;
		if (kind == TOKEN_OP && slice_is_word_of(text, "( [ {"))
			vec_push(arena, &open, text.ptr[0]);
		else if (kind == TOKEN_OP && slice_is_word_of(text, ") ] }") && open.count > 0)
			open.count--;
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
		bool generator = open.count > 0 && open.items[open.count - 1] == '(';
		if (syntax_is(cell, at, SLICE("async")) &&
		    (syntax_is(cell, next, SLICE("with")) ||
		     (syntax_is(cell, next, SLICE("for")) && !generator)))
			return true;
	}
	return false;
}

bool syntax_has_top_level_await(struct arena *arena, const struct lexed_cell *cell)
{
	if (!name_filter_may_have(&cell->names, SLICE("await")) &&
	    !name_filter_may_have(&cell->names, SLICE("async")))
		return false;
	vec_each(const struct syntax_statement, statement, &cell->statements) {
		if (!statement->in_function && statement_awaits(arena, cell, statement))
			return true;
	}
	return false;
}
