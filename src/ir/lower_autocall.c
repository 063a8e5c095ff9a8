/* The escapes that call a function without brackets. */
#include "base/utf8.h"
#include "ir/lower.h"

/* IPython puts the quotes around the words as they are. */
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

static bool is_dotted_name(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!ascii_is_alnum(text.ptr[i]) && text.ptr[i] != '_' && text.ptr[i] != '.')
			return false;
	}
	return text.len > 0 && !ascii_is_digit(text.ptr[0]);
}

/* ",f a b" is f("a", "b"), ";f a b" is f("a b"), "/f a b" is f(a, b). */
void lower_autocall(const struct site *site)
{
	const struct magic *magic = site->magic;
	char escape = site->block->code.text.ptr[magic->offset];
	struct slice rest =
	        slice_sub(site->block->code.text, magic->offset + 1, magic->offset + magic->len);
	struct slice name = slice_next_word(&rest);
	if (!is_dotted_name(name)) {
		site_drop(site);
		return;
	}
	bool shown = site_shows_value(site);
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_puts(&out, shown ? "_nbscorep_echo(" : "");
	strbuf_printf(&out, "%.*s(", SLICE_ARG(name));
	add_arguments(&out, slice_trim(rest), escape);
	site_add_line_ends(site, &out);
	strbuf_puts(&out, shown ? "))" : ")");
	site_replace(site, strbuf_slice(&out));
	if (shown)
		site_needs(site, SLICE("echo"));
}
