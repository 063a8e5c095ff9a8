/* Python's tokens and logical lines. Where text is not Python, the tokens are those of Python
 * 3.11's tokenize module, because IPython finds its magics with it. */
#include "lex/python_lexer.h"

#include "base/utf8.h"
#include "lex/magic_lexer.h"
#include "lex/scan.h"
#include "lex/strings.h"
#include "lex/syntax.h"

/* ---- automagic ---- */

/* Automagic: a cell of one line that is a line magic without its "%". IPython checks whether the
 * name is a variable; here the line must be unlikely to be Python. */

static size_t word_length(struct slice s)
{
	size_t len = 0;
	while (len < s.len && (ascii_is_alnum(s.ptr[len]) || s.ptr[len] == '_'))
		len++;
	return len;
}

static bool is_automagic(struct slice line)
{
	static const struct slice python = SLICE_INIT("=,([{:;)#!");
	struct slice name = slice_sub(line, 0, word_length(line));
	struct slice rest = slice_trim(slice_tail(line, name.len));
	if (name.len == 0 || rest.len == 0 || !ascii_is_blank(line.ptr[name.len]) ||
	    magic_find(name, FORM_LINE) == NULL || scan_to_line_end(line) < line.len)
		return false;
	/* "ls -l", "cd /tmp", "rm *.txt" are magics; "ls - l" and "ls -= 1" are Python. */
	if (slice_has(SLICE("+-*/%@&|^<>~."), rest.ptr[0]) && rest.len > 1 &&
	    (ascii_is_blank(rest.ptr[1]) || rest.ptr[1] == '='))
		return false;
	/* "name in x", "name is None", "name if y": an expression. */
	struct slice word = slice_sub(rest, 0, word_length(rest));
	return !slice_has(python, rest.ptr[0]) && !slice_is_word_of(word, "in is if or and not");
}

/* ---- tokens ---- */

static void note_name(struct name_filter *names, struct slice name)
{
	name_filter_add(names, name);
	if (name.ptr[0] == '_')
		name_filter_add(names, SLICE("_"));
}

void lexer_push(struct lexer *lexer, enum token_kind kind, size_t len)
{
	struct token token = {lexer->at, len & LEXED_BYTES_MAX, kind};
	struct lexed_cell *cell = lexer->cell;
	struct logical_state *now = &lexer->now;
	bool string = kind == TOKEN_STRING || kind == TOKEN_FSTRING || kind == TOKEN_ERROR;
	struct slice text = slice_sub(lexer->text, token.offset, token.offset + token.len), field,
	             name;
	vec_push(lexer->arena, &cell->tokens, token);
	if (kind == TOKEN_NAME)
		note_name(&cell->names, text);
	while (kind == TOKEN_FSTRING && syntax_next_field(&text, &field)) {
		while (slice_next_name(&field, &name))
			note_name(&cell->names, name);
	}
	lexer->at += token.len;
	/* Advance to the physical line of lexer->at, and set the flags of the lines that the token
	 * spans. */
	while (lexer->line + 1 < cell->lines.count) {
		struct physical_line *next = &cell->lines.items[lexer->line + 1];
		if (next->offset > lexer->at)
			break;
		next->inside_token |= string && next->offset < lexer->at;
		lexer->line++;
	}
	lexer->seen_text |= kind == TOKEN_COMMENT || token_is_significant(kind);
	if (!token_is_significant(kind))
		return;
	if (now->significant++ == 0)
		now->first = (uint32_t)cell->tokens.count - 1;
	if (now->assign == ASSIGN_HERE || now->assign == ASSIGN_BLANKS)
		now->assign = kind == TOKEN_ERROR && scan_unicode_blank(slice_tail(
		                                             lexer->text, token.offset)) > 0
		                      ? ASSIGN_BLANKS
		                      : ASSIGN_DONE;
}

void lexer_problem(struct lexer *lexer, const char *message, size_t offset, size_t len)
{
	if (lexer->now.problem.message == NULL)
		lexer->now.problem = (struct lex_problem){message, (uint32_t)offset, (uint32_t)len};
}

bool lexer_brackets_match(char open, char close)
{
	return (open == '(' && close == ')') || (open == '[' && close == ']') ||
	       (open == '{' && close == '}');
}

static void lex_operator(struct lexer *lexer, size_t len)
{
	struct logical_state *now = &lexer->now;
	char c = lexer->text.ptr[lexer->at];
	if (c == '(' || c == '[' || c == '{') {
		vec_push(lexer->arena, &lexer->brackets, lexer->at);
		lexer->depth++;
		now->parens++;
	} else if (c == ')' || c == ']' || c == '}') {
		now->parens -= now->parens > 0;
		lexer->depth--;
		if (lexer->brackets.count == 0)
			lexer_problem(lexer, "unmatched '%.*s'", lexer->at, 1);
		else if (!lexer_brackets_match(
		                 lexer->text.ptr[lexer->brackets.items[--lexer->brackets.count]],
		                 c))
			lexer_problem(lexer, "'%.*s' does not match the open bracket", lexer->at,
			              1);
	}
	lexer_push(lexer, TOKEN_OP, len);
	if (c == '=' && len == 1 && now->parens == 0 && now->assign == ASSIGN_NONE) {
		now->assign = ASSIGN_HERE;
		now->assign_token = (uint32_t)lexer->cell->tokens.count - 1;
	}
}

/* Lexes one token. Returns true if it ended the logical line. */
static bool lex_token(struct lexer *lexer)
{
	struct slice rest = slice_tail(lexer->text, lexer->at);
	struct string_start start;
	char c = rest.ptr[0];
	size_t len = 0;
	if ((len = scan_blanks(rest)) > 0) {
		lexer_push(lexer, TOKEN_BLANK, len);
	} else if ((len = scan_line_end(rest)) > 0) {
		lexer_push(lexer, lexer->depth > 0 ? TOKEN_NL : TOKEN_NEWLINE, len);
		return lexer->depth <= 0;
	} else if (c == '#') {
		lexer_push(lexer, TOKEN_COMMENT, scan_to_line_end(rest));
	} else if ((len = scan_continuation(rest)) > 0) {
		if (lexer->now.significant == 0)
			lexer->now.continued = true;
		uint32_t offset = lexer->at;
		lexer_push(lexer, TOKEN_CONTINUATION, len);
		if (lexer->at == lexer->text.len)
			lexer_problem(lexer, "the cell ends after a backslash", offset, 1);
	} else if (string_starts(rest, &start)) {
		string_lex(lexer, &start);
	} else if ((len = scan_number(rest)) > 0) {
		lexer_push(lexer, TOKEN_NUMBER, len);
	} else if ((len = scan_name(rest, lexer->arena)) > 0) {
		lexer_push(lexer, TOKEN_NAME, len);
	} else if ((len = scan_operator(rest)) > 0) {
		lex_operator(lexer, len);
	} else {
		utf8_decode(rest, &len);
		const char *problem = "'%.*s' is not valid in Python";
		if (c == '\\')
			problem = "a backslash is not at the end of its line";
		else if ((c >= '\0' && c < ' ') || c == '\x7f' || scan_unicode_blank(rest) > 0)
			problem = "the code contains an invisible character";
		lexer_problem(lexer, problem, lexer->at, len);
		lexer_push(lexer, TOKEN_ERROR, len);
	}
	return false;
}

/* The indentation of the logical line at the start of REST; *FRONT is its length in bytes. A form
 * feed restarts at 0. If blanks precede a continuation before the first token, they determine it, as in
 * CPython from 3.9.10 on. */
static struct indent measure_indent(struct slice rest, size_t *front)
{
	struct indent indent = {0, 0};
	uint32_t decided = 0;
	size_t at = 0;
	for (size_t len = 1; len > 0; at += len) {
		for (size_t end = at + scan_blanks(slice_tail(rest, at)); at < end; at++) {
			bool restarts = rest.ptr[at] == '\f';
			uint32_t column = rest.ptr[at] == '\t' ? (indent.column / 8 + 1) * 8
			                                       : indent.column + 1;
			indent = restarts ? (struct indent){0, 0}
			                  : (struct indent){column, indent.narrow + 1};
		}
		len = scan_continuation(slice_tail(rest, at));
		decided = len > 0 && decided == 0 ? indent.column : decided;
	}
	*front = at;
	return decided > 0 ? (struct indent){decided, decided} : indent;
}

static void begin_line(struct lexer *lexer)
{
	lexer->now = (struct logical_state){.depth = lexer->depth};
	lexer->now.line.first_token = (uint32_t)lexer->cell->tokens.count;
	lexer->now.line.first_line = lexer->line;
	struct slice rest = slice_tail(lexer->text, lexer->at);
	size_t front, blanks = scan_blanks(rest);
	struct indent indent = measure_indent(rest, &front);
	lexer->now.line.column = indent.column;
	if (blanks > 0)
		lexer_push(lexer, TOKEN_BLANK, blanks);
	rest = slice_tail(rest, front);
	bool blank = rest.len == 0 || rest.ptr[0] == '#' || scan_line_end(rest) > 0;
	if (blank || lexer->depth != 0)
		return;
	size_t *count = &lexer->indents.count;
	const struct indent *top = &lexer->indents.items[*count - 1];
	bool mixed = indent.narrow <= top->narrow;
	if (indent.column > top->column) {
		vec_push(lexer->arena, &lexer->indents, indent);
	} else {
		while (indent.column < top->column)
			top = &lexer->indents.items[--*count - 1];
		mixed = indent.narrow != top->narrow;
		if (indent.column != top->column)
			lexer_problem(lexer, "the indentation does not match any outer level",
			              lexer->at, 1);
	}
	if (mixed)
		lexer_problem(lexer, "tabs and spaces are mixed in the indentation", lexer->at, 1);
}

static void end_line(struct lexer *lexer)
{
	struct logical_state *now = &lexer->now;
	const struct lexed_cell *cell = lexer->cell;
	if (lexer->diags != NULL)
		magic_help_end(lexer);
	if (lexer->problem.message == NULL)
		lexer->problem = now->problem;
	if (now->line.kind == LINE_BLANK && now->significant > 0)
		now->line.kind = LINE_CODE;
	now->line.token_count = (uint32_t)cell->tokens.count - now->line.first_token;
	bool at_start = lexer->line > now->line.first_line &&
	                cell->lines.items[lexer->line].offset == lexer->at;
	now->line.line_count = lexer->line - at_start - now->line.first_line + 1;
	vec_push(lexer->arena, &lexer->cell->logical, now->line);
	/* Since Python 3.9.10, a line with only a backslash in column 0 takes the indentation of its
	 * logical line from the next line. A backslash after blanks sets the indentation itself. */
	for (size_t i = now->line.first_line; now->line.column > 0 && i < cell->lines.count; i++) {
		struct physical_line *line = &cell->lines.items[i];
		const char *end = lexer->text.ptr + line->offset + line->indent;
		if (line->indent + 1 != line->len || *end != '\\' ||
		    (line->indent > 0 && end[-1] != '\f'))
			break;
		line->lone_backslash = true;
	}
}

long lexer_run(struct arena *arena, struct diags *diags, struct lexed_cell *cell)
{
	struct slice line = slice_trim(cell->text);
	struct lexer lexer = {
	        .arena = arena,
	        .diags = diags,
	        .cell = cell,
	        .text = cell->text,
	        .fstring_budget = 4 * cell->text.len + 65536,
	        .automagic = is_automagic(line) ? (size_t)(line.ptr - cell->text.ptr) : SIZE_MAX,
	};
	/* All that grows besides the tokens has its room before, so that these need not move. */
	enum { BRACKETS = 8 };
	vec_push(arena, &lexer.indents, (struct indent){0, 0});
	vec_reserve(arena, &lexer.brackets, BRACKETS);
	vec_reserve(arena, &cell->logical, cell->lines.count);
	while (lexer.at < lexer.text.len) {
		bool ended = false;
		begin_line(&lexer);
		while (!ended && lexer.at < lexer.text.len) {
			if (!magic_lex(&lexer))
				ended = lex_token(&lexer);
		}
		end_line(&lexer);
	}
	vec_trim(arena, &cell->tokens);
	if (diags == NULL)
		return lexer.depth;
	struct lex_problem *problem = &lexer.problem;
	if (lexer.depth > 0 && problem->message == NULL)
		*problem = (struct lex_problem){"'%.*s' is never closed",
		                                lexer.brackets.items[lexer.brackets.count - 1], 1};
	cell->broken = problem->message != NULL;
	if (cell->broken)
		diag_add(diags, DIAG_LEX, lexed_location(cell, problem->offset, problem->len),
		         problem->message, (int)problem->len, cell->text.ptr + problem->offset);
	size_t nul = slice_find(cell->text, '\0', 0);
	if (nul < cell->text.len) {
		cell->broken = true;
		diag_add(diags, DIAG_NUL, lexed_location(cell, (uint32_t)nul, 1),
		         "the code contains a NUL character");
	}
	return lexer.depth;
}

bool lexer_ends_in_question(struct lexer *lexer, struct slice text, bool open)
{
	struct lexed_cell scratch = {.text = text};
	long depth = lexer_run(lexer->arena, NULL, &scratch);
	if (scratch.logical.count != 1 || (depth > 0 && !open) || scratch.tokens.count == 0)
		return false;
	const struct token *last = &scratch.tokens.items[scratch.tokens.count - 1];
	return last->kind == TOKEN_ERROR && slice_eq(token_text(&scratch, last), SLICE("?"));
}
