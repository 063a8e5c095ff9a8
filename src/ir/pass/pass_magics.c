/* Turns magics and shell escapes into Python or comments. Cell magics come first (lower_call.c):
 * they become contexts around the code, or a helper that takes the cell as a string. Then each line
 * magic becomes an edit: the call of a helper (lower_call.c), a `with` statement (%time), a
 * variable of the run script, or a comment with a diagnostic (drop_magic()). */
#include <string.h>

#include "base/quote.h"
#include "ir/build/build_code.h"
#include "ir/build/magic_meaning.h"
#include "ir/lower/lower_call.h"
#include "ir/lower/shell_command.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "lex/syntax_values.h"
#include "notebook/notebook.h"
#include "scorep/variables.h"

/* ---- magics that become comments ---- */

/* Returns the name of the magic in messages: "%time", "!", "?". */
static struct slice site_name(const struct site *site)
{
	const struct magic *magic = site->magic;
	switch (magic->kind) {
	case MAGIC_CELL:
		return arena_printf(site->context->arena, "%%%%%.*s", SLICE_ARG(magic->name));
	case MAGIC_LINE:
		return arena_printf(site->context->arena, "%%%.*s", SLICE_ARG(magic->name));
	case MAGIC_SHELL_LIST:
		return SLICE("!!");
	case MAGIC_HELP:
		return SLICE("?");
	case MAGIC_SHELL:
	case MAGIC_AUTOCALL:
		break;
	}
	return slice_sub(site->block->code->lexed->text, magic->offset, magic->offset + 1);
}

/* Turns the magic into a comment, which begins with the REASON, after `pass` or, in an assignment,
 * `None`, which keep the code valid. */
static void comment_out(const struct site *site, const char *reason)
{
	const char *end =
	        site->block->code->lexed->text.ptr + site->magic->offset + site->magic->len;
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_puts(&out, site->magic->assigned ? "None  " : "pass  ");
	site->block->code->dropped += !site->magic->assigned;
	struct slice line = {0}, rest = site_text(site);
	strbuf_printf(&out, "# %s: ", reason);
	const char *begin = rest.ptr;
	while (slice_next_line(&rest, &line)) {
		/* One source line must become one comment line. */
		strbuf_puts(&out, line.ptr == begin ? "" : "# ");
		comment_inline(&out, slice_trim_end(line));
		/* A continued magic may end with the line end of a last, empty line. */
		if (line.ptr + line.len < end)
			strbuf_addc(&out, '\n');
	}
	site_replace(site, strbuf_slice(&out));
}

/* Returns the kernel in which JUmPER's wrapper kernel runs the cells after MAGIC. Returns an empty
 * slice if that is a Python kernel, or known only at run time. */
static struct slice find_other_kernel(const struct magic *magic)
{
	struct slice rest = magic->args, kernel = slice_next_word(&rest);
	bool is_chosen = magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("wrap_kernel")) &&
	                 kernel.len > 0 && kernel.ptr[0] != '#' && !slice_has(kernel, '{') &&
	                 !slice_has(kernel, '$');
	return is_chosen && !notebook_is_python_kernel(kernel) ? kernel : slice_make("", 0);
}

static void report_dropped(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct diags *diags = site->context->diags;
	struct slice name = site_name(site), kernel = find_other_kernel(magic);
	if (magic->row == NULL) {
		report_unknown_magic(diags, site_location(site), magic->kind, magic->name);
	} else if (kernel.len > 0) {
		diag_add(diags, DIAG_LANGUAGE, site_part_location(site, kernel),
		         "the cells after '%%wrap_kernel' are for the kernel '%.*s', which is not "
		         "a Python kernel",
		         SLICE_ARG(kernel));
		diag_hint(diags, DIAG_LANGUAGE,
		          "tag this cell and the kernel's cells, and skip them with --skip-tag");
	} else if (magic_means_nothing(magic)) {
		diag_add(diags, DIAG_MAGIC_NO_EFFECT, site_location(site),
		         "'%.*s' has no effect in batch; it is left out", SLICE_ARG(name));
	} else {
		diag_add(diags, DIAG_MAGIC_DROPPED, site_location(site),
		         "'%.*s' is left out of the script", SLICE_ARG(name));
	}
}

/* Turns the magic into a comment and adds the diagnostic of its row. */
static void drop_magic(const struct site *site)
{
	const struct magic *magic = site->magic;
	/* The lexer has reported a cell magic below the first line. */
	if (magic->kind != MAGIC_LINE || !slice_starts_with(magic->name, SLICE("%")))
		report_dropped(site);
	comment_out(site, "left out");
}

/* ---- %time ---- */

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
	struct slice text = statement_token(lexed, at);
	enum token_kind kind = lexed->tokens.items[at].kind;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (kind == TOKEN_NAME && slice_eq(text, words[i]))
			return true;
		if (kind == TOKEN_FSTRING && slice_find_slice(text, words[i], 0) < text.len)
			return true;
	}
	return syntax_is(lexed, at, SLICE("import")) &&
	       syntax_is(lexed, syntax_after(lexed, at), SLICE("*"));
}

/* True for a name before another operand, as in Python 2's `print x`: this syntax error would make
 * the whole script invalid. */
static bool lacks_operator(const struct lexed_cell *lexed, uint32_t at)
{
	uint32_t next = syntax_after(lexed, at);
	if (!statement_is_name(lexed, at) || next == lexed->tokens.count)
		return false;
	const struct token *behind = &lexed->tokens.items[next];
	return behind->kind == TOKEN_NUMBER || behind->kind == TOKEN_STRING ||
	       behind->kind == TOKEN_FSTRING || statement_is_name(lexed, next);
}

/* True if the text is valid after "with f():" on one line, with the same meaning as alone. */
static bool fits_timed(const struct timed *timed)
{
	const struct lexed_cell *lexed = &timed->lexed;
	if (lexed->broken || slice_has(lexed->text, '\n') || lexed->cell_magics.count > 0)
		return false;
	for (uint32_t i = 0; i < lexed->tokens.count; i++) {
		if (belongs_elsewhere(lexed, i) || lacks_operator(lexed, i))
			return false;
	}
	for (size_t i = 0; i < lexed->statements.count; i++) {
		if (lexed->statements.items[i].header)
			return false;
	}
	return true;
}

/* The value of the last expression is shown after the times. */
static void add_timed_code(const struct timed *timed, struct strbuf *out)
{
	const struct lexed_cell *lexed = &timed->lexed;
	const struct token *tokens = lexed->tokens.items;
	struct syntax_value value;
	if (!site_shows_value(timed->site) || !syntax_last_expression(lexed, &value)) {
		strbuf_add(out, timed->text);
		return;
	}
	uint32_t start = tokens[value.first_token].offset;
	uint32_t end = tokens[value.last_token].offset + tokens[value.last_token].len;
	strbuf_add(out, slice_sub(lexed->text, 0, start));
	strbuf_puts(out, value.is_tuple ? PACKAGE_ALIAS ".timed_value(("
	                                : PACKAGE_ALIAS ".timed_value(");
	strbuf_add(out, slice_sub(lexed->text, start, end));
	strbuf_puts(out, value.is_tuple ? "))" : ")");
	strbuf_add(out, slice_tail(lexed->text, end));
}

/* True if code precedes the assignment on its line, as in "if x: y = !ls" or "a; y = !ls", so that
 * no `with` can be put before the line. May be true for other lines, too. */
static bool magic_has_header(const struct magic *magic)
{
	/* The colon of an annotation or a slice counts, too, which is harmless. */
	return magic->assigned && (slice_has(magic->target, ':') ||
	                           slice_find(magic->target, ';', 0) < magic->target.len);
}

/* %time !command, %time %magic. */
static bool add_timed_magic(const struct timed *timed, const struct logical_line *line,
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
static bool is_timed_expression(const struct timed *timed)
{
	struct syntax_value value;
	return syntax_last_expression(&timed->lexed, &value) &&
	       syntax_next(&timed->lexed, 0, (uint32_t)timed->lexed.tokens.count) ==
	               value.first_token;
}

/* Appends ": statement" to the context. */
static bool add_timed_statement(const struct timed *timed, struct strbuf *out)
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
		return add_timed_magic(timed, line, out);
	if (!fits_timed(timed))
		return false;
	strbuf_puts(out, ": ");
	add_timed_code(timed, out);
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
	    only_line(&timed->lexed) == NULL || !fits_timed(timed) || !is_timed_expression(timed))
		return false;
	size_t start = (size_t)(site->magic->target.ptr - site->block->code->lexed->text.ptr);
	block_add_edit(site->context->arena, site->block, (uint32_t)start, 0,
	               SLICE("with " PACKAGE_ALIAS ".timed(): "));
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
		strbuf_printf(&out, "%u", site->block->code->count);
	site_add_line_ends(site, &out);
	strbuf_addc(&out, ')');
	if (!add_timed_statement(timed, &out))
		return false;
	site_replace(site, strbuf_slice(&out));
	return true;
}

/* Lowers %time: its statement runs in a context. */
static void lower_time(const struct site *site)
{
	struct timed timed = {.site = site, .text = site->magic->args};
	lex_text(site->context->arena, timed.text, &timed.lexed);
	bool has_option = slice_starts_with(timed.text, SLICE("--no-raise-error"));
	if (!has_option &&
	    (site->magic->assigned ? replace_expression(&timed) : replace_statement(&timed)))
		return;
	struct call call;
	(void)lower_to_call(site, site->magic, &call);
	call_replace(site, &call);
}

/* ---- f x ---- */

/* IPython puts quotes around the words without escaping them. */
static void add_autocall_arguments(struct strbuf *out, struct slice words, char escape)
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
	while (text.len > 0) {
		size_t dot = slice_find(text, '.', 0);
		if (!syntax_is_identifier(slice_sub(text, 0, dot)))
			return false;
		if (dot == text.len)
			return true;
		text = slice_tail(text, dot + 1);
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
	if (!begins || !ends || slice_has(word, '#') || slice_find(word, ';', 0) < word.len)
		return false;
	lex_text(site->context->arena, word, &lexed);
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
static struct slice autocall_of(const struct site *site, struct slice text, char escape)
{
	struct strbuf out;
	size_t blank = slice_find(text, ' ', 0);
	struct slice name = slice_trim(slice_sub(text, 0, blank));
	struct slice words = slice_tail(text, blank + 1);
	if (!is_dotted_name(name) || !are_arguments(site, words, escape))
		return slice_make("", 0);
	strbuf_init(&out, site->context->arena);
	strbuf_printf(&out, "%.*s(", SLICE_ARG(name));
	add_autocall_arguments(&out, words, escape);
	return strbuf_slice(&out);
}

/* ",f a b" is f("a", "b"), ";f a b" is f("a b"), "/f a b" is f(a, b). */
static void lower_autocall(const struct site *site)
{
	struct slice text = site_text(site);
	bool is_nameless = text.len > 1 && text.ptr[1] == ' ';
	struct slice call =
	        is_nameless ? slice_make("", 0) : autocall_of(site, site->magic->args, text.ptr[0]);
	if (call.len == 0) {
		drop_magic(site);
		return;
	}
	bool shown = site_shows_value(site);
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_add(&out, shown ? program_echo(site->context->arena, site->program, site->block)
	                       : slice_make("", 0));
	strbuf_add(&out, call);
	site_add_line_ends(site, &out);
	strbuf_puts(&out, shown ? "))" : ")");
	site_replace(site, strbuf_slice(&out));
}

/* ---- %env ---- */

/* SCOREP_* is read only when Python starts, so the run script exports it. */
static void export_setting(const struct site *site, struct slice name, struct slice value)
{
	struct setting setting = setting_of(name, value);
	setting.name_where = site_part_location(site, name);
	setting.value_where = site_part_location(site, value);
	setting.cell = site->block->cell;
	vec_push(site->context->arena, &site->block->code->settings, setting);
	if (slice_has(value, '{') && !bash_has_expansion(value))
		diag_add(site->context->diags, DIAG_ENV_PYTHON, setting.value_where,
		         "the run script cannot evaluate Python; '%.*s' is exported unchanged",
		         SLICE_ARG(value));
	comment_out(site, "in the run script");
}

/* facts: kernel, "%env". IPython splits at the first "=", else at the first blank. */
static void lower_env(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct slice args = slice_trim(magic->args);
	size_t at = slice_find(args, '=', 0);
	if (at == args.len)
		at = slice_find(args, ' ', 0);
	struct slice name = slice_trim_end(slice_sub(args, 0, at));
	struct slice value = slice_trim(slice_tail(args, at + 1));
	if (at == args.len && slice_eq(magic->name, SLICE("env"))) {
		/* %env returns all variables, %env NAME one. */
		struct call call = {
		        .function = SLICE(PACKAGE_ALIAS ".getenv"),
		        .text = name,
		        .gives_value = true,
		};
		call_replace(site, &call);
	} else if (at == args.len || !bash_is_name(name)) {
		diag_add(site->context->diags, DIAG_MAGIC_ARGUMENT, site_location(site),
		         "'%%%.*s' expects NAME=VALUE, found '%.*s'", SLICE_ARG(magic->name),
		         SLICE_ARG(args));
		comment_out(site, "left out");
	} else if (slice_starts_with(name, SLICE("SCOREP_")) || scorep_is_kernel_variable(name)) {
		export_setting(site, name, value);
	} else {
		/* IPython expands the value, sets the variable and prints it. */
		struct call call = {
		        .function = SLICE(PACKAGE_ALIAS ".setenv"),
		        .name = name,
		        .text = value,
		};
		call_replace(site, &call);
	}
}

/* ---- the pass ---- */

/* `%lprun -f f statement` becomes the statement. With a line continuation between the two, the magic
 * can be removed only from an assignment. */
static void keep_body(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct slice code = magic->args;
	bool has_options = !magic_runs_code(magic, &code) && slice_starts_with(code, SLICE("-"));
	uint32_t len = magic->args_offset - magic->offset + (uint32_t)(code.ptr - magic->args.ptr);
	struct slice front =
	        slice_sub(site->block->code->lexed->text, magic->offset, magic->offset + len);
	bool continued = slice_has(front, '\\');
	/* With options %profile has another meaning. */
	if (code.len == 0 || code.ptr[0] == '#' || has_options || (continued && !magic->assigned)) {
		drop_magic(site);
		return;
	}
	diag_add(site->context->diags, DIAG_MAGIC_DROPPED, site_location(site),
	         "'%%%.*s' is left out of the script; its statement is kept",
	         SLICE_ARG(magic->name));
	if (continued)
		len = (uint32_t)magic->name.len + 1;
	block_add_edit(site->context->arena, site->block, magic->offset, len, slice_make("", 0));
}

/* `%aimport a, -b` imports a: a name after "-" is only not reloaded. */
static void lower_import(const struct site *site)
{
	struct slice rest = site->magic->args, word;
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	while ((word = slice_next_word(&rest)).len > 0) {
		word = slice_ends_with(word, SLICE(",")) ? slice_sub(word, 0, word.len - 1) : word;
		if (is_dotted_name(word))
			strbuf_printf(&out, "%s%.*s", out.len == 0 ? "import " : ", ",
			              SLICE_ARG(word));
	}
	if (out.len == 0)
		drop_magic(site);
	else
		site_replace(site, strbuf_slice(&out));
}

static void lower_line(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct call call;
	if (magic->row != NULL && magic->row->action == ACTION_ENV)
		lower_env(site);
	else if (magic->row != NULL && magic->row->action == ACTION_BODY)
		keep_body(site);
	else if (magic->row != NULL && magic->row->action == ACTION_IMPORT)
		lower_import(site);
	else if (magic->kind == MAGIC_AUTOCALL)
		lower_autocall(site);
	else if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("time")))
		lower_time(site);
	else if (lower_to_call(site, magic, &call))
		call_replace(site, &call);
	else if (packages_installs(magic) || magic_interactivity(magic).len > 0 ||
	         site_was_refused(site, INCLUDE_TEXT))
		comment_out(site, "left out");
	else
		drop_magic(site);
}

static void lower_block(struct pass_context *context, struct program *program, struct block *block)
{
	size_t taken = 0;
	if (!block_runs(block))
		return;
	lower_cell_magics(context, program, block);
	for (size_t i = 0; block_is_code(block) && i < block->code->lexed->magics.count; i++) {
		struct site site = {context, program, block, &block->code->lexed->magics.items[i]};
		bool included = taken < block->code->includes.count &&
		                block->code->includes.items[taken].magic == i;
		taken += included;
		if (included)
			comment_out(&site, "included below");
		else
			lower_line(&site);
	}
}

void pass_magics(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct program *program = &context->ir->programs.items[i];
		block_refs blocks = blocks_flatten(context->arena, &program->blocks);
		for (size_t k = 0; k < blocks.count; k++)
			lower_block(context, program, blocks.items[k]);
	}
	packages_warn(context->diags, &context->ir->installs);
}
