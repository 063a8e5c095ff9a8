#include "diag/diag_report_text.h"

#include "base/utf8.h"
#include "diag/diag_report.h"

/* How many characters of a source line are shown, and how many of them before the place. */
enum { SHOWN = 120, SHOWN_BEFORE = 60, INDENT = 4 };

/* Escape sequences (ECMA-48 SGR), or empty strings. */
struct style {
	const char *bold, *severity, *hint, *caret, *reset;
};

static struct style style_for(bool color, enum severity severity)
{
	if (!color)
		return (struct style){"", "", "", "", ""};
	struct style style = {"\033[1m", "\033[1;36m", "\033[1;36m", "\033[1;32m", "\033[0m"};
	if (severity == SEVERITY_ERROR)
		style.severity = "\033[1;31m";
	else if (severity == SEVERITY_WARNING)
		style.severity = "\033[1;35m";
	return style;
}

static unsigned shown_width(int32_t c)
{
	return utf8_acts(c) ? 1 : utf8_width(c);
}

/* Appends S with U+FFFD in place of characters that act on a terminal. Keeps tabs if KEEP_TABS. */
static void add_visible(struct strbuf *out, struct slice s, bool keep_tabs)
{
	for (size_t at = 0, len; at < s.len; at += len) {
		int32_t c = utf8_decode(slice_sub(s, at, s.len), &len);
		if (utf8_acts(c) && !(keep_tabs && c == '\t'))
			strbuf_puts(out, "\xEF\xBF\xBD");
		else
			strbuf_add(out, slice_sub(s, at, at + len));
	}
}

/* The offset of character number COUNT, or the length. */
static size_t skip_characters(struct slice s, size_t count)
{
	size_t at = 0;
	for (size_t len; at < s.len && count > 0; at += len, count--)
		utf8_decode(slice_sub(s, at, s.len), &len);
	return at;
}

/* A source line split into parts around the place. */
struct excerpt {
	bool cut_front, cut_end;
	struct slice before, place, after;
};

static struct excerpt excerpt_of(const struct location *where)
{
	size_t count = utf8_length(where->text);
	size_t column = where->column > where->skipped ? where->column - where->skipped - 1 : 0;
	if (column > count)
		column = count;
	size_t from = 0, to = count;
	if (count > SHOWN) {
		from = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
		to = from + SHOWN < count ? from + SHOWN : count;
	}
	size_t place_end = where->length < to - column ? column + where->length : to;
	struct slice text = where->text;
	size_t a = skip_characters(text, from), b = skip_characters(text, column);
	size_t c = skip_characters(text, place_end), d = skip_characters(text, to);
	return (struct excerpt){from > 0 || where->skipped > 0, to < count, slice_sub(text, a, b),
	                        slice_sub(text, b, c), slice_sub(text, c, d)};
}

/* Appends as many columns of blanks as S takes. A tab stays a tab, so that both lines reach the
 * same tab stop. */
static void add_blanks_for(struct strbuf *out, struct slice s)
{
	for (size_t at = 0, len; at < s.len; at += len) {
		int32_t c = utf8_decode(slice_sub(s, at, s.len), &len);
		if (c == '\t')
			strbuf_addc(out, '\t');
		else
			strbuf_fill(out, ' ', shown_width(c));
	}
}

static void add_source(struct strbuf *out, const struct style *style, const struct location *where)
{
	struct excerpt excerpt = excerpt_of(where);
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, excerpt.cut_front ? "..." : "");
	add_visible(out, excerpt.before, true);
	add_visible(out, excerpt.place, true);
	add_visible(out, excerpt.after, true);
	strbuf_puts(out, excerpt.cut_end ? "...\n" : "\n");
	if (where->column == 0)
		return;
	strbuf_fill(out, ' ', INDENT + (excerpt.cut_front ? 3 : 0));
	add_blanks_for(out, excerpt.before);
	strbuf_puts(out, style->caret);
	/* "^~~~" up to the place's first tab, whose width only the terminal knows. */
	size_t columns = 0;
	for (size_t at = 0, len; at < excerpt.place.len && excerpt.place.ptr[at] != '\t'; at += len)
		columns += shown_width(
		        utf8_decode(slice_sub(excerpt.place, at, excerpt.place.len), &len));
	strbuf_addc(out, '^');
	strbuf_fill(out, '~', columns > 1 ? columns - 1 : 0);
	strbuf_printf(out, "%s\n", style->reset);
}

void diag_report_text_diag(struct strbuf *out, bool color, struct slice name,
                           const struct diag *diag)
{
	struct style style = style_for(color, diag->severity);
	strbuf_puts(out, style.bold);
	add_visible(out, name, false);
	if (diag->where.cell > 0)
		strbuf_printf(out, ":cell %u", diag->where.cell);
	if (diag->where.line > 0)
		strbuf_printf(out, ":%u", diag->where.line);
	if (diag->where.line > 0 && diag->where.column > 0)
		strbuf_printf(out, ":%u", diag->where.column);
	strbuf_addc(out, ':');
	strbuf_printf(out, "%s %s%s:%s ", style.reset, style.severity,
	              diag_severity_name(diag->severity), style.reset);
	add_visible(out, diag->message, false);
	strbuf_printf(out, " [%s]\n", diag_row(diag->kind)->name);
	if (diag->where.line > 0 && diag->where.text.len > 0)
		add_source(out, &style, &diag->where);
	if (diag->hint.len > 0) {
		strbuf_fill(out, ' ', INDENT);
		strbuf_printf(out, "%shint:%s ", style.hint, style.reset);
		add_visible(out, diag->hint, false);
		strbuf_addc(out, '\n');
	}
}
