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

/* "ls -l", "cd /tmp", "rm *.txt" are magics; "ls - l" and "ls -= 1" are Python. */
static bool is_operation(struct slice rest)
{
	struct slice operators = SLICE("+-*/%@&|^<>~.");
	if (!slice_has(operators, rest.ptr[0]))
		return false;
	return rest.len > 1 && (ascii_is_blank(rest.ptr[1]) || rest.ptr[1] == '=');
}

static bool is_automagic(struct slice line)
{
	static const struct slice python = SLICE_INIT("=,([{:;)#!");
	struct slice name = slice_sub(line, 0, word_length(line));
	struct slice rest = slice_trim(slice_tail(line, name.len));
	if (name.len == 0 || rest.len == 0 || !ascii_is_blank(line.ptr[name.len]) ||
	    magic_find(name, FORM_LINE) == NULL || scan_to_line_end(line) < line.len)
		return false;
	/* "name in x", "name is None", "name if y": an expression. */
	struct slice word = slice_sub(rest, 0, word_length(rest));
	return !slice_has(python, rest.ptr[0]) && !is_operation(rest) &&
	       !slice_is_word_of(word, "in is if or and not");
}

/* ---- tokens ---- */

void lexer_init(struct lexer *lexer, struct arena *arena, struct diags *diags,
                struct lexed_cell *cell)
{
	*lexer = (struct lexer){
	        .arena = arena,
	        .diags = diags,
	        .cell = cell,
	        .text = cell->text,
	        .fstring_budget = 4 * cell->text.len + 65536,
	};
	vec_push(arena, &lexer->indents, (struct indent){0, 0});
}

static struct slice rest_of(const struct lexer *lexer)
{
	return slice_tail(lexer->text, lexer->at);
}

/* Advances to the physical line of lexer->at, and sets the flags of the lines that the token of
 * KIND spans. */
static void pass_lines(struct lexer *lexer, enum token_kind kind)
{
	struct lexed_cell *cell = lexer->cell;
	bool string = kind == TOKEN_STRING || kind == TOKEN_FSTRING || kind == TOKEN_ERROR;
	while (lexer->line + 1 < cell->lines.count) {
		struct physical_line *next = &cell->lines.items[lexer->line + 1];
		if (next->offset > lexer->at)
			break;
		next->inside_token |= string && next->offset < lexer->at;
		lexer->line++;
	}
}

static void note_significant(struct lexer *lexer, enum token_kind kind, uint32_t offset)
{
	struct logical_state *now = &lexer->now;
	if (now->significant++ == 0)
		now->first = (uint32_t)lexer->cell->tokens.count - 1;
	if (now->assign != ASSIGN_HERE && now->assign != ASSIGN_BLANKS)
		return;
	bool blank = kind == TOKEN_ERROR && scan_unicode_blank(slice_tail(lexer->text, offset)) > 0;
	now->assign = blank ? ASSIGN_BLANKS : ASSIGN_DONE;
}

static void note_name(struct name_filter *names, struct slice name)
{
	name_filter_add(names, name);
	if (name.ptr[0] == '_')
		name_filter_add(names, SLICE("_"));
}

static void note_fields(struct name_filter *names, struct slice text)
{
	for (struct slice field, name; syntax_next_field(&text, &field);) {
		while (slice_next_name(&field, &name))
			note_name(names, name);
	}
}

void lexer_push(struct lexer *lexer, enum token_kind kind, size_t len)
{
	struct token token = {kind, lexer->at, (uint32_t)len};
	vec_push(lexer->arena, &lexer->cell->tokens, token);
	if (token.kind == TOKEN_NAME)
		note_name(&lexer->cell->names, token_text(lexer->cell, &token));
	else if (token.kind == TOKEN_FSTRING)
		note_fields(&lexer->cell->names, token_text(lexer->cell, &token));
	lexer->at += token.len;
	pass_lines(lexer, kind);
	if (token_is_significant(kind))
		note_significant(lexer, kind, token.offset);
	lexer->seen_text |= kind == TOKEN_COMMENT || token_is_significant(kind);
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

static void close_bracket(struct lexer *lexer, char close)
{
	if (lexer->now.parens > 0)
		lexer->now.parens--;
	lexer->depth--;
	if (lexer->brackets.count == 0) {
		lexer_problem(lexer, "unmatched '%s'", lexer->at, 1);
		return;
	}
	uint32_t open = lexer->brackets.items[--lexer->brackets.count];
	if (!lexer_brackets_match(lexer->text.ptr[open], close))
		lexer_problem(lexer, "'%s' does not match the open bracket", lexer->at, 1);
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
		close_bracket(lexer, c);
	}
	lexer_push(lexer, TOKEN_OP, len);
	if (c == '=' && len == 1 && now->parens == 0 && now->assign == ASSIGN_NONE) {
		now->assign = ASSIGN_HERE;
		now->assign_token = (uint32_t)lexer->cell->tokens.count - 1;
	}
}

static void lex_error(struct lexer *lexer)
{
	size_t len = 0;
	utf8_decode(rest_of(lexer), &len);
	char c = lexer->text.ptr[lexer->at];
	if (c == '\\')
		lexer_problem(lexer, "a backslash is not at the end of its line", lexer->at, 1);
	else if ((c >= '\0' && c < ' ') || c == '\x7f' || scan_unicode_blank(rest_of(lexer)) > 0)
		lexer_problem(lexer, "the code contains an invisible character", lexer->at, len);
	else
		lexer_problem(lexer, "'%s' is not valid in Python", lexer->at, len);
	lexer_push(lexer, TOKEN_ERROR, len);
}

static void lex_word(struct lexer *lexer)
{
	struct slice rest = rest_of(lexer);
	struct string_start start;
	size_t len = 0;
	if (string_starts(rest, &start))
		string_lex(lexer, &start);
	else if ((len = scan_number(rest)) > 0)
		lexer_push(lexer, TOKEN_NUMBER, len);
	else if ((len = scan_name(rest, lexer->arena)) > 0)
		lexer_push(lexer, TOKEN_NAME, len);
	else if ((len = scan_operator(rest)) > 0)
		lex_operator(lexer, len);
	else
		lex_error(lexer);
}

/* Lexes one token. Returns true if it ended the logical line. */
static bool lex_token(struct lexer *lexer)
{
	struct slice rest = rest_of(lexer);
	size_t len = 0;
	if ((len = scan_blanks(rest)) > 0) {
		lexer_push(lexer, TOKEN_BLANK, len);
	} else if ((len = scan_line_end(rest)) > 0) {
		lexer_push(lexer, lexer->depth > 0 ? TOKEN_NL : TOKEN_NEWLINE, len);
		return lexer->depth <= 0;
	} else if (rest.ptr[0] == '#') {
		lexer_push(lexer, TOKEN_COMMENT, scan_to_line_end(rest));
	} else if ((len = scan_continuation(rest)) > 0) {
		if (lexer->now.significant == 0)
			lexer->now.continued = true;
		uint32_t offset = lexer->at;
		lexer_push(lexer, TOKEN_CONTINUATION, len);
		if (lexer->at == lexer->text.len)
			lexer_problem(lexer, "the cell ends after a backslash", offset, 1);
	} else {
		lex_word(lexer);
	}
	return false;
}

/* Adds the indentation of BLANKS at the start of a line; a form feed restarts at 0. */
static void add_indent(struct indent *indent, struct slice blanks)
{
	for (size_t i = 0; i < blanks.len; i++) {
		if (blanks.ptr[i] == '\f') {
			*indent = (struct indent){0, 0};
			continue;
		}
		indent->column =
		        blanks.ptr[i] == '\t' ? (indent->column / 8 + 1) * 8 : indent->column + 1;
		indent->narrow++;
	}
}

/* The indentation of the logical line at the start of REST; *FRONT is its length in bytes. If
 * blanks precede a continuation before the first token, they determine it, as in CPython from
 * 3.9.10 on. */
static struct indent measure_indent(struct slice rest, size_t *front)
{
	struct indent indent = {0, 0};
	uint32_t decided = 0;
	size_t len;
	*front = 0;
	for (;;) {
		len = scan_blanks(slice_tail(rest, *front));
		add_indent(&indent, slice_sub(rest, *front, *front + len));
		*front += len;
		len = scan_continuation(slice_tail(rest, *front));
		if (len == 0)
			break;
		decided = decided > 0 ? decided : indent.column;
		*front += len;
	}
	return decided > 0 ? (struct indent){decided, decided} : indent;
}

static void check_indent(struct lexer *lexer, struct indent indent)
{
	size_t *count = &lexer->indents.count;
	const struct indent *top = &lexer->indents.items[*count - 1];
	bool mixed = false;
	if (indent.column > top->column) {
		mixed = indent.narrow <= top->narrow;
		vec_push(lexer->arena, &lexer->indents, indent);
	} else {
		while (indent.column < top->column)
			top = &lexer->indents.items[--*count - 1];
		if (indent.column != top->column) {
			lexer_problem(lexer, "the indentation does not match any outer level",
			              lexer->at, 1);
			return;
		}
		mixed = indent.narrow != top->narrow;
	}
	if (mixed)
		lexer_problem(lexer, "tabs and spaces are mixed in the indentation", lexer->at, 1);
}

static void begin_line(struct lexer *lexer)
{
	lexer->now = (struct logical_state){.depth = lexer->depth};
	lexer->now.line.first_token = (uint32_t)lexer->cell->tokens.count;
	lexer->now.line.first_line = lexer->line;
	struct slice rest = rest_of(lexer);
	size_t front, blanks = scan_blanks(rest);
	struct indent indent = measure_indent(rest, &front);
	lexer->now.line.column = indent.column;
	if (blanks > 0)
		lexer_push(lexer, TOKEN_BLANK, blanks);
	rest = slice_tail(rest, front);
	bool blank = rest.len == 0 || rest.ptr[0] == '#' || scan_line_end(rest) > 0;
	if (!blank && lexer->depth == 0)
		check_indent(lexer, indent);
}

static uint32_t last_line_passed(const struct lexer *lexer)
{
	const struct lexed_cell *cell = lexer->cell;
	bool at_start = lexer->line > lexer->now.line.first_line &&
	                cell->lines.items[lexer->line].offset == lexer->at;
	return at_start ? lexer->line - 1 : lexer->line;
}

/* Since Python 3.9.10, a line with only a backslash in column 0 takes the indentation of its logical
 * line from the next line. A backslash after blanks sets the indentation itself. */
static bool is_lone_backslash(struct slice text, const struct physical_line *line)
{
	const char *end = text.ptr + line->offset + line->indent;
	return line->indent + 1 == line->len && *end == '\\' &&
	       (line->indent == 0 || end[-1] == '\f');
}

static void end_line(struct lexer *lexer)
{
	struct logical_state *now = &lexer->now;
	if (lexer->diags != NULL)
		magic_help_end(lexer);
	if (lexer->problem.message == NULL)
		lexer->problem = now->problem;
	if (now->line.kind == LINE_BLANK && now->significant > 0)
		now->line.kind = LINE_CODE;
	now->line.token_count = (uint32_t)lexer->cell->tokens.count - now->line.first_token;
	now->line.line_count = last_line_passed(lexer) - now->line.first_line + 1;
	vec_push(lexer->arena, &lexer->cell->logical, now->line);
	for (size_t i = now->line.first_line;
	     now->line.column > 0 && i < lexer->cell->lines.count &&
	     is_lone_backslash(lexer->text, &lexer->cell->lines.items[i]);
	     i++)
		lexer->cell->lines.items[i].lone_backslash = true;
}

static void report_problem(struct lexer *lexer)
{
	const struct lex_problem *problem = &lexer->problem;
	struct slice at_fault =
	        slice_sub(lexer->text, problem->offset, problem->offset + problem->len);
	struct location where = lexed_location(lexer->cell, problem->offset, problem->len);
	const char *hole = strstr(problem->message, "%s");
	if (hole == NULL)
		diag_add(lexer->diags, DIAG_LEX, where, "%s", problem->message);
	else
		diag_add(lexer->diags, DIAG_LEX, where, "%.*s%.*s%s",
		         (int)(hole - problem->message), problem->message, SLICE_ARG(at_fault),
		         hole + 2);
}

void lexer_run(struct lexer *lexer)
{
	/* All that grows besides the tokens has its room before, so that these need not move. */
	enum { BRACKETS = 8 };
	vec_reserve(lexer->arena, &lexer->brackets, BRACKETS);
	vec_reserve(lexer->arena, &lexer->cell->logical, lexer->cell->lines.count);
	struct slice line = slice_trim(lexer->text);
	lexer->automagic = is_automagic(line) ? (size_t)(line.ptr - lexer->text.ptr) : SIZE_MAX;
	while (lexer->at < lexer->text.len) {
		bool ended = false;
		begin_line(lexer);
		while (!ended && lexer->at < lexer->text.len) {
			if (!magic_lex(lexer))
				ended = lex_token(lexer);
		}
		end_line(lexer);
	}
	vec_trim(lexer->arena, &lexer->cell->tokens);
	if (lexer->diags == NULL)
		return;
	if (lexer->depth > 0 && lexer->problem.message == NULL)
		lexer->problem =
		        (struct lex_problem){"'%s' is never closed",
		                             lexer->brackets.items[lexer->brackets.count - 1], 1};
	lexer->cell->broken = lexer->problem.message != NULL;
	if (lexer->cell->broken)
		report_problem(lexer);
	size_t nul = slice_find(lexer->text, '\0', 0);
	if (nul == lexer->text.len)
		return;
	lexer->cell->broken = true;
	diag_add(lexer->diags, DIAG_NUL, lexed_location(lexer->cell, (uint32_t)nul, 1),
	         "the code contains a NUL character");
}

bool lexer_ends_in_question(struct lexer *lexer, struct slice text, bool open)
{
	struct lexed_cell scratch = {.text = text};
	struct lexer probe;
	lexer_init(&probe, lexer->arena, NULL, &scratch);
	lexer_run(&probe);
	if (scratch.logical.count != 1 || (probe.depth > 0 && !open) || scratch.tokens.count == 0)
		return false;
	const struct token *last = &scratch.tokens.items[scratch.tokens.count - 1];
	return last->kind == TOKEN_ERROR && slice_eq(token_text(&scratch, last), SLICE("?"));
}
