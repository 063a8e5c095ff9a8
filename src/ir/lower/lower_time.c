/* %time: its statement stays Python, in a context that measures the time. */
#include "ir/lower/lower_time.h"

#include "base/quote.h"
#include "ir/lower/lower.h"
#include "ir/lower/lower_call.h"
#include "ir/lower/lower_site.h"
#include "lex/statements.h"
#include "lex/syntax.h"
#include "lex/syntax_values.h"

/* The text after %time. */
struct timed {
	const struct site *site;
	struct slice text;
	struct lexed_cell lexed;
};

/* Returns the only line that is not blank, or NULL. */
static const struct logical_line *only_line(const struct lexed_cell *lexed)
{
	const struct logical_line *found = NULL;
	for (size_t i = 0; i < lexed->logical.count; i++) {
		const struct logical_line *line = &lexed->logical.items[i];
		if (line->kind == LINE_BLANK)
			continue;
		if (found != NULL)
			return NULL;
		found = line;
	}
	return found;
}

/* True for code that would be invalid in a context, or would affect the cell. */
static bool belongs_elsewhere(const struct lexed_cell *lexed, uint32_t at)
{
	static const struct slice words[] = {
	        SLICE_INIT("await"),  SLICE_INIT("async"),    SLICE_INIT("yield"),
	        SLICE_INIT("return"), SLICE_INIT("break"),    SLICE_INIT("continue"),
	        SLICE_INIT("global"), SLICE_INIT("nonlocal"),
	};
	struct slice text = token_text(lexed, &lexed->tokens.items[at]);
	enum token_kind kind = lexed->tokens.items[at].kind;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (kind == TOKEN_NAME && slice_eq(text, words[i]))
			return true;
		if (kind == TOKEN_FSTRING && slice_find_slice(text, words[i], 0) < text.len)
			return true;
	}
	if (kind != TOKEN_NAME || !slice_eq(text, SLICE("import")))
		return false;
	uint32_t count = (uint32_t)lexed->tokens.count;
	return syntax_is(lexed, syntax_next(lexed, at + 1, count), SLICE("*"));
}

/* True for a name before another operand, as in Python 2's `print x`: this syntax error would make
 * the whole script invalid. */
static bool lacks_operator(const struct lexed_cell *lexed, uint32_t at)
{
	uint32_t count = (uint32_t)lexed->tokens.count, next = syntax_next(lexed, at + 1, count);
	const struct token *token = &lexed->tokens.items[at];
	if (token->kind != TOKEN_NAME || next == count ||
	    syntax_is_keyword(token_text(lexed, token)))
		return false;
	const struct token *behind = &lexed->tokens.items[next];
	return behind->kind == TOKEN_NUMBER || behind->kind == TOKEN_STRING ||
	       behind->kind == TOKEN_FSTRING ||
	       (behind->kind == TOKEN_NAME && !syntax_is_keyword(token_text(lexed, behind)));
}

/* True if the text is valid after "with f():" on one line, with the same meaning as alone. */
static bool is_simple(const struct timed *timed)
{
	const struct lexed_cell *lexed = &timed->lexed;
	if (lexed->broken || slice_find(lexed->text, '\n', 0) < lexed->text.len ||
	    lexed->cell_magics.count > 0)
		return false;
	for (uint32_t i = 0; i < lexed->tokens.count; i++) {
		if (belongs_elsewhere(lexed, i) || lacks_operator(lexed, i))
			return false;
	}
	struct syntax_cursor cursor = {0};
	struct syntax_statement statement;
	while (syntax_next_statement(lexed, &cursor, &statement)) {
		if (statement.header)
			return false;
	}
	return true;
}

/* The value of the last expression is shown after the times. */
static void add_kept(const struct timed *timed, struct strbuf *out)
{
	const struct lexed_cell *lexed = &timed->lexed;
	uint32_t first, last;
	bool is_tuple, semicolon;
	if (!site_shows_value(timed->site) ||
	    !syntax_last_value(lexed, &first, &last, &is_tuple, &semicolon)) {
		strbuf_add(out, timed->text);
		return;
	}
	uint32_t start = lexed->tokens.items[first].offset;
	uint32_t end = lexed->tokens.items[last].offset + lexed->tokens.items[last].len;
	strbuf_add(out, slice_sub(lexed->text, 0, start));
	strbuf_puts(out, is_tuple ? PACKAGE_ALIAS ".timed_value((" : PACKAGE_ALIAS ".timed_value(");
	strbuf_add(out, slice_sub(lexed->text, start, end));
	strbuf_puts(out, is_tuple ? "))" : ")");
	strbuf_add(out, slice_sub(lexed->text, end, lexed->text.len));
}

/* %time !command, %time %magic. */
static bool add_magic(const struct timed *timed, const struct logical_line *line,
                      struct strbuf *out)
{
	const struct magic *magic = &timed->lexed.magics.items[line->magic];
	struct call call;
	if (magic_has_header(magic) || !lower_to_call(timed->site, magic, &call))
		return false;
	timed->site->program->effects |= call.effect;
	strbuf_puts(out, ": ");
	if (magic->assigned)
		strbuf_printf(out, "%.*s = ", SLICE_ARG(magic->target));
	bool shown = site_shows_value(timed->site) && call.gives_value && !magic->assigned;
	strbuf_puts(out, shown ? PACKAGE_ALIAS ".timed_value(" : "");
	call_add(timed->site, &call, false, out);
	strbuf_puts(out, shown ? ")" : "");
	return true;
}

/* x = %time expression. */
static bool is_expression(const struct timed *timed)
{
	uint32_t first, last;
	bool is_tuple;
	return syntax_last_expression(&timed->lexed, &first, &last, &is_tuple) &&
	       syntax_next(&timed->lexed, 0, (uint32_t)timed->lexed.tokens.count) == first;
}

/* Appends ": statement" to the context. */
static bool add_statement(const struct timed *timed, struct strbuf *out)
{
	const struct logical_line *line = only_line(&timed->lexed);
	bool is_empty = line == NULL && (timed->text.len == 0 || timed->text.ptr[0] == '#');
	if (is_empty) {
		strbuf_puts(out, ": pass  ");
		strbuf_add(out, timed->text);
		return true;
	}
	if (line == NULL || timed->lexed.broken)
		return false;
	if (line->kind == LINE_MAGIC)
		return add_magic(timed, line, out);
	if (!is_simple(timed))
		return false;
	strbuf_puts(out, ": ");
	add_kept(timed, out);
	return true;
}

/* x = %time expression: the context is inserted before it. A continued line is not replaced, since
 * no brackets could contain its line ends. */
static bool replace_expression(const struct timed *timed)
{
	const struct site *site = timed->site;
	struct strbuf line_ends;
	strbuf_init(&line_ends, site->context->arena);
	site_add_line_ends(site, &line_ends);
	if (line_ends.len > 0 || magic_has_header(site->magic) ||
	    only_line(&timed->lexed) == NULL || !is_simple(timed) || !is_expression(timed))
		return false;
	site_put_before(site, SLICE("with " PACKAGE_ALIAS ".timed(): "));
	site_replace(site, timed->text);
	return true;
}

static bool replace_statement(const struct timed *timed)
{
	const struct site *site = timed->site;
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_puts(&out, "with " PACKAGE_ALIAS ".timed(");
	if ((site->program->effects & NEED_OUTPUTS) != 0)
		strbuf_printf(&out, "%u", site->block->count);
	site_add_line_ends(site, &out);
	strbuf_addc(&out, ')');
	if (!add_statement(timed, &out))
		return false;
	site_replace(site, strbuf_slice(&out));
	return true;
}

void lower_time(const struct site *site)
{
	struct timed timed = {.site = site, .text = site->magic->args};
	site_lex(site, timed.text, &timed.lexed);
	if (site->magic->assigned ? replace_expression(&timed) : replace_statement(&timed))
		return;
	struct call call;
	(void)lower_to_call(site, site->magic, &call);
	call_replace(site, &call);
}
