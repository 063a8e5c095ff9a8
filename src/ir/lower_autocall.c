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

/* As IPython makes it of TEXT, the lines behind the escape joined: a blank parts name and words. Empty where
 * that is no call in Python. */
static struct slice call_of(const struct site *site, struct slice text, char escape)
{
	struct lexed_cell lexed;
	struct strbuf out;
	size_t blank = slice_find(text, ' ', 0);
	struct slice name = slice_trim(slice_sub(text, 0, blank));
	strbuf_init(&out, site->context->arena);
	strbuf_printf(&out, "%.*s(", SLICE_ARG(name));
	add_arguments(&out, slice_sub(text, blank + 1, text.len), escape);
	strbuf_addc(&out, ')');
	site_lex(site, strbuf_slice(&out), &lexed);
	bool is_call = is_dotted_name(name) && !lexed.broken;
	return is_call ? strbuf_slice(&out) : slice_make("", 0);
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
	strbuf_puts(&out, shown ? "_nbscorep_echo(" : "");
	strbuf_add(&out, slice_sub(call, 0, call.len - 1));
	site_add_line_ends(site, &out);
	strbuf_puts(&out, shown ? "))" : ")");
	site_replace(site, strbuf_slice(&out));
	if (shown)
		site_needs(site, SLICE("echo"));
}
