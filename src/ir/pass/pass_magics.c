/* Turns magics and shell escapes into Python or comments. Cell magics come first (lower_call.c):
 * they become contexts around the code, or a helper that takes the cell as a string. Then each line
 * magic becomes an edit: the call of a helper (lower_call.c), a `with` statement (%time), a
 * variable of the run script, or a comment with a diagnostic (drop_magic()). */
#include "base/quote.h"
#include "ir/build/build_code.h"
#include "ir/build/magic_meaning.h"
#include "ir/lower/lower_call.h"
#include "ir/lower/shell_command.h"
#include "lex/scan.h"
#include "lex/syntax_values.h"
#include "notebook/notebook.h"
#include "scorep/variables.h"

/* ---- magics that become comments ---- */

/* Turns the magic into a comment, which begins with the REASON, after `pass` or, in an assignment,
 * `None`, which keep the code valid. */
static void comment_out(const struct site *site, const char *reason)
{
	const char *end =
	        site->block->code->lexed->text.ptr + site->magic->offset + site->magic->len;
	struct strbuf out = {.arena = site->context->arena};
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

/* Turns the magic into a comment and adds the diagnostic of its row. */
static void drop_magic(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct diags *diags = site->context->diags;
	struct slice rest = magic->args, kernel = slice_next_word(&rest);
	/* The kernel in which JUmPER's wrapper kernel runs the cells after it. */
	bool wraps = magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("wrap_kernel")) &&
	             kernel.len > 0 && kernel.ptr[0] != '#' && !slice_has(kernel, '{') &&
	             !slice_has(kernel, '$') && !notebook_is_python_kernel(kernel);
	/* The lexer has reported a cell magic below the first line. */
	if (magic->kind == MAGIC_LINE && slice_starts_with(magic->name, SLICE("%"))) {
		comment_out(site, "left out");
		return;
	}
	struct slice name = magic->kind == MAGIC_LINE ? arena_printf(site->context->arena, "%%%.*s",
	                                                             SLICE_ARG(magic->name))
	                    : magic->kind == MAGIC_AUTOCALL ? slice_sub(site_text(site), 0, 1)
	                                                    : magic->row->name;
	if (magic->row == NULL) {
		report_unknown_magic(diags, site_location(site), magic);
	} else if (wraps) {
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
	comment_out(site, "left out");
}

/* ---- %time ---- */

/* True if LEXED is valid after "with f():" on one line, with the same meaning as alone. */
static bool fits_timed(const struct lexed_cell *lexed)
{
	/* They would be invalid in a context, or would affect the cell. */
	static const struct slice words =
	        SLICE_INIT("await async yield return break continue global nonlocal");
	if (lexed->broken || slice_has(lexed->text, '\n') || lexed->cell_magics.count > 0)
		return false;
	for (uint32_t i = 0; i < lexed->tokens.count; i++) {
		uint32_t next = syntax_after(lexed, i);
		struct slice text = statement_token(lexed, i);
		enum token_kind kind = lexed->tokens.items[i].kind;
		for (struct slice rest = words, word; (word = slice_next_word(&rest)).len > 0;) {
			if (kind == TOKEN_NAME && slice_eq(text, word))
				return false;
			if (kind == TOKEN_FSTRING && slice_find_slice(text, word, 0) < text.len)
				return false;
		}
		if (syntax_is(lexed, i, SLICE("import")) && syntax_is(lexed, next, SLICE("*")))
			return false;
		/* A name before another operand, as in Python 2's `print x`, is a syntax error that
		 * would make the whole script invalid. */
		if (statement_is_name(lexed, i) && next < lexed->tokens.count &&
		    statement_is_operand(lexed, next))
			return false;
	}
	for (size_t i = 0; i < lexed->statements.count; i++) {
		if (lexed->statements.items[i].header)
			return false;
	}
	return true;
}

/* True if code precedes the assignment on its line, as in "if x: y = !ls" or "a; y = !ls", so that
 * no `with` can be put before the line. May be true for other lines, too. */
static bool magic_has_header(const struct magic *magic)
{
	/* The colon of an annotation or a slice counts, too, which is harmless. */
	return magic->assigned && (slice_has(magic->target, ':') || slice_has(magic->target, ';'));
}

/* Adds the code of %time. The value of its last expression is shown after the times. */
static void add_timed_code(const struct site *site, const struct lexed_cell *lexed,
                           struct strbuf *out)
{
	struct syntax_value value;
	if (!site_shows_value(site) || !syntax_last_expression(lexed, &value)) {
		strbuf_add(out, site->magic->args);
		return;
	}
	struct slice shown = statement_text(lexed, value.first_token, value.last_token);
	size_t start = (size_t)(shown.ptr - lexed->text.ptr);
	strbuf_add(out, slice_sub(lexed->text, 0, start));
	strbuf_puts(out, value.is_tuple ? PACKAGE_ALIAS ".timed_value(("
	                                : PACKAGE_ALIAS ".timed_value(");
	strbuf_add(out, shown);
	strbuf_puts(out, value.is_tuple ? "))" : ")");
	strbuf_add(out, slice_tail(lexed->text, start + shown.len));
}

/* x = %time expression: the context is inserted before it. LINE: the only one with code, or NULL. A
 * continued line is not replaced, since no brackets could contain its line ends. */
static bool replace_expression(const struct site *site, const struct lexed_cell *lexed,
                               const struct logical_line *line)
{
	struct syntax_value value;
	if (scan_line_ends(site_text(site)) > 0 || magic_has_header(site->magic) || line == NULL ||
	    !fits_timed(lexed) || !syntax_last_expression(lexed, &value) ||
	    syntax_next(lexed, 0, (uint32_t)lexed->tokens.count) != value.first_token)
		return false;
	block_add_edit(site->context->arena, site->block, slice_sub(site->magic->target, 0, 0),
	               SLICE("with " PACKAGE_ALIAS ".timed(): "));
	site_replace(site, site->magic->args);
	return true;
}

static bool replace_statement(const struct site *site, const struct lexed_cell *lexed,
                              const struct logical_line *line)
{
	struct slice text = site->magic->args;
	const struct magic *inner =
	        line != NULL && line->kind == LINE_MAGIC ? &lexed->magics.items[line->magic] : NULL;
	bool is_empty = line == NULL && (text.len == 0 || text.ptr[0] == '#');
	struct call call;
	if (!is_empty && (line == NULL || lexed->broken))
		return false;
	if (!is_empty && inner == NULL && !fits_timed(lexed))
		return false;
	/* %time !command, %time %magic. */
	if (inner != NULL && (magic_has_header(inner) || !lower_to_call(site, inner, &call)))
		return false;
	struct strbuf out = {.arena = site->context->arena};
	strbuf_puts(&out, "with " PACKAGE_ALIAS ".timed(");
	if ((site->program->effects & NEED_OUTPUTS) != 0)
		strbuf_printf(&out, "%u", site->block->code->count);
	site_add_line_ends(site, &out);
	strbuf_puts(&out, "): ");
	if (is_empty) {
		strbuf_puts(&out, "pass  ");
		strbuf_add(&out, text);
	} else if (inner == NULL) {
		add_timed_code(site, lexed, &out);
	} else {
		site->program->effects |= call.effect;
		if (inner->assigned)
			strbuf_printf(&out, "%.*s = ", SLICE_ARG(inner->target));
		bool shown = site_shows_value(site) && call.gives_value && !inner->assigned;
		strbuf_puts(&out, shown ? PACKAGE_ALIAS ".timed_value(" : "");
		call_add(site, &call, false, &out);
		strbuf_puts(&out, shown ? ")" : "");
	}
	site_replace(site, strbuf_slice(&out));
	return true;
}

/* Lowers %time: its statement runs in a context. */
static void lower_time(const struct site *site)
{
	struct lexed_cell lexed;
	const struct logical_line *line = NULL;
	struct call call;
	lex_text(site->context->arena, site->magic->args, &lexed);
	if (lexed.code_lines == 1)
		line = &lexed.logical.items[lexed.last_line];
	bool has_option = slice_starts_with(site->magic->args, SLICE("--no-raise-error"));
	if (!has_option && (site->magic->assigned ? replace_expression(site, &lexed, line)
	                                          : replace_statement(site, &lexed, line)))
		return;
	(void)lower_to_call(site, site->magic, &call);
	call_replace(site, &call);
}

/* ---- %env ---- */

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
	} else if (slice_starts_with(name, SLICE("SCOREP_")) || scorep_is_kernel_variable(name)) {
		/* SCOREP_* is read only when Python starts, so the run script exports it. */
		struct setting setting = setting_of(name, value);
		setting.name_where = site_part_location(site, name);
		setting.value_where = site_part_location(site, value);
		setting.cell = site->block->cell;
		vec_push(site->context->arena, &site->block->code->settings, setting);
		if (slice_has(value, '{') && !bash_has_expansion(value))
			diag_add(site->context->diags, DIAG_ENV_PYTHON, setting.value_where,
			         "the run script cannot evaluate Python; '%.*s' is exported "
			         "unchanged",
			         SLICE_ARG(value));
		comment_out(site, "in the run script");
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
	size_t len = magic->args_offset - magic->offset + (size_t)(code.ptr - magic->args.ptr);
	struct slice front = slice_sub(site_text(site), 0, len);
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
		front = slice_sub(front, 0, magic->name.len + 1);
	block_add_edit(site->context->arena, site->block, front, slice_make("", 0));
}

/* `%aimport a, -b` imports a: a name after "-" is only not reloaded. */
static void lower_import(const struct site *site)
{
	struct slice rest = site->magic->args, word;
	struct strbuf out = {.arena = site->context->arena};
	while ((word = slice_next_word(&rest)).len > 0) {
		word = slice_ends_with(word, SLICE(",")) ? slice_sub(word, 0, word.len - 1) : word;
		struct slice left = word, part;
		bool is_name = word.len > 0 && !slice_ends_with(word, SLICE("."));
		while (is_name && slice_next_part(&left, '.', &part))
			is_name = syntax_is_identifier(part);
		if (is_name)
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

void pass_magics(struct pass_context *context)
{
	vec_each(struct program, program, &context->ir->programs) {
		block_refs blocks = blocks_flatten(context->arena, &program->blocks);
		for (size_t k = 0; k < blocks.count; k++) {
			struct block *block = blocks.items[k];
			size_t included = 0;
			if (block_runs(block))
				lower_cell_magics(context, program, block);
			for (size_t m = 0;
			     block_is_code(block) && m < block->code->lexed->magics.count; m++) {
				struct site site = {context, program, block,
				                    &block->code->lexed->magics.items[m]};
				if (included < block->code->includes.count &&
				    block->code->includes.items[included].magic == m) {
					comment_out(&site, "included below");
					included++;
				} else {
					lower_line(&site);
				}
			}
		}
	}
	const struct ir *ir = context->ir;
	size_t others = ir->installs.count - 1;
	if (ir->installs.count == 0)
		return;
	if (others == 0)
		diag_add(context->diags, DIAG_PACKAGE_INSTALL, ir->installs.first,
		         "packages are not installed in batch: this command is left out");
	else
		diag_add(context->diags, DIAG_PACKAGE_INSTALL, ir->installs.first,
		         "packages are not installed in batch: this command and %zu more %s left "
		         "out",
		         others, others == 1 ? "is" : "are");
	diag_hint(context->diags, DIAG_PACKAGE_INSTALL,
	          "install them beforehand; 'nbscorep check --print-requirements' lists them");
}
