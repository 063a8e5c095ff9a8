#include "lex/strings.h"

#include "lex/fstring.h"
#include "lex/lexer.h"
#include "lex/python_lexer.h"
#include "lex/scan.h"

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

static enum string_end find_triple(struct slice text, size_t from, char quote, size_t *end)
{
	for (size_t at = from; at < text.len; at++) {
		if (text.ptr[at] == '\\') {
			at++;
		} else if (text.ptr[at] == quote && text.len - at >= 3 &&
		           text.ptr[at + 1] == quote && text.ptr[at + 2] == quote) {
			*end = at + 3;
			return STRING_CLOSED;
		}
	}
	*end = text.len;
	return STRING_UNCLOSED;
}

enum string_end string_find_end(struct slice text, size_t from, const struct string_start *start,
                                size_t *end)
{
	if (start->quotes == 3)
		return find_triple(text, from, start->quote, end);
	bool continued = false;
	size_t at = from;
	while (at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') {
		size_t line_end = scan_continuation(slice_sub(text, at, text.len));
		if (line_end > 0) {
			continued = true;
			at += line_end;
		} else if (text.ptr[at] == '\\') {
			at += 2;
		} else if (text.ptr[at++] == start->quote) {
			*end = at;
			return STRING_CLOSED;
		}
	}
	*end = at < text.len ? at : text.len;
	return continued ? STRING_CONTINUED_OPEN : STRING_UNCLOSED;
}

static void lex_unclosed_triple(struct lexer *lexer, size_t end)
{
	lexer_problem(lexer, "a triple-quoted string is never closed", lexer->at, 1);
	lexer_push(lexer, TOKEN_ERROR, end - lexer->at);
}

/* As in tokenize, the text after the quote is lexed as code. But if the string continued over a
 * line end, it takes all of its last line, including the line end. */
static void lex_unclosed(struct lexer *lexer, const struct string_start *start, bool continued,
                         size_t end)
{
	lexer_problem(lexer, "a string is not closed before the end of its line",
	              lexer->at + start->prefix, 1);
	if (continued) {
		end += scan_line_end(slice_sub(lexer->text, end, lexer->text.len));
		lexer_push(lexer, TOKEN_ERROR, end - lexer->at);
		return;
	}
	if (start->prefix > 0)
		lexer_push(lexer, TOKEN_NAME, start->prefix);
	lexer_push(lexer, TOKEN_ERROR, 1);
	lexer->unclosed[start->quote == '"'] = (uint32_t)end;
}

static size_t find_fstring(struct lexer *lexer, size_t from, const struct string_start *start)
{
	if (lexer->fstring_budget == 0)
		return 0;
	size_t reached = from;
	size_t end = fstring_find_end(lexer, from, start, &reached);
	if (end == 0) {
		size_t cost = reached - from + 1;
		lexer->fstring_budget -=
		        cost < lexer->fstring_budget ? cost : lexer->fstring_budget;
	}
	return end;
}

void string_lex(struct lexer *lexer, const struct string_start *start)
{
	size_t from = lexer->at + start->prefix + start->quotes, end = 0;
	enum token_kind kind = start->format ? TOKEN_FSTRING : TOKEN_STRING;
	if (start->format && (end = find_fstring(lexer, from, start)) > 0) {
		lexer_push(lexer, kind, end - lexer->at);
		return;
	}
	/* An unsuccessful search to a line's end is not repeated from every quote. */
	uint32_t unclosed = lexer->unclosed[start->quote == '"'];
	if (start->quotes == 1 && lexer->at < unclosed) {
		lex_unclosed(lexer, start, false, unclosed);
		return;
	}
	enum string_end found = string_find_end(lexer->text, from, start, &end);
	if (found == STRING_CLOSED)
		lexer_push(lexer, kind, end - lexer->at);
	else if (start->quotes == 3)
		lex_unclosed_triple(lexer, end);
	else
		lex_unclosed(lexer, start, found == STRING_CONTINUED_OPEN, end);
}
