/* The names that a cell's top level sets. */
#include "lex/syntax_assignments.h"

#include "lex/statements.h"

/* The tokens [FIRST, END) of a statement; both are significant, or END is after the last token. */
struct span {
	const struct lexed_cell *cell;
	const struct syntax_statement *statement;
	uint32_t first, end;
};

static uint32_t step(const struct span *span, uint32_t index)
{
	return syntax_next(span->cell, index + 1, span->end);
}

static uint32_t last_of(const struct span *span)
{
	uint32_t last = span->first;
	for (uint32_t at = span->first; at < span->end; at = step(span, at))
		last = at;
	return last;
}

static struct slice source_of(const struct span *span)
{
	if (span->first >= span->end)
		return slice_make("", 0);
	const struct token *first = &span->cell->tokens.items[span->first];
	const struct token *last = &span->cell->tokens.items[last_of(span)];
	return slice_sub(span->cell->text, first->offset, last->offset + last->len);
}

static bool is_single(const struct span *span)
{
	return span->first < span->end && step(span, span->first) >= span->end;
}

/* ---- the type of a literal ---- */

static struct slice number_type(struct slice text)
{
	bool has_base = text.len > 2 && text.ptr[0] == '0' && ascii_is_alpha(text.ptr[1]) &&
	                ascii_lower(text.ptr[1]) != 'e' && ascii_lower(text.ptr[1]) != 'j';
	struct slice type = SLICE("int");
	for (size_t i = 0; i < text.len && !has_base; i++) {
		char c = ascii_lower(text.ptr[i]);
		if (c == 'j')
			return SLICE("complex");
		if (c == '.' || c == 'e')
			type = SLICE("float");
	}
	return type;
}

/* The type by the prefix of the string. */
static struct slice string_type(struct slice text)
{
	struct slice type = SLICE("str");
	for (size_t i = 0; i < text.len && ascii_is_alpha(text.ptr[i]); i++) {
		if (ascii_lower(text.ptr[i]) == 'b')
			type = SLICE("bytes");
		else if (ascii_lower(text.ptr[i]) == 't')
			type = slice_make("", 0);
	}
	return type;
}

static struct slice strings_type(const struct span *span)
{
	for (uint32_t at = span->first; at < span->end; at = step(span, at)) {
		enum token_kind kind = span->cell->tokens.items[at].kind;
		if (kind != TOKEN_STRING && kind != TOKEN_FSTRING)
			return slice_make("", 0);
	}
	return string_type(statement_token(span->cell, span->first));
}

/* If the span's first bracket closes at its end, sets *COMMA and *COLON if there is one directly
 * inside the bracket, and returns true. */
static bool look_inside(const struct span *span, bool *comma, bool *colon)
{
	struct statement_depth outer = {0};
	struct span inside = {span->cell, span->statement, step(span, span->first), last_of(span)};
	uint32_t last = inside.end;
	for (uint32_t at = span->first; at < last; at = step(span, at)) {
		statement_outside(span->cell, at, &outer);
		if (outer.brackets == 0)
			return false;
	}
	struct statement_depth depth = {0};
	for (uint32_t at = inside.first; at < last; at = step(&inside, at)) {
		bool outside = statement_outside(span->cell, at, &depth);
		*comma |= outside && syntax_is(span->cell, at, SLICE(","));
		*colon |= outside && (syntax_is(span->cell, at, SLICE(":")) ||
		                      syntax_is(span->cell, at, SLICE("**")));
	}
	return true;
}

static struct slice bracket_type(const struct span *span)
{
	bool comma = false, colon = false;
	if (is_single(span) || !look_inside(span, &comma, &colon))
		return slice_make("", 0);
	bool empty = step(span, span->first) == last_of(span);
	if (syntax_is(span->cell, span->first, SLICE("[")))
		return SLICE("list");
	if (syntax_is(span->cell, span->first, SLICE("{")))
		return empty || colon ? SLICE("dict") : SLICE("set");
	return empty || comma ? SLICE("tuple") : slice_make("", 0);
}

static struct slice single_type(const struct lexed_cell *cell, uint32_t index)
{
	if (cell->tokens.items[index].kind == TOKEN_NUMBER)
		return number_type(statement_token(cell, index));
	if (syntax_is(cell, index, SLICE("True")) || syntax_is(cell, index, SLICE("False")))
		return SLICE("bool");
	return syntax_is(cell, index, SLICE("None")) ? SLICE("None") : slice_make("", 0);
}

static bool has_outer_comma(const struct span *span)
{
	struct statement_depth depth = {0};
	for (uint32_t at = span->first; at < span->end; at = step(span, at)) {
		if (statement_outside(span->cell, at, &depth) &&
		    syntax_is(span->cell, at, SLICE(",")))
			return true;
	}
	return false;
}

static struct slice literal_type(const struct span *span)
{
	static const struct slice open[] = {SLICE_INIT("["), SLICE_INIT("{"), SLICE_INIT("(")};
	if (has_outer_comma(span))
		return SLICE("tuple");
	if (slice_is_one_of(statement_token(span->cell, span->first), open, 3))
		return bracket_type(span);
	bool sign = syntax_is(span->cell, span->first, SLICE("-")) ||
	            syntax_is(span->cell, span->first, SLICE("+"));
	struct span rest = *span;
	rest.first = sign ? step(span, span->first) : span->first;
	if (is_single(&rest) &&
	    (!sign || span->cell->tokens.items[rest.first].kind == TOKEN_NUMBER)) {
		struct slice type = single_type(span->cell, rest.first);
		if (type.len > 0)
			return type;
	}
	return strings_type(span);
}

/* ---- assignments ---- */

/* The comment after the statement, unless another statement follows. */
static struct slice comment_behind(const struct span *span)
{
	const struct lexed_cell *cell = span->cell;
	const struct logical_line *line = &cell->logical.items[span->statement->logical];
	uint32_t end = line->first_token + line->token_count;
	for (uint32_t at = span->statement->last_token + 1; at < end; at++) {
		struct slice text = statement_token(cell, at);
		if (cell->tokens.items[at].kind == TOKEN_COMMENT) {
			while (text.len > 0 && text.ptr[0] == '#')
				text = slice_sub(text, 1, text.len);
			return slice_trim(text);
		}
		if (cell->tokens.items[at].kind != TOKEN_BLANK && !slice_eq(text, SLICE(";")))
			break;
	}
	return slice_make("", 0);
}

/* The first TEXT outside of brackets in the span, or its end. */
static uint32_t find_outside(const struct span *span, struct slice text)
{
	struct statement_depth depth = {0};
	uint32_t at = span->first;
	while (at < span->end &&
	       !(statement_outside(span->cell, at, &depth) && syntax_is(span->cell, at, text)))
		at = step(span, at);
	return at;
}

/* True if the span has only names, commas, stars and brackets, as targets that are names do. */
static bool is_target(const struct span *span)
{
	static const struct slice allowed[] = {SLICE_INIT(","), SLICE_INIT("*"), SLICE_INIT("("),
	                                       SLICE_INIT(")"), SLICE_INIT("["), SLICE_INIT("]")};
	bool operand = false;
	for (uint32_t at = span->first; at < span->end; at = step(span, at)) {
		bool is_name = statement_is_name(span->cell, at);
		bool opens = syntax_is(span->cell, at, SLICE("(")) ||
		             syntax_is(span->cell, at, SLICE("["));
		/* f(x), x[i] and "type x" are not targets. */
		if ((is_name || opens) && operand)
			return false;
		if (!is_name && !slice_is_one_of(statement_token(span->cell, at), allowed,
		                                 sizeof allowed / sizeof *allowed))
			return false;
		operand = is_name;
	}
	return span->first < span->end;
}

static void add_targets(struct arena *arena, const struct span *target,
                        const struct syntax_assignment *common, syntax_assignment_list *out)
{
	if (!is_target(target))
		return;
	for (uint32_t at = target->first; at < target->end; at = step(target, at)) {
		if (!statement_is_name(target->cell, at))
			continue;
		struct syntax_assignment assignment = *common;
		assignment.name = statement_token(target->cell, at);
		assignment.token = at;
		if (!is_single(target))
			assignment.value = assignment.type = slice_make("", 0);
		vec_push(arena, out, assignment);
	}
}

static void add_assignments(struct arena *arena, const struct span *statement,
                            syntax_assignment_list *out)
{
	struct syntax_assignment common = {.comment = comment_behind(statement)};
	struct span target = *statement, value = *statement;
	uint32_t equals;
	while ((equals = find_outside(&value, SLICE("="))) < statement->end)
		value.first = step(&value, equals);
	if (value.first == statement->first || value.first >= statement->end)
		return;
	common.value = source_of(&value);
	common.type = literal_type(&value);
	while (target.first < value.first) {
		struct span rest = target;
		rest.end = value.first;
		target.end = find_outside(&rest, SLICE("="));
		uint32_t next = syntax_next(statement->cell, target.end + 1, value.first);
		uint32_t colon = find_outside(&target, SLICE(":"));
		if (colon < target.end) {
			struct span annotation = target;
			annotation.first = step(&target, colon);
			common.annotation = source_of(&annotation);
			target.end = colon;
		}
		add_targets(arena, &target, &common, out);
		target.first = next;
	}
}

void syntax_assignments(struct arena *arena, const struct lexed_cell *cell,
                        syntax_assignment_list *out)
{
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (syntax_next_statement(cell, &cursor, &statement)) {
		struct span span = {cell, &statement, statement.first_token,
		                    statement.last_token + 1};
		if (!statement.header && !statement.in_suite &&
		    cell->logical.items[statement.logical].column == 0)
			add_assignments(arena, &span, out);
	}
}
