/* The escapes that call a function without parentheses. */
#include "ir/lower/lower_autocall.h"

#include <string.h>

#include "base/utf8.h"
#include "ir/lower/lower.h"
#include "ir/lower/lower_site.h"
#include "lex/statements.h"
#include "lex/syntax.h"

/* IPython puts quotes around the words without escaping them. */
static void add_arguments(struct strbuf *out, struct slice words, char escape)
{
	const char *quote = escape == '/' ? "" : "\"";
	strbuf_puts(out, quote);
	if (escape == ';')
		strbuf_add(out, words);
	struct slice word;
	for (bool first = true; escape != ';' && (word = slice_next_word(&words)).len > 0;
	     first = false) {
		if (!first)
			strbuf_printf(out, "%s, %s", quote, quote);
		strbuf_add(out, word);
	}
	strbuf_puts(out, quote);
}

static bool is_name(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!ascii_is_alnum(text.ptr[i]) && text.ptr[i] != '_')
			return false;
	}
	return text.len > 0 && !ascii_is_digit(text.ptr[0]) && !syntax_is_keyword(text);
}

static bool is_dotted_name(struct slice text)
{
	while (text.len > 0) {
		size_t dot = slice_find(text, '.', 0);
		if (!is_name(slice_sub(text, 0, dot)))
			return false;
		if (dot == text.len)
			return true;
		text = slice_sub(text, dot + 1, text.len);
	}
	return false;
}

/* True if WORDS in quotes are valid string literals. */
static bool fits_quotes(struct slice words)
{
	for (size_t i = 0; i < words.len; i++) {
		if (words.ptr[i] == '"')
			return false;
		if (words.ptr[i] != '\\')
			continue;
		i++;
		if (i == words.len || strchr("xuUN", words.ptr[i]) != NULL)
			return false;
	}
	return true;
}

/* True if WORD may be an argument: its brackets, strings and ends are valid. */
static bool is_argument(const struct site *site, struct slice word)
{
	struct lexed_cell lexed;
	char first = word.ptr[0], last = word.ptr[word.len - 1];
	bool begins = ascii_is_alnum(first) || strchr("_\"'([{-+~*", first) != NULL;
	bool ends = ascii_is_alnum(last) || strchr("_\"')]}", last) != NULL;
	if (!begins || !ends || slice_find(word, '#', 0) < word.len ||
	    slice_find(word, ';', 0) < word.len)
		return false;
	site_lex(site, word, &lexed);
	return !lexed.broken && lexed.magics.count == 0;
}

static bool are_arguments(const struct site *site, struct slice words, char escape)
{
	struct slice word;
	if (escape != '/')
		return fits_quotes(words);
	while ((word = slice_next_word(&words)).len > 0) {
		if (!is_argument(site, word))
			return false;
	}
	return true;
}

/* Returns the call that IPython makes of TEXT, the joined lines after the escape, without its
 * closing parenthesis. A blank separates name and words. Empty if the result is not valid
 * Python. */
static struct slice call_of(const struct site *site, struct slice text, char escape)
{
	struct strbuf out;
	size_t blank = slice_find(text, ' ', 0);
	struct slice name = slice_trim(slice_sub(text, 0, blank));
	struct slice words = slice_sub(text, blank + 1, text.len);
	if (!is_dotted_name(name) || !are_arguments(site, words, escape))
		return slice_make("", 0);
	strbuf_init(&out, site->context->arena);
	strbuf_printf(&out, "%.*s(", SLICE_ARG(name));
	add_arguments(&out, words, escape);
	return strbuf_slice(&out);
}

/* ",f a b" is f("a", "b"), ";f a b" is f("a b"), "/f a b" is f(a, b). */
void lower_autocall(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct slice text =
	        slice_sub(site->block->code.text, magic->offset, magic->offset + magic->len);
	bool is_nameless = text.len > 1 && text.ptr[1] == ' ';
	struct slice call =
	        is_nameless ? slice_make("", 0) : call_of(site, magic->args, text.ptr[0]);
	if (call.len == 0) {
		site_drop(site);
		return;
	}
	bool shown = site_shows_value(site);
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_add(&out, shown ? site_echo(site) : slice_make("", 0));
	strbuf_add(&out, call);
	site_add_line_ends(site, &out);
	strbuf_puts(&out, shown ? "))" : ")");
	site_replace(site, strbuf_slice(&out));
}
