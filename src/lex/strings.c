#include "lex/strings.h"

#include "lex/python_lexer.h"
#include "lex/scan.h"

/* ---- the end of a literal ---- */

enum string_end {
	STRING_CLOSED,
	STRING_UNCLOSED,       /* its line, or the text, ends before its closing quote */
	STRING_CONTINUED_OPEN, /* the same, after at least one backslash and line end */
};

/* Finds the end of the literal whose contents begin at FROM, without regard to fields. *END is
 * after its closing quote, or at the end of the line or text that stopped it. */
static enum string_end string_find_end(struct slice text, size_t from,
                                       const struct string_start *start, size_t *end)
{
	bool continued = false;
	size_t at = from;
	char q = start->quote;
	for (; start->quotes == 3; at += slice_at(text, at) == '\\' ? 2 : 1) {
		bool closes = slice_at(text, at) == q && slice_at(text, at + 1) == q &&
		              slice_at(text, at + 2) == q;
		*end = closes ? at + 3 : text.len;
		if (closes || at >= text.len)
			return closes ? STRING_CLOSED : STRING_UNCLOSED;
	}
	while (at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') {
		size_t line_end = scan_continuation(slice_tail(text, at));
		if (line_end > 0) {
			continued = true;
			at += line_end;
		} else if (text.ptr[at] == '\\') {
			at += 2;
		} else if (text.ptr[at++] == q) {
			*end = at;
			return STRING_CLOSED;
		}
	}
	*end = at < text.len ? at : text.len;
	return continued ? STRING_CONTINUED_OPEN : STRING_UNCLOSED;
}

/* ---- f-strings ---- */

/* f-strings and t-strings according to PEP 701: a field contains any expression, including strings
 * with the same quotes, comments and line ends. Iterative, with its own stack. */

enum {
	FSTRINGS_MAX = 100, /* nested f-strings; CPython's limit is 150 */
	FRAMES_MAX = 4 * FSTRINGS_MAX,
};

enum fstring_mode {
	MODE_LITERAL, /* between the quotes */
	MODE_FIELD,   /* between { and : or } */
	MODE_SPEC,    /* between : and } */
};

struct fstring_frame {
	enum fstring_mode mode;
	char quote; /* of the f-string that contains it */
	uint32_t quotes;
	size_t brackets; /* number of open brackets before the field */
};

struct fstring_reader {
	struct lexer *lexer;
	struct slice text;
	size_t at;
	unsigned depth, strings; /* frames, and how many of them are literals */
	struct fstring_frame frames[FRAMES_MAX];
};

static bool push_frame(struct fstring_reader *r, struct fstring_frame frame)
{
	if (r->depth == FRAMES_MAX || (frame.mode == MODE_LITERAL && r->strings == FSTRINGS_MAX)) {
		lexer_problem(r->lexer, "f-strings nest too deeply", r->at, 1);
		return false;
	}
	r->strings += frame.mode == MODE_LITERAL;
	r->frames[r->depth++] = frame;
	return true;
}

static void pop_frame(struct fstring_reader *r)
{
	r->depth--;
	r->strings -= r->frames[r->depth].mode == MODE_LITERAL;
}

static bool push_literal(struct fstring_reader *r, const struct string_start *start)
{
	return push_frame(r, (struct fstring_frame){.mode = MODE_LITERAL,
	                                            .quote = start->quote,
	                                            .quotes = start->quotes});
}

static bool step_brace(struct fstring_reader *r, const struct fstring_frame *frame)
{
	bool spec = frame->mode == MODE_SPEC, open = slice_at(r->text, r->at) == '{';
	struct fstring_frame field = *frame;
	if (!spec && slice_at(r->text, r->at + 1) == slice_at(r->text, r->at)) {
		r->at += 2;
		return true;
	}
	field.mode = MODE_FIELD;
	field.brackets = r->lexer->field_brackets.count;
	if (open && !push_frame(r, field))
		return false;
	if (!open && spec)
		pop_frame(r);
	r->at++;
	return true;
}

/* One step between the quotes or in a format spec. Returns false if the text is not an f-string. */
static bool step_text(struct fstring_reader *r)
{
	const struct fstring_frame *frame = &r->frames[r->depth - 1];
	char c = slice_at(r->text, r->at), q = frame->quote;
	if (c == q && (frame->quotes == 1 ||
	               (slice_at(r->text, r->at + 1) == q && slice_at(r->text, r->at + 2) == q))) {
		r->at += frame->quotes;
		if (frame->mode == MODE_SPEC)
			return false;
		pop_frame(r);
		return true;
	}
	if (c == '\\') {
		/* "\N{BULLET}" needs no special case: the lexer may read the name as a field. */
		size_t line_end = scan_continuation(slice_tail(r->text, r->at));
		if (line_end > 0)
			r->at += line_end;
		else if (slice_at(r->text, r->at + 1) == '{' || slice_at(r->text, r->at + 1) == '}')
			r->at += 1;
		else
			r->at += 2;
		return true;
	}
	if (c == '{' || c == '}')
		return step_brace(r, frame);
	r->at++;
	/* A line end in a format spec is allowed since 3.12. */
	return (c != '\n' && c != '\r') || frame->quotes == 3 || frame->mode == MODE_SPEC;
}

static bool step_punctuation(struct fstring_reader *r, char c)
{
	struct fstring_frame *frame = &r->frames[r->depth - 1];
	size_t skip = 1, *brackets = &r->lexer->field_brackets.count;
	if (c == '\\') {
		skip = scan_continuation(slice_tail(r->text, r->at));
	} else if (c == '#') {
		skip = scan_to_line_end(slice_tail(r->text, r->at));
	} else if (c == '(' || c == '[' || c == '{') {
		vec_push(r->lexer->arena, &r->lexer->field_brackets, c);
	} else if (c == ')' || c == ']' || c == '}') {
		r->at++;
		if (*brackets > frame->brackets)
			return lexer_brackets_match(r->lexer->field_brackets.items[--*brackets], c);
		if (c == '}')
			pop_frame(r);
		return c == '}';
	} else if (c == ':' && *brackets == frame->brackets) {
		frame->mode = MODE_SPEC;
	} else if (c == '$' || c == '?' || c == '`' || c == '\0') {
		return false;
	}
	r->at += skip;
	return skip > 0;
}

/* One step in a field. Returns false if the text is not an f-string. */
static bool step_field(struct fstring_reader *r)
{
	struct string_start start;
	char c = slice_at(r->text, r->at);
	if (!is_name_byte(c) && c != '"' && c != '\'')
		return step_punctuation(r, c);
	if (string_starts(slice_tail(r->text, r->at), &start)) {
		size_t from = r->at + start.prefix + start.quotes;
		if (!start.format)
			return string_find_end(r->text, from, &start, &r->at) == STRING_CLOSED;
		r->at = from;
		return push_literal(r, &start);
	}
	while (is_name_byte(slice_at(r->text, r->at)))
		r->at++;
	return true;
}

/* The offset after the f-string whose contents begin at FROM, according to PEP 701. Returns 0 if
 * this fails; *REACHED is then how far it read. */
static size_t fstring_find_end(struct lexer *lexer, size_t from, const struct string_start *start,
                               size_t *reached)
{
	struct fstring_reader r; /* its frames are large, and each is written before it is read */
	r.lexer = lexer;
	r.text = lexer->text;
	r.at = from;
	r.depth = r.strings = 0;
	lexer->field_brackets.count = 0;
	bool ok = push_literal(&r, start);
	while (ok && r.depth > 0 && r.at < r.text.len)
		ok = r.frames[r.depth - 1].mode == MODE_FIELD ? step_field(&r) : step_text(&r);
	*reached = r.at < r.text.len ? r.at : r.text.len;
	return ok && r.depth == 0 && r.at <= r.text.len ? r.at : 0;
}

/* ---- strings ---- */

/* True for the letters of a string prefix, in any case and order: r u b f t, and r with b, f or
 * t. */
static bool prefix_is_valid(struct slice prefix, struct string_start *out)
{
	unsigned r = 0, format = 0, other = 0;
	for (size_t i = 0; i < prefix.len; i++) {
		char c = ascii_lower(prefix.ptr[i]);
		r += c == 'r';
		format += c == 'f' || c == 't';
		other += c == 'b' || (c == 'u' && prefix.len == 1);
	}
	out->format = format > 0;
	return r <= 1 && format + other <= 1 && r + format + other == prefix.len;
}

bool string_starts(struct slice rest, struct string_start *out)
{
	size_t n = 0;
	while (n < 2 && n < rest.len && ascii_is_alpha(rest.ptr[n]))
		n++;
	if (n >= rest.len || (rest.ptr[n] != '"' && rest.ptr[n] != '\''))
		return false;
	char quote = rest.ptr[n];
	bool triple = n + 2 < rest.len && rest.ptr[n + 1] == quote && rest.ptr[n + 2] == quote;
	*out = (struct string_start){(uint32_t)n, triple ? 3 : 1, quote, false};
	return prefix_is_valid(slice_sub(rest, 0, n), out);
}

/* As in tokenize, the text after the quote is lexed as code. But if the string continued over a
 * line end, it takes all of its last line, including the line end. */
static void lex_unclosed(struct lexer *lexer, const struct string_start *start, bool continued,
                         size_t end)
{
	lexer_problem(lexer, "a string is not closed before the end of its line",
	              lexer->at + start->prefix, 1);
	if (continued) {
		end += scan_line_end(slice_tail(lexer->text, end));
		lexer_push(lexer, TOKEN_ERROR, end - lexer->at);
		return;
	}
	if (start->prefix > 0)
		lexer_push(lexer, TOKEN_NAME, start->prefix);
	lexer_push(lexer, TOKEN_ERROR, 1);
	lexer->unclosed[start->quote == '"'] = (uint32_t)end;
}

void string_lex(struct lexer *lexer, const struct string_start *start)
{
	size_t from = lexer->at + start->prefix + start->quotes, end = 0;
	enum token_kind kind = start->format ? TOKEN_FSTRING : TOKEN_STRING;
	if (start->format && lexer->fstring_budget > 0) {
		size_t reached = from;
		end = fstring_find_end(lexer, from, start, &reached);
		if (end > 0) {
			lexer_push(lexer, kind, end - lexer->at);
			return;
		}
		size_t cost = reached - from + 1;
		lexer->fstring_budget -=
		        cost < lexer->fstring_budget ? cost : lexer->fstring_budget;
	}
	/* An unsuccessful search to a line's end is not repeated from every quote. */
	uint32_t unclosed = lexer->unclosed[start->quote == '"'];
	if (start->quotes == 1 && lexer->at < unclosed) {
		lex_unclosed(lexer, start, false, unclosed);
		return;
	}
	enum string_end found = string_find_end(lexer->text, from, start, &end);
	if (found == STRING_CLOSED) {
		lexer_push(lexer, kind, end - lexer->at);
	} else if (start->quotes == 3) {
		lexer_problem(lexer, "a triple-quoted string is never closed", lexer->at, 1);
		lexer_push(lexer, TOKEN_ERROR, end - lexer->at);
	} else {
		lex_unclosed(lexer, start, found == STRING_CONTINUED_OPEN, end);
	}
}
