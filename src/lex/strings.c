#include "lex/strings.h"

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
 * with the same quotes, comments and line ends. The functions return false if the text is not such a string. */

enum {
	FSTRINGS_MAX = 100, /* nested f-strings; CPython's limit is 150 */
	DEPTH_MAX = 4 * FSTRINGS_MAX,
};

struct fstring_reader {
	struct lexer *lexer;
	struct slice text;
	size_t at;
	unsigned depth, strings; /* open strings and fields, and how many of them are strings */
};

static bool read_text(struct fstring_reader *r, const struct string_start *start, bool is_spec);

static bool is_too_deep(const struct fstring_reader *r, bool is_string)
{
	if (r->depth < DEPTH_MAX && !(is_string && r->strings == FSTRINGS_MAX))
		return false;
	lexer_problem(r->lexer, "f-strings nest too deeply", r->at, 1);
	return true;
}

/* Reads the contents of the string that begins with START, and its closing quote. */
static bool read_fstring(struct fstring_reader *r, const struct string_start *start)
{
	if (is_too_deep(r, true))
		return false;
	r->depth++;
	r->strings++;
	bool closes = read_text(r, start, false);
	r->depth--;
	r->strings--;
	return closes;
}

/* Reads a field after its "{", and its "}". START: the string that contains it. */
static bool read_field(struct fstring_reader *r, const struct string_start *start)
{
	size_t *brackets = &r->lexer->field_brackets.count, outer = *brackets;
	while (r->at < r->text.len) {
		char c = slice_at(r->text, r->at);
		struct slice rest = slice_tail(r->text, r->at);
		struct string_start inner;
		if (string_starts(rest, &inner)) {
			r->at += inner.prefix + inner.quotes;
			bool closes = inner.format ? read_fstring(r, &inner)
			                           : string_find_end(r->text, r->at, &inner,
			                                             &r->at) == STRING_CLOSED;
			if (!closes)
				return false;
			continue;
		}
		if (is_name_byte(c)) {
			while (is_name_byte(slice_at(r->text, r->at)))
				r->at++;
			continue;
		}
		size_t skip = c == '\\'  ? scan_continuation(rest)
		              : c == '#' ? scan_to_line_end(rest)
		                         : 1;
		r->at += skip;
		if (skip == 0 || c == '$' || c == '?' || c == '`' || c == '\0')
			return false;
		if (c == '(' || c == '[' || c == '{') {
			vec_push(r->lexer->arena, &r->lexer->field_brackets, c);
		} else if (c == ')' || c == ']' || c == '}') {
			if (*brackets == outer)
				return c == '}';
			if (!lexer_brackets_match(r->lexer->field_brackets.items[--*brackets], c))
				return false;
		} else if (c == ':' && *brackets == outer) {
			return read_text(r, start, true);
		}
	}
	return false;
}

/* Reads text up to the closing quote of the string that begins with START or, in a format spec, up to its "}". */
static bool read_text(struct fstring_reader *r, const struct string_start *start, bool is_spec)
{
	char q = start->quote;
	while (r->at < r->text.len) {
		char c = slice_at(r->text, r->at), next = slice_at(r->text, r->at + 1);
		if (c == q &&
		    (start->quotes == 1 || (next == q && slice_at(r->text, r->at + 2) == q))) {
			r->at += start->quotes;
			return !is_spec;
		}
		if (c == '\\') {
			/* "\N{BULLET}" needs no special case: the lexer may read the name as a field. */
			size_t line_end = scan_continuation(slice_tail(r->text, r->at));
			r->at += line_end > 0 ? line_end : next == '{' || next == '}' ? 1 : 2;
		} else if ((c == '{' || c == '}') && !is_spec && next == c) {
			r->at += 2;
		} else if (c == '{') {
			if (is_too_deep(r, false))
				return false;
			r->at++;
			r->depth++;
			if (!read_field(r, start))
				return false;
			r->depth--;
		} else {
			r->at++;
			if (c == '}' && is_spec)
				return true;
			/* A line end in a format spec is allowed since 3.12. */
			if ((c == '\n' || c == '\r') && start->quotes == 1 && !is_spec)
				return false;
		}
	}
	return false;
}

/* ---- strings ---- */

bool string_starts(struct slice rest, struct string_start *out)
{
	size_t n = 0;
	while (n < 2 && n < rest.len && ascii_is_alpha(rest.ptr[n]))
		n++;
	if (n >= rest.len || (rest.ptr[n] != '"' && rest.ptr[n] != '\''))
		return false;
	char quote = rest.ptr[n];
	bool triple = n + 2 < rest.len && rest.ptr[n + 1] == quote && rest.ptr[n + 2] == quote;
	/* The letters of a prefix, in any case and order: r u b f t, and r with b, f or t. */
	unsigned r = 0, format = 0, other = 0;
	for (size_t i = 0; i < n; i++) {
		char c = ascii_lower(rest.ptr[i]);
		r += c == 'r';
		format += c == 'f' || c == 't';
		other += c == 'b' || (c == 'u' && n == 1);
	}
	*out = (struct string_start){(uint32_t)n, triple ? 3 : 1, quote, format > 0};
	return r <= 1 && format + other <= 1 && r + format + other == n;
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
		struct fstring_reader reader = {.lexer = lexer, .text = lexer->text, .at = from};
		lexer->field_brackets.count = 0;
		if (read_fstring(&reader, start)) {
			lexer_push(lexer, kind, reader.at - lexer->at);
			return;
		}
		size_t reached = reader.at < lexer->text.len ? reader.at : lexer->text.len;
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
