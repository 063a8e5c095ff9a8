/* Line magics and shell escapes become Python, or comments. */
#include "base/quote.h"
#include "ir/builder.h"
#include "ir/lowering.h"
#include "ir/pass.h"
#include "ir/settings.h"
#include "ir/shell_command.h"
#include "lex/lex.h"
#include "lex/magic_table.h"
#include "scorep/variables.h"

/* The part of the text that a magic's replacement takes: with `x = ` in front of an assigned one. */
static uint32_t statement_start(const struct block *block, const struct magic *magic)
{
	return magic->assigned ? (uint32_t)(magic->target.ptr - block->code.text.ptr)
	                       : magic->offset;
}

static struct slice magic_text(const struct block *block, const struct magic *magic)
{
	return slice_sub(block->code.text, statement_start(block, magic),
	                 magic->offset + magic->len);
}

static struct location magic_location(const struct block *block, const struct magic *magic)
{
	return block_location(block, magic->offset, magic->len);
}

static void replace_statement(struct pass_context *context, struct block *block,
                              const struct magic *magic, struct slice text)
{
	uint32_t start = statement_start(block, magic);
	block_add_edit(context->arena, block, start, magic->offset + magic->len - start, text);
}

/* The magic stays visible as a comment; `pass` keeps the block valid. */
static void comment_out(struct pass_context *context, struct block *block,
                        const struct magic *magic)
{
	const char *end = block->code.text.ptr + magic->offset + magic->len;
	struct strbuf out;
	strbuf_init(&out, context->arena);
	strbuf_puts(&out, "pass  ");
	struct slice line = {0}, rest = magic_text(block, magic);
	while (slice_next_line(&rest, &line)) {
		/* One source line is one comment line, whatever it holds. */
		strbuf_puts(&out, "# ");
		comment_inline(&out, slice_trim_end(line));
		/* A continued magic may end with the line end of a last, empty line. */
		if (line.ptr + line.len < end)
			strbuf_addc(&out, '\n');
	}
	replace_statement(context, block, magic, strbuf_slice(&out));
}

/* How the magic is called in messages: "%time", "!", "?". */
static struct slice display_name(struct arena *arena, const struct magic *magic, struct slice text)
{
	switch (magic->kind) {
	case MAGIC_CELL:
		return arena_printf(arena, "%%%%%.*s", SLICE_ARG(magic->name));
	case MAGIC_LINE:
		return arena_printf(arena, "%%%.*s", SLICE_ARG(magic->name));
	case MAGIC_SHELL_LIST:
		return SLICE("!!");
	case MAGIC_HELP:
		return SLICE("?");
	case MAGIC_SHELL:
	case MAGIC_AUTOCALL:
		break;
	}
	return slice_sub(text, 0, 1);
}

static void drop(struct pass_context *context, struct block *block, const struct magic *magic)
{
	struct location where = magic_location(block, magic);
	struct slice name = display_name(context->arena, magic,
	                                 slice_sub(block->code.text, magic->offset, SIZE_MAX));
	bool misplaced = magic->kind == MAGIC_LINE && slice_starts_with(magic->name, SLICE("%"));
	if (misplaced)
		; /* the lexer told that a cell magic stands below the first line */
	else if (magic->row == NULL)
		report_unknown_magic(context->diags, where, magic->kind, magic->name);
	else if (magic->row->action == ACTION_NO_EFFECT)
		diag_add(context->diags, DIAG_MAGIC_NO_EFFECT, where,
		         "'%.*s' means nothing in batch; it is left out", SLICE_ARG(name));
	else
		diag_add(context->diags, DIAG_MAGIC_DROPPED, where,
		         "'%.*s' is left out of the script", SLICE_ARG(name));
	comment_out(context, block, magic);
}

static bool has_statement(const struct magic *magic)
{
	/* Options of the magic make it something else. */
	return magic->args.len > 0 && magic->args.ptr[0] != '-' && magic->args.ptr[0] != '#';
}

/* `%time statement` leaves the statement. Where a continuation stands between the two, only an
 * assignment can do without the magic. */
static void keep_body(struct pass_context *context, struct block *block, const struct magic *magic)
{
	uint32_t len = magic->args_offset - magic->offset;
	struct slice front = slice_sub(block->code.text, magic->offset, magic->offset + len);
	bool continued = slice_find(front, '\\', 0) < front.len;
	if (!has_statement(magic) || (continued && !magic->assigned)) {
		drop(context, block, magic);
		return;
	}
	diag_add(context->diags, DIAG_MAGIC_DROPPED, magic_location(block, magic),
	         "'%%%.*s' is left out of the script, its statement is kept",
	         SLICE_ARG(magic->name));
	if (continued)
		len = (uint32_t)magic->name.len + 1;
	block_add_edit(context->arena, block, magic->offset, len, slice_make("", 0));
}

struct lowerer {
	struct pass_context *context;
	struct program *program;
};

/* The last line of a cell is displayed, a magic's result too. */
static bool is_last_line(const struct block *block, const struct magic *magic)
{
	const struct lexed_cell *lexed = block->lexed;
	for (size_t i = lexed->logical.count; i-- > 0;) {
		const struct logical_line *line = &lexed->logical.items[i];
		if (line->kind != LINE_BLANK)
			return line->kind == LINE_MAGIC && line->column == 0 &&
			       &lexed->magics.items[line->magic] == magic;
	}
	return false;
}

static struct slice environ_item(struct arena *arena, struct slice name)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	strbuf_puts(&out, "__import__(\"os\").environ[");
	python_string(&out, name);
	strbuf_addc(&out, ']');
	return strbuf_slice(&out);
}

/* %env and %env NAME give the value, which is displayed where the line is the cell's last. */
static void show_environment(struct lowerer *lowerer, struct block *block,
                             const struct magic *magic, struct slice name)
{
	struct arena *arena = lowerer->context->arena;
	struct slice value = name.len == 0 ? SLICE("dict(__import__(\"os\").environ)")
	                                   : environ_item(arena, name);
	bool echo = !magic->assigned && !lowerer->context->options->no_echo &&
	            is_last_line(block, magic);
	if (magic->assigned)
		value = arena_printf(arena, "%.*s = %.*s", SLICE_ARG(magic->target),
		                     SLICE_ARG(value));
	if (echo) {
		value = arena_printf(arena, "_nbscorep_echo(%.*s)", SLICE_ARG(value));
		program_add_snippet(arena, lowerer->program, SLICE("echo"));
	}
	replace_statement(lowerer->context, block, magic, value);
}

/* IPython sets the variable, its value expanded, and says so. */
static void set_environment(struct lowerer *lowerer, struct block *block, const struct magic *magic,
                            struct slice name, struct slice value)
{
	struct strbuf out;
	strbuf_init(&out, lowerer->context->arena);
	if (block->kind == BLOCK_EXECUTE)
		strbuf_puts(&out, "with scorep.instrumenter.disable(): ");
	strbuf_puts(&out, "_nbscorep_setenv(");
	python_string(&out, name);
	strbuf_puts(&out, ", ");
	python_string(&out, value);
	strbuf_puts(&out, ", globals(), locals())");
	replace_statement(lowerer->context, block, magic, strbuf_slice(&out));
	program_add_snippet(lowerer->context->arena, lowerer->program, SLICE("setenv"));
}

static struct location part_location(const struct block *block, const struct magic *magic,
                                     struct slice part)
{
	size_t offset = magic->args_offset + (size_t)(part.ptr - magic->args.ptr);
	if (part.len == 0)
		return magic_location(block, magic);
	return block_location(block, (uint32_t)offset, (uint32_t)part.len);
}

/* SCOREP_* is read once, when Python starts: the run script exports it. */
static void export_setting(struct pass_context *context, struct block *block,
                           const struct magic *magic, struct slice name, struct slice value)
{
	struct setting setting = {
	        .name = name,
	        .value = setting_unquote(value),
	        .name_where = part_location(block, magic, name),
	        .value_where = part_location(block, magic, value),
	        .cell = block->cell,
	        .literal = setting_is_literal(value),
	};
	vec_push(context->arena, &block->settings, setting);
	if (slice_find(value, '{', 0) < value.len && !bash_has_expansion(value))
		diag_add(context->diags, DIAG_ENV_PYTHON, setting.value_where,
		         "the run script knows nothing of Python; '%.*s' is exported as it is",
		         SLICE_ARG(value));
	comment_out(context, block, magic);
}

/* facts: kernel, "%env"; IPython splits at the first "=", else at the first blank. */
static void lower_env(struct lowerer *lowerer, struct block *block, const struct magic *magic)
{
	struct pass_context *context = lowerer->context;
	struct slice args = slice_trim(magic->args);
	size_t at = slice_find(args, '=', 0);
	if (at == args.len)
		at = slice_find(args, ' ', 0);
	struct slice name = slice_trim_end(slice_sub(args, 0, at));
	struct slice value = slice_trim(slice_sub(args, at + 1, args.len));
	if (at == args.len && slice_eq(magic->name, SLICE("env"))) {
		show_environment(lowerer, block, magic, name);
	} else if (at == args.len || !setting_name_valid(name)) {
		diag_add(context->diags, DIAG_MAGIC_ARGUMENT, magic_location(block, magic),
		         "'%%%.*s' wants NAME=VALUE, found '%.*s'", SLICE_ARG(magic->name),
		         SLICE_ARG(args));
		comment_out(context, block, magic);
	} else if (slice_starts_with(name, SLICE("SCOREP_")) || scorep_is_kernel_variable(name)) {
		export_setting(context, block, magic, name, value);
	} else {
		set_environment(lowerer, block, magic, name, value);
	}
}

/* The magic gives a value: x = !command, !!command, a line magic. */
static const struct lowering *find_lowering(const struct magic *magic)
{
	if (magic->kind == MAGIC_LINE)
		return lowering_find(magic->name, FORM_LINE);
	bool wants_lines = magic->kind == MAGIC_SHELL_LIST || magic->assigned;
	return lowering_find(wants_lines ? SLICE("!!") : SLICE("!"), FORM_ESCAPE);
}

static struct slice call_text(struct arena *arena, const struct lowering *lowering,
                              const struct magic *magic)
{
	return arena_printf(arena, "%.*s%.*s", SLICE_ARG(lowering->front), SLICE_ARG(magic->args));
}

/* One line of Python, and the line ends of a continued magic inside of its brackets. */
static void lower_call(struct lowerer *lowerer, struct block *block, const struct magic *magic)
{
	struct pass_context *context = lowerer->context;
	const struct lowering *lowering = find_lowering(magic);
	bool echo = !magic->assigned && magic->kind != MAGIC_SHELL && !context->options->no_echo &&
	            is_last_line(block, magic);
	struct strbuf out;
	strbuf_init(&out, context->arena);
	/* The helper must not show in the trace. */
	if (block->kind == BLOCK_EXECUTE)
		strbuf_puts(&out, "with scorep.instrumenter.disable(): ");
	if (magic->assigned)
		strbuf_printf(&out, "%.*s = ", SLICE_ARG(magic->target));
	strbuf_puts(&out, echo ? "_nbscorep_echo(" : "");
	strbuf_add(&out, lowering->function);
	strbuf_addc(&out, '(');
	python_string(&out, call_text(context->arena, lowering, magic));
	strbuf_puts(&out, ", globals(), locals()");
	struct slice line = {0}, rest = magic_text(block, magic);
	while (slice_next_line(&rest, &line)) {
		if (line.ptr + line.len < block->code.text.ptr + magic->offset + magic->len)
			strbuf_addc(&out, '\n');
	}
	strbuf_puts(&out, echo ? "))" : ")");
	replace_statement(context, block, magic, strbuf_slice(&out));
	program_add_snippet(context->arena, lowerer->program, lowering->snippet);
	if (echo)
		program_add_snippet(context->arena, lowerer->program, SLICE("echo"));
}

static void leave_install(struct pass_context *context, struct block *block,
                          const struct magic *magic)
{
	diag_add(context->diags, DIAG_PACKAGE_INSTALL, magic_location(block, magic),
	         "packages are not installed in batch; install them beforehand");
	comment_out(context, block, magic);
}

/* !command and its like. */
static void lower_shell(struct lowerer *lowerer, struct block *block, const struct magic *magic)
{
	struct pass_context *context = lowerer->context;
	if (shell_installs(magic->args)) {
		leave_install(context, block, magic);
		return;
	}
	struct slice word = shell_sets(magic->args);
	if (word.len > 0)
		diag_add(context->diags, DIAG_SHELL_LAST, magic_location(block, magic),
		         "'%.*s' ends with the shell of this line; it changes nothing for the rest",
		         SLICE_ARG(word));
	lower_call(lowerer, block, magic);
}

static void lower_foreign(struct lowerer *lowerer, struct block *block)
{
	const struct lowering *lowering = lowering_find(block->magic->name, FORM_CELL);
	block->function = lowering->function;
	block->argument = call_text(lowerer->context->arena, lowering, block->magic);
	program_add_snippet(lowerer->context->arena, lowerer->program, lowering->snippet);
}

static void lower_magic(struct lowerer *lowerer, struct block *block, const struct magic *magic)
{
	struct pass_context *context = lowerer->context;
	enum magic_action action = magic->row == NULL ? ACTION_DROP : magic->row->action;
	if (action == ACTION_ENV)
		lower_env(lowerer, block, magic);
	else if (action == ACTION_BODY)
		keep_body(context, block, magic);
	else if (action == ACTION_INSTALL)
		leave_install(context, block, magic);
	else
		drop(context, block, magic);
}

/* Cell magics over the code that do not shape the program: %%time and its like. */
static void report_heads(struct pass_context *context, const struct block *block)
{
	const struct lexed_cell *lexed = block->lexed;
	for (size_t i = 0; i < lexed->cell_magics.count; i++) {
		const struct magic *magic = &lexed->cell_magics.items[i];
		if (magic->row->action != ACTION_BODY && magic->row->action != ACTION_DROP)
			continue;
		diag_add(context->diags, DIAG_MAGIC_DROPPED,
		         location_in_cell(block->cell, block->source, magic->offset, magic->len),
		         "'%%%%%.*s' is left out of the script, its code is kept",
		         SLICE_ARG(magic->name));
	}
}

static void lower_block(struct block *block, void *data)
{
	struct lowerer *lowerer = data;
	if (block->kind == BLOCK_FOREIGN)
		lower_foreign(lowerer, block);
	if (!block_is_code(block))
		return;
	report_heads(lowerer->context, block);
	for (size_t i = 0; i < block->lexed->magics.count; i++) {
		const struct magic *magic = &block->lexed->magics.items[i];
		bool lowered = magic->row != NULL && magic->row->action == ACTION_LOWER;
		if (lowered && magic->kind != MAGIC_LINE)
			lower_shell(lowerer, block, magic);
		else if (lowered)
			lower_call(lowerer, block, magic);
		else
			lower_magic(lowerer, block, magic);
	}
}

void pass_magics(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct lowerer lowerer = {context, &context->ir->programs.items[i]};
		blocks_walk(&lowerer.program->blocks, lower_block, &lowerer);
	}
}
