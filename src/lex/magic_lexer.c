/* Magics as IPython's inputtransformer2 (8.5) finds them: MagicAssign, SystemAssign, EscapedCommand
 * and HelpEnd. The one that begins first wins; at the same place, help wins over all others. */
#include "lex/magic_lexer.h"

#include "lex/scan.h"
#include "lex/strings.h"

/* Sets the arguments to TEXT, whose offset is OFFSET, without blanks at both ends. */
static void set_args(struct magic *magic, struct slice text, uint32_t offset)
{
	magic->args = slice_trim(text);
	magic->args_offset =
	        offset + (magic->args.len > 0 ? (uint32_t)(magic->args.ptr - text.ptr) : 0);
}

/* Splits CONTENT, the text after the escape, into MAGIC's name and arguments. Both are slices of
 * CONTENT, whose offset is OFFSET. */
static void split_name(struct magic *magic, struct slice content, uint32_t offset)
{
	size_t n = 0;
	while (n < content.len && !ascii_is_blank(content.ptr[n]))
		n++;
	magic->name = slice_sub(content, 0, n);
	set_args(magic, slice_tail(content, n), offset + (uint32_t)n);
}

bool magic_head(struct slice line, uint32_t offset, struct arena *arena, struct magic *out)
{
	size_t from, to;
	if (!slice_starts_with(line, SLICE("%%")) ||
	    (slice_has(line, '?') && scan_find(arena, SCAN_HEAD_HELP, line, &from, &to)))
		return false;
	*out = (struct magic){.kind = MAGIC_CELL, .offset = offset, .len = (uint32_t)line.len};
	split_name(out, scan_trim_end(slice_tail(line, 2)), offset + 2);
	out->row = magic_find(out->name, FORM_CELL);
	return true;
}

/* True if one of IPython's escapes is here, as the logical line's first token. */
static bool escape_is_here(const struct lexer *lexer)
{
	const struct logical_state *now = &lexer->now;
	char c = slice_at(lexer->text, lexer->at), next = slice_at(lexer->text, lexer->at + 1);
	if (c == '%' || c == '!' || c == '/') {
		if (next == '=' || (c == '/' && next == '/'))
			return false;
	} else if (c != '?' && c != ',' && c != ';') {
		return false;
	}
	/* In a continued line, tokenize makes an error token of blanks before these two. */
	size_t count = lexer->cell->tokens.count;
	bool continued = now->continued || now->depth < 0;
	return !(continued && (c == '!' || c == '?') && count > now->line.first_token &&
	         lexer->cell->tokens.items[count - 1].kind == TOKEN_BLANK);
}

static bool assigned_is_here(const struct lexer *lexer)
{
	enum assign_state assign = lexer->now.assign;
	if (assign != ASSIGN_HERE && assign != ASSIGN_BLANKS)
		return false;
	if (slice_at(lexer->text, lexer->at + 1) == '=')
		return false;
	if (slice_at(lexer->text, lexer->at) == '!') {
		/* Not if the "=" is the first character on its physical line. */
		size_t at = lexer->cell->tokens.items[lexer->now.assign_token].offset;
		while (at > 0 && scan_blanks(slice_sub(lexer->text, at - 1, at)) > 0)
			at--;
		return at > 0 && scan_line_end(slice_sub(lexer->text, at - 1, at)) == 0;
	}
	if (slice_at(lexer->text, lexer->at) != '%' || assign == ASSIGN_BLANKS)
		return false;
	struct string_start start;
	struct slice rest = slice_tail(lexer->text, lexer->at + 1);
	for (size_t step = 1; step > 0; rest = slice_tail(rest, step)) {
		step = scan_blanks(rest);
		if (step == 0)
			step = scan_continuation(rest);
	}
	return scan_name(rest, lexer->arena) > 0 && !string_starts(rest, &start);
}

/* Makes MAGIC, which begins at LEXER->at, a token. */
static void push_magic(struct lexer *lexer, struct magic magic)
{
	lexer->now.line.kind = LINE_MAGIC;
	lexer->now.line.magic = (uint32_t)lexer->cell->magics.count;
	lexer_push(lexer, TOKEN_MAGIC, magic.len);
	vec_push(lexer->arena, &lexer->cell->magics, magic);
}

/* Makes a help request, such as "np.sum?" or "%time??", of the logical line from its first token,
 * or from here, to END. Text before the name is ignored. Returns false if it requests no help. */
static bool lex_help(struct lexer *lexer, size_t end)
{
	struct lexed_cell *cell = lexer->cell;
	bool begun = lexer->now.significant > 0;
	uint32_t start = begun ? cell->tokens.items[lexer->now.first].offset : lexer->at;
	struct magic magic = {.kind = MAGIC_HELP, .offset = start, .len = (uint32_t)end - start};
	struct slice content = slice_sub(lexer->text, start, end);
	if (!slice_ends_with(content, SLICE("?")))
		return false;
	magic.help_level = slice_ends_with(content, SLICE("??")) ? 2 : 1;
	size_t from, to;
	if (!scan_find(lexer->arena, SCAN_HELP_NAME,
	               slice_sub(content, 0, content.len - magic.help_level), &from, &to))
		return false;
	magic.args = slice_sub(content, from, to);
	magic.args_offset = start + (uint32_t)from;
	magic.row = magic_find(SLICE("?"), FORM_ESCAPE);
	if (begun)
		cell->tokens.count = lexer->now.first;
	lexer->now.significant = 0;
	lexer->now.problem.message = NULL;
	lexer->depth = lexer->now.depth;
	lexer->brackets.count = 0;
	lexer->at = start;
	push_magic(lexer, magic);
	return true;
}

static void fill_escape(struct magic *magic, struct slice content, bool assigned)
{
	char c = content.ptr[0];
	bool twice = content.len > 1 && content.ptr[1] == c && !assigned && (c == '!' || c == '?');
	if (c == '%') {
		magic->kind = MAGIC_LINE;
		split_name(magic, slice_tail(content, 1), magic->offset + 1);
		magic->row = magic_find(magic->name, FORM_LINE);
		return;
	}
	uint32_t escape = twice ? 2 : 1;
	set_args(magic, slice_tail(content, escape), magic->offset + escape);
	magic->kind = c == '!'   ? (twice ? MAGIC_SHELL_LIST : MAGIC_SHELL)
	              : c == '?' ? MAGIC_HELP
	                         : MAGIC_AUTOCALL;
	magic->help_level = c == '?' ? escape : 0;
	magic->row = magic_find(c == '!'   ? slice_sub(content, 0, escape)
	                        : c == '?' ? SLICE("?")
	                                   : SLICE(","),
	                        FORM_ESCAPE);
}

bool magic_lex(struct lexer *lexer)
{
	if (lexer->diags == NULL)
		return false;
	bool assigned = lexer->now.significant > 0;
	if (!assigned && lexer->at == lexer->automagic) {
		/* The whole cell, one line, is a magic without "%". */
		struct slice line = slice_trim(slice_tail(lexer->text, lexer->at));
		struct magic magic = {
		        .kind = MAGIC_LINE, .offset = lexer->at, .len = (uint32_t)line.len};
		split_name(&magic, line, lexer->at);
		magic.row = magic_find(magic.name, FORM_LINE);
		push_magic(lexer, magic);
		return true;
	}
	if (assigned ? !assigned_is_here(lexer) : !escape_is_here(lexer))
		return false;
	/* Magics continue over lines that end in a backslash, whatever precedes it. */
	size_t end, next = lexer->at;
	do {
		end = next + scan_to_line_end(slice_tail(lexer->text, next));
		next = end + scan_line_end(slice_tail(lexer->text, end));
	} while (next < lexer->text.len && lexer->text.ptr[end - 1] == '\\');
	struct slice raw = slice_sub(lexer->text, lexer->at, end);
	/* A bracket that the magic leaves open would make IPython continue; at the end it
	 * cannot. */
	struct slice after = slice_tail(lexer->text, end);
	bool last = scan_line_end(after) == after.len;
	if (!lexer->help_is_dead && slice_ends_with(raw, SLICE("?")) &&
	    lexer_ends_in_question(lexer, raw, last) && lex_help(lexer, end))
		return true;
	struct magic magic = {.offset = lexer->at, .len = (uint32_t)raw.len, .assigned = assigned};
	if (assigned) {
		const struct token *tokens = lexer->cell->tokens.items;
		magic.target = slice_trim(slice_sub(lexer->text, tokens[lexer->now.first].offset,
		                                    tokens[lexer->now.assign_token].offset));
	}
	/* IPython joins the lines without blanks and backslashes at their ends, with one blank. */
	struct slice joined = raw, rest = raw, line;
	if (scan_to_line_end(raw) < raw.len) {
		struct strbuf out = {.arena = lexer->arena};
		while (slice_next_line(&rest, &line)) {
			bool ends = line.ptr + line.len == raw.ptr + raw.len;
			strbuf_add(&out, ends ? line : slice_sub(line, 0, line.len - 1));
			strbuf_puts(&out, ends ? "" : " ");
		}
		joined = strbuf_slice(&out);
	}
	fill_escape(&magic, scan_trim_end(joined), assigned);
	bool first = !lexer->seen_text && lexer->cell->cell_magics.count == 0;
	if (magic.kind == MAGIC_LINE && !assigned && !first &&
	    slice_starts_with(magic.name, SLICE("%")))
		diag_add(lexer->diags, DIAG_MAGIC_POSITION,
		         lexed_location(lexer->cell, magic.offset, (uint32_t)magic.name.len + 1),
		         "'%%%.*s' is not on the cell's first line; the line is left out",
		         SLICE_ARG(magic.name));
	push_magic(lexer, magic);
	return true;
}

void magic_help_end(struct lexer *lexer)
{
	struct lexed_cell *cell = lexer->cell;
	if (lexer->help_is_dead || lexer->now.line.kind == LINE_MAGIC || lexer->now.significant < 2)
		return;
	const struct token *tokens = cell->tokens.items;
	size_t count = cell->tokens.count, last = count - 1;
	bool ends = tokens[last].kind == TOKEN_NEWLINE || tokens[last].kind == TOKEN_NL;
	uint32_t line_end = ends ? tokens[last--].len : 0;
	bool blanks = tokens[last].kind == TOKEN_BLANK;
	last -= blanks;
	if (tokens[last].kind != TOKEN_ERROR ||
	    !slice_eq(token_text(cell, &tokens[last]), SLICE("?")))
		return;
	if (blanks || !lex_help(lexer, tokens[last].offset + 1)) {
		lexer->help_is_dead = true;
		return;
	}
	if (line_end > 0)
		lexer_push(lexer, TOKEN_NEWLINE, line_end);
}
