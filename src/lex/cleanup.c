/* The clean-up of IPython's inputtransformer2 (9.0.2 and later) before it looks for magics: it removes the
 * indentation that all lines have, and prompts pasted from a session. (Up to 9.0.1 it removes that of the first
 * line, which counts here where the other rule leaves an error.) IPython also removes leading blank lines; they
 * stay here because they have no effect and keep the line numbers. It also empties lines of blanks, in strings,
 * too; they stay as they are. */
#include "lex/cleanup.h"

#include "lex/lexer.h"
#include "lex/scan.h"

struct cleaner {
	struct slice source;
	const physical_lines *lines;
	uint32_t *cut;
};

/* The remaining part of a line, without its line end. */
static struct slice line_left(const struct cleaner *c, size_t line)
{
	const struct physical_line *item = &c->lines->items[line];
	return slice_sub(c->source, item->offset + c->cut[line], item->offset + item->len);
}

static size_t indentation(struct slice line)
{
	size_t n = 0;
	while (n < line.len && (line.ptr[n] == ' ' || line.ptr[n] == '\t'))
		n++;
	return n;
}

static void cut_indent(struct cleaner *c, size_t first)
{
	struct slice line = line_left(c, first);
	struct slice space = slice_sub(line, 0, indentation(line)), common = space;
	size_t code = c->lines->count;
	for (size_t i = first; i < c->lines->count && space.len > 0; i++) {
		line = line_left(c, i);
		if (scan_is_blank(line))
			continue;
		while (!slice_starts_with(line, common))
			common.len--;
		if (code == c->lines->count && line.ptr[indentation(line)] != '#')
			code = i;
	}
	/* Else an error in IPython 9. What ran before runs here, too. */
	if (code == c->lines->count || indentation(line_left(c, code)) == common.len)
		space = common;
	for (size_t i = first; i < c->lines->count && space.len > 0; i++) {
		if (slice_starts_with(line_left(c, i), space))
			c->cut[i] += (uint32_t)space.len;
	}
}

/* The length of ">>> ", or of ">>>" alone; also of "..." if CONTINUED. */
static size_t classic_prompt(struct slice line, bool continued)
{
	if (!slice_starts_with(line, SLICE(">>>")) &&
	    !(continued && slice_starts_with(line, SLICE("..."))))
		return 0;
	if (line.len == 3)
		return 3;
	return line.ptr[3] == ' ' ? 4 : 0;
}

static size_t skip_literal(struct slice line, size_t at, struct slice literal)
{
	return slice_starts_with(slice_sub(line, at, line.len), literal) ? at + literal.len : at;
}

/* The length of "In [7]: ", also after " ", "[ins] " or "[nav] ". */
static size_t numbered_prompt(struct slice line)
{
	size_t at = skip_literal(line, 0, SLICE("[ins]"));
	at = at > 0 ? at : skip_literal(line, 0, SLICE("[nav]"));
	size_t blank = skip_literal(line, at, SLICE(" "));
	if (at > 0 && blank == at)
		return 0;
	at = blank;
	size_t digits = skip_literal(line, at, SLICE("In ["));
	if (digits == at)
		return 0;
	at = digits;
	while (at < line.len && ascii_is_digit(line.ptr[at]))
		at++;
	size_t end = skip_literal(line, at, SLICE("]: "));
	return at > digits && end > at ? end : 0;
}

/* The length of "   ...: ", with three dots or more. */
static size_t dotted_prompt(struct slice line)
{
	size_t at = 0;
	while (at < line.len && ascii_is_blank(line.ptr[at]))
		at++;
	size_t dots = at;
	while (at < line.len && line.ptr[at] == '.')
		at++;
	if (at - dots < 3 || at == line.len || line.ptr[at] != ':')
		return 0;
	return skip_literal(line, at + 1, SLICE(" "));
}

static size_t ipython_prompt(struct slice line, bool continued)
{
	(void)continued;
	size_t n = numbered_prompt(line);
	return n > 0 ? n : dotted_prompt(line);
}

typedef size_t prompt_function(struct slice line, bool continued);

static void cut_prompts(struct cleaner *c, size_t first, prompt_function *prompt)
{
	bool found = prompt(line_left(c, first), false) > 0;
	if (!found && first + 1 < c->lines->count)
		found = prompt(line_left(c, first + 1), true) > 0;
	for (size_t i = first; found && i < c->lines->count; i++)
		c->cut[i] += (uint32_t)prompt(line_left(c, i), true);
}

/* Python accepts only spaces, tabs and form feeds as blanks. */
static void empty_line(struct cleaner *c, size_t line)
{
	struct slice left = line_left(c, line);
	struct slice blanks = SLICE(" \t\f");
	size_t i = 0;
	while (i < left.len && slice_find(blanks, left.ptr[i], 0) < blanks.len)
		i++;
	if (i < left.len)
		c->cut[line] += (uint32_t)left.len;
}

size_t cleanup_lines(struct slice source, const physical_lines *lines, uint32_t *cut, size_t first)
{
	struct cleaner c = {source, lines, cut};
	while (first < lines->count && scan_is_blank(line_left(&c, first)))
		empty_line(&c, first++);
	if (first == lines->count)
		return first;
	cut_indent(&c, first);
	cut_prompts(&c, first, classic_prompt);
	cut_prompts(&c, first, ipython_prompt);
	return first;
}
