#include "base/quote.h"

#include "base/utf8.h"

/* Appends TEXT with REPLACEMENT for each character that HIDES. */
static void add_replacing(struct strbuf *out, struct slice text, bool (*hides)(int32_t cp),
                          const char *replacement)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t cp = utf8_decode(slice_tail(text, at), &len);
		if (hides(cp))
			strbuf_puts(out, replacement);
		else
			strbuf_add(out, slice_sub(text, at, at + len));
	}
}

#define REPLACEMENT "\xEF\xBF\xBD"

void terminal_text(struct strbuf *out, struct slice text)
{
	add_replacing(out, text, utf8_acts, REPLACEMENT);
}

/* Characters that would end a line, or reorder or hide text in the script. */
static bool is_unprintable(int32_t cp)
{
	return utf8_acts(cp) || (cp >= 0x200B && cp <= 0x200D) || cp == 0xFEFF;
}

void python_string(struct strbuf *out, struct slice text)
{
	strbuf_addc(out, '"');
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t cp = utf8_decode(slice_tail(text, at), &len);
		if (cp == UTF8_INVALID)
			strbuf_printf(out, "\\udc%02x", (unsigned char)text.ptr[at]);
		else if (cp == '\n' || cp == '\t' || cp == '\r')
			strbuf_printf(out, "\\%c", cp == '\n' ? 'n' : cp == '\t' ? 't' : 'r');
		else if (is_unprintable(cp))
			strbuf_printf(out, cp < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)cp);
		else if (cp == '"' || cp == '\\')
			strbuf_printf(out, "\\%c", (char)cp);
		else
			strbuf_add(out, slice_sub(text, at, at + len));
	}
	strbuf_addc(out, '"');
}

static bool is_hidden_in_comment(int32_t cp)
{
	return cp != '\t' && is_unprintable(cp);
}

void python_comment_line(struct strbuf *out, struct slice line, unsigned indent)
{
	strbuf_fill(out, ' ', indent);
	strbuf_addc(out, '#');
	line = slice_trim_end(line);
	if (line.len == 0)
		return;
	strbuf_addc(out, ' ');
	size_t blanks = 0;
	while (ascii_is_blank(line.ptr[blanks]))
		blanks++;
	if (slice_starts_with(slice_tail(line, blanks), SLICE("%%"))) {
		strbuf_add(out, slice_sub(line, 0, blanks));
		strbuf_addc(out, '\\');
		line = slice_tail(line, blanks);
	}
	add_replacing(out, line, is_hidden_in_comment, REPLACEMENT);
}

void python_comment(struct strbuf *out, struct slice text, unsigned indent)
{
	size_t start = 0;
	for (size_t at = 0, len; at <= text.len; at += len) {
		int32_t cp = '\n';
		len = 1;
		if (at < text.len)
			cp = utf8_decode(slice_tail(text, at), &len);
		/* As Python's str.splitlines() and editors have it. */
		bool ends_line = (cp >= '\n' && cp <= '\r') || (cp >= 0x1C && cp <= 0x1E) ||
		                 cp == 0x85 || cp == 0x2028 || cp == 0x2029;
		if (!ends_line)
			continue;
		if (cp == '\r' && at + 1 < text.len && text.ptr[at + 1] == '\n')
			len = 2;
		if (start > 0)
			strbuf_addc(out, '\n');
		python_comment_line(out, slice_sub(text, start, at), indent);
		start = at + len;
	}
}

void comment_inline(struct strbuf *out, struct slice text)
{
	add_replacing(out, text, is_unprintable, " ");
}

static bool bash_is_plain(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		struct slice harmless = SLICE("_-+=./,:@%");
		if (!ascii_is_alnum(c) && slice_find(harmless, c, 0) == harmless.len)
			return false;
	}
	return text.len > 0;
}

bool bash_is_literal(struct slice text)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		if (utf8_acts(utf8_decode(slice_tail(text, at), &len)))
			return true;
	}
	return false;
}

/* $'...' is the only bash form that shows control characters without containing them. Which of its
 * escapes form a character depends on the locale, so the characters are written as bytes. */
static void bash_ansi(struct strbuf *out, struct slice text)
{
	strbuf_puts(out, "$'");
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t cp = utf8_decode(slice_tail(text, at), &len);
		if (cp == '\n' || cp == '\t')
			strbuf_puts(out, cp == '\n' ? "\\n" : "\\t");
		else if (cp == '\'' || cp == '\\')
			strbuf_printf(out, "\\%c", (char)cp);
		else if (!utf8_acts(cp))
			strbuf_add(out, slice_sub(text, at, at + len));
		else if (cp != 0)
			for (size_t i = at; i < at + len; i++)
				strbuf_printf(out, "\\x%02x", (unsigned char)text.ptr[i]);
	}
	strbuf_addc(out, '\'');
}

void bash_word(struct strbuf *out, struct slice text)
{
	if (bash_is_plain(text)) {
		strbuf_add(out, text);
		return;
	}
	if (bash_is_literal(text)) {
		bash_ansi(out, text);
		return;
	}
	strbuf_addc(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			strbuf_puts(out, "'\\''");
		else
			strbuf_addc(out, text.ptr[i]);
	}
	strbuf_addc(out, '\'');
}

/* The length of letters, digits and underscores, without a leading digit. */
static size_t name_length(struct slice text)
{
	size_t len = 0;
	while (len < text.len && (ascii_is_alnum(text.ptr[len]) || text.ptr[len] == '_'))
		len++;
	return len > 0 && ascii_is_digit(text.ptr[0]) ? 0 : len;
}

size_t bash_expansion_length(struct slice text)
{
	if (text.len < 2 || text.ptr[0] != '$')
		return 0;
	bool braces = text.ptr[1] == '{';
	struct slice inside = slice_tail(text, braces ? 2 : 1);
	size_t len = name_length(inside);
	if (len == 0 || !braces)
		return len == 0 ? 0 : len + 1;
	return len < inside.len && inside.ptr[len] == '}' ? len + 3 : 0;
}

bool bash_has_expansion(struct slice text)
{
	for (size_t at = 0; (at = slice_find(text, '$', at)) < text.len; at++) {
		if (bash_expansion_length(slice_tail(text, at)) > 0)
			return true;
	}
	return false;
}

void bash_expandable(struct strbuf *out, struct slice text, struct slice optional)
{
	if (!bash_has_expansion(text) || bash_is_literal(text)) {
		bash_word(out, text);
		return;
	}
	strbuf_addc(out, '"');
	bash_expandable_inside(out, text, optional);
	strbuf_addc(out, '"');
}

void bash_expandable_inside(struct strbuf *out, struct slice text, struct slice optional)
{
	for (size_t at = 0; at < text.len; at++) {
		char c = text.ptr[at];
		size_t expands = c == '$' ? bash_expansion_length(slice_tail(text, at)) : 0;
		if (expands > 0) {
			struct slice expansion = slice_sub(text, at, at + expands);
			struct slice rest = expansion, name;
			(void)slice_next_name(&rest, &name);
			if (slice_eq(name, optional))
				strbuf_printf(out, "${%.*s-}", SLICE_ARG(name));
			else
				strbuf_add(out, expansion);
			at += expands - 1;
			continue;
		}
		if (c == '"' || c == '\\' || c == '$' || c == '`')
			strbuf_addc(out, '\\');
		strbuf_addc(out, c);
	}
}

void sbatch_word(struct strbuf *out, struct slice text)
{
	if (bash_is_plain(text)) {
		strbuf_add(out, text);
		return;
	}
	strbuf_addc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		/* Older versions of sbatch read # as a comment and ' as a quote, even here. */
		if (c == '"' || c == '\\' || c == '#' || c == '\'')
			strbuf_addc(out, '\\');
		strbuf_addc(out, c);
	}
	strbuf_addc(out, '"');
}

void make_word(struct strbuf *out, struct slice text, bool target)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		if (c == ' ' || c == '#' || c == ':' || (c == '%' && target)) {
			/* Backslashes before a special character would otherwise quote it. */
			size_t count = 0;
			while (count < i && text.ptr[i - count - 1] == '\\')
				count++;
			strbuf_fill(out, '\\', count);
			strbuf_addc(out, '\\');
		} else if (c == '$') {
			strbuf_addc(out, '$');
		}
		strbuf_addc(out, c);
	}
}

bool bash_is_name(struct slice name)
{
	return name.len > 0 && name_length(name) == name.len;
}

bool bash_is_own(struct slice name)
{
	return slice_starts_with(name, SLICE("nbscorep_"));
}

/* bash(1), "Shell Variables". */
bool bash_is_read_only(struct slice name)
{
	return slice_is_word_of(name, "BASHOPTS BASH_VERSINFO EUID PPID SHELLOPTS UID");
}

void xml_text(struct strbuf *out, struct slice text)
{
	static const char special[] = "&<>\"";
	static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t c = utf8_decode(slice_tail(text, at), &len);
		const char *found = c > 0 && c < 0x80 ? strchr(special, (char)c) : NULL;
		if (found != NULL)
			strbuf_puts(out, names[found - special]);
		else if (c < ' ' || c == 0xFFFE || c == 0xFFFF)
			strbuf_puts(out, REPLACEMENT);
		else
			strbuf_add(out, slice_sub(text, at, at + len));
	}
}

void base64_put(struct strbuf *out, struct slice bytes)
{
	static const char digits[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		const unsigned char *at = (const unsigned char *)bytes.ptr + i;
		uint32_t bits = (uint32_t)at[0] << 16;
		bits |= left > 1 ? (uint32_t)at[1] << 8 : 0;
		bits |= left > 2 ? at[2] : 0;
		char four[] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
		               digits[bits & 63]};
		if (left < 3)
			four[3] = '=';
		if (left < 2)
			four[2] = '=';
		strbuf_add(out, slice_make(four, sizeof four));
	}
}
