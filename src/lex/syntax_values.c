/* The values of a cell: those that IPython shows, and those that its top level assigns. */
#include "lex/syntax_values.h"

/* ---- values that are shown ---- */

/* True if the statement is an expression. Sets *OUT. */
static bool statement_value(const struct lexed_cell *cell, const struct syntax_statement *statement,
                            struct syntax_value *out)
{
	uint32_t first = statement->first_token, second = statement_step(cell, statement, first);
	struct statement_depth depth = {0};
	*out = (struct syntax_value){first, statement->last_token, false};
	if (statement->header)
		return false;
	/* Statements that begin with other keywords are not expressions, nor is "print x". */
	if (!slice_is_word_of(statement_token(cell, first), "not lambda await")) {
		enum token_kind kind = cell->tokens.items[first].kind;
		if (kind == TOKEN_OP ? syntax_is(cell, first, SLICE("@"))
		                     : !statement_is_operand(cell, first))
			return false;
		if (kind == TOKEN_NAME && second <= statement->last_token &&
		    statement_is_operand(cell, second))
			return false;
	}
	/* A token outside of brackets and lambdas may make it another statement, or a tuple. */
	out->is_tuple = syntax_is(cell, first, SLICE("*"));
	for (uint32_t at = first; at <= statement->last_token;
	     at = statement_step(cell, statement, at)) {
		if (!statement_outside(cell, at, &depth))
			continue;
		if (statement_is_assignment(cell, at) || syntax_is(cell, at, SLICE(":")))
			return false;
		out->is_tuple |= syntax_is(cell, at, SLICE(","));
	}
	return true;
}

bool syntax_last_expression(const struct lexed_cell *cell, struct syntax_value *out)
{
	size_t count = cell->statements.count;
	if (cell->broken || count == 0)
		return false;
	/* Not if the last line with code contains a magic. */
	const struct syntax_statement *last = &cell->statements.items[count - 1];
	return last->logical == cell->last_line && cell->logical.items[last->logical].column == 0 &&
	       !last->in_suite && !last->semicolon && statement_value(cell, last, out);
}

bool syntax_values(struct arena *arena, const struct lexed_cell *cell, syntax_value_list *out)
{
	const struct syntax_statement *last = NULL;
	for (size_t i = 0; !cell->broken && i < cell->statements.count; i++) {
		struct syntax_value value;
		last = &cell->statements.items[i];
		if (!last->in_scope && statement_value(cell, last, &value))
			vec_push(arena, out, value);
	}
	/* IPython checks the cell's last token, which is a dedent after an indented line. */
	return last != NULL && last->semicolon && cell->logical.items[last->logical].column == 0;
}

/* ---- names that the top level sets ---- */

/* The tokens [FIRST, END) of a statement; both are significant, or END is after the last token. */
struct span {
	const struct lexed_cell *cell;
	uint32_t first, end;
};

static uint32_t span_step(const struct span *span, uint32_t index)
{
	return syntax_next(span->cell, index + 1, span->end);
}

static struct slice span_source(const struct span *span)
{
	if (span->first >= span->end)
		return slice_make("", 0);
	return statement_text(span->cell, span->first, syntax_previous(span->cell, span->end));
}

static bool span_is_single(const struct span *span)
{
	return span->first < span->end && span_step(span, span->first) >= span->end;
}

/* The first TEXT outside of brackets in the span, or its end. */
static uint32_t span_find(const struct span *span, struct slice text)
{
	struct statement_depth depth = {0};
	uint32_t at = span->first;
	while (at < span->end &&
	       !(statement_outside(span->cell, at, &depth) && syntax_is(span->cell, at, text)))
		at = span_step(span, at);
	return at;
}

static bool span_has(const struct span *span, struct slice text)
{
	return span_find(span, text) < span->end;
}

/* ---- the type of a literal ---- */

static struct slice token_type(const struct lexed_cell *cell, uint32_t index)
{
	struct slice text = statement_token(cell, index), type = SLICE("str");
	switch (cell->tokens.items[index].kind) {
	case TOKEN_NUMBER:
		if (slice_at(text, 0) == '0' && slice_has(SLICE("xXoObB"), slice_at(text, 1)))
			return SLICE("int");
		if (slice_has(text, 'j') || slice_has(text, 'J'))
			return SLICE("complex");
		return slice_has(text, '.') || slice_has(text, 'e') || slice_has(text, 'E')
		               ? SLICE("float")
		               : SLICE("int");
	case TOKEN_STRING:
	case TOKEN_FSTRING:
		for (size_t i = 0; i < text.len && ascii_is_alpha(text.ptr[i]); i++) {
			if (ascii_lower(text.ptr[i]) == 'b')
				type = SLICE("bytes");
			else if (ascii_lower(text.ptr[i]) == 't')
				type = slice_make("", 0);
		}
		return type;
	default:
		if (slice_is_word_of(text, "True False"))
			return SLICE("bool");
		return slice_eq(text, SLICE("None")) ? text : slice_make("", 0);
	}
}

static struct slice literal_type(const struct span *span)
{
	const struct lexed_cell *cell = span->cell;
	uint32_t first = span->first, second = span_step(span, first);
	if (span_has(span, SLICE(",")))
		return SLICE("tuple");
	if (slice_is_word_of(statement_token(cell, first), "[ { (")) {
		uint32_t last = syntax_previous(cell, span->end);
		struct span inside = {cell, second, last};
		bool empty = second == last;
		if (syntax_closing(cell, first, span->end) != last)
			return slice_make("", 0);
		if (syntax_is(cell, first, SLICE("[")))
			return SLICE("list");
		if (syntax_is(cell, first, SLICE("{")))
			return empty || span_has(&inside, SLICE(":")) ||
			                       span_has(&inside, SLICE("**"))
			               ? SLICE("dict")
			               : SLICE("set");
		return empty || span_has(&inside, SLICE(",")) ? SLICE("tuple") : slice_make("", 0);
	}
	if (slice_is_word_of(statement_token(cell, first), "- +"))
		return second < span->end && span_step(span, second) >= span->end &&
		                       cell->tokens.items[second].kind == TOKEN_NUMBER
		               ? token_type(cell, second)
		               : slice_make("", 0);
	/* Strings beside each other are one. */
	for (uint32_t at = first; !span_is_single(span) && at < span->end;
	     at = span_step(span, at)) {
		enum token_kind kind = cell->tokens.items[at].kind;
		if (kind != TOKEN_STRING && kind != TOKEN_FSTRING)
			return slice_make("", 0);
	}
	return token_type(cell, first);
}

/* ---- assignments ---- */

/* The comment after the statement, unless another statement follows. */
static struct slice comment_behind(const struct lexed_cell *cell,
                                   const struct syntax_statement *statement)
{
	const struct logical_line *line = &cell->logical.items[statement->logical];
	uint32_t end = line->first_token + line->token_count;
	for (uint32_t at = statement->last_token + 1; at < end; at++) {
		struct slice text = statement_token(cell, at);
		if (cell->tokens.items[at].kind == TOKEN_COMMENT) {
			while (text.len > 0 && text.ptr[0] == '#')
				text = slice_tail(text, 1);
			return slice_trim(text);
		}
		if (cell->tokens.items[at].kind != TOKEN_BLANK && !slice_eq(text, SLICE(";")))
			break;
	}
	return slice_make("", 0);
}

static void add_targets(struct arena *arena, const struct span *target,
                        const struct syntax_assignment *common, syntax_assignment_list *out)
{
	const struct lexed_cell *cell = target->cell;
	bool operand = false;
	/* Targets that are names have only names, commas, stars and brackets. */
	for (uint32_t at = target->first; at < target->end; at = span_step(target, at)) {
		bool is_name = statement_is_name(cell, at);
		bool opens = syntax_is(cell, at, SLICE("(")) || syntax_is(cell, at, SLICE("["));
		/* f(x), x[i] and "type x" are not targets. */
		if ((is_name || opens) && operand)
			return;
		if (!is_name && !slice_is_word_of(statement_token(cell, at), ", * ( ) [ ]"))
			return;
		operand = is_name;
	}
	for (uint32_t at = target->first; at < target->end; at = span_step(target, at)) {
		if (!statement_is_name(cell, at))
			continue;
		struct syntax_assignment assignment = *common;
		assignment.name = statement_token(cell, at);
		assignment.token = at;
		if (!span_is_single(target))
			assignment.value = assignment.type = slice_make("", 0);
		vec_push(arena, out, assignment);
	}
}

void syntax_assignments(struct arena *arena, const struct lexed_cell *cell,
                        syntax_assignment_list *out)
{
	vec_each(const struct syntax_statement, statement, &cell->statements) {
		struct span target = {cell, statement->first_token, statement->last_token + 1},
		            value = target;
		uint32_t equals;
		if (statement->header || statement->in_suite ||
		    cell->logical.items[statement->logical].column > 0)
			continue;
		while ((equals = span_find(&value, SLICE("="))) < value.end)
			value.first = span_step(&value, equals);
		if (value.first == target.first || value.first >= value.end)
			continue;
		struct syntax_assignment common = {.value = span_source(&value),
		                                   .type = literal_type(&value),
		                                   .comment = comment_behind(cell, statement)};
		while (target.first < value.first) {
			struct span rest = target;
			rest.end = value.first;
			target.end = span_find(&rest, SLICE("="));
			uint32_t next = syntax_next(cell, target.end + 1, value.first);
			uint32_t colon = span_find(&target, SLICE(":"));
			if (colon < target.end) {
				struct span annotation = target;
				annotation.first = span_step(&target, colon);
				common.annotation = span_source(&annotation);
				target.end = colon;
			}
			add_targets(arena, &target, &common, out);
			target.first = next;
		}
	}
}
