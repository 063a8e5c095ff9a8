/* Lowers cell magics: to contexts around the code, or to a helper that takes the cell as a
 * string. */
#include "ir/lower/lower_cell.h"

#include "base/quote.h"
#include "ir/build/builder.h"
#include "ir/build/unknown_magic.h"
#include "ir/lower/lower.h"
#include "ir/lower/lower_call.h"
#include "ir/lower/packages.h"
#include "ir/lower/shell_command.h"
#include "lex/magic_table.h"

struct head {
	struct pass_context *context;
	struct program *program;
	struct block *block;
	const struct magic *magic;
};

static struct location head_location(const struct head *head)
{
	return lexed_head_location(head->block->lexed, head->magic);
}

static void add_context(const struct head *head, const struct lowering *lowering)
{
	struct strbuf out;
	strbuf_init(&out, head->context->arena);
	strbuf_add(&out, lowering->function);
	strbuf_addc(&out, '(');
	bool goes_on = slice_eq(head->magic->name, SLICE("time")) &&
	               slice_eq(head->magic->args, SLICE("--no-raise-error"));
	if (lowering->use == USE_AROUND_NAMED) {
		python_string(&out, head->magic->args);
	} else if (!goes_on && head->magic->args.len > 0 && head->magic->args.ptr[0] != '#') {
		diag_add(head->context->diags, DIAG_CODE_IGNORED, head_location(head),
		         "'%%%%%.*s' takes no statement on its line; '%.*s' is ignored",
		         SLICE_ARG(head->magic->name), SLICE_ARG(head->magic->args));
	}
	/* The innermost magic counts: %%capture below %%time captures the value. */
	bool keeps = slice_eq(head->magic->name, SLICE("time"));
	if (keeps && (head->program->effects & NEED_OUTPUTS) != 0)
		strbuf_printf(&out, "%u%s", head->block->count, goes_on ? ", " : "");
	strbuf_puts(&out, goes_on ? "no_raise=True)" : ")");
	vec_push(head->context->arena, &head->block->contexts, strbuf_slice(&out));
	head->block->echo = keeps ? SLICE(PACKAGE_ALIAS ".timed_value(") : slice_make("", 0);
}

bool lower_runs_around(const struct magic *magic)
{
	if (magic->row == NULL || magic->row->action != ACTION_LOWER)
		return magic->row != NULL;
	enum lowering_use use = lowering_find(magic->name, FORM_CELL)->use;
	return use == USE_AROUND || use == USE_AROUND_NAMED;
}

/* Replaces commands of a shell script that install packages, with continuation lines, by ":". Must
 * not be called for here-documents, in which they would be text. */
static void drop_installs(const struct head *head)
{
	struct arena *arena = head->context->arena;
	struct slice text = head->block->code.text;
	packages_collect(text, &head->program->packages);
	if (head->context->options->install_packages)
		return;
	for (struct slice rest = text, one; shell_next_install(&rest, &one);) {
		uint32_t at = (uint32_t)(one.ptr - text.ptr), len = (uint32_t)one.len;
		struct strbuf nothing;
		strbuf_init(&nothing, arena);
		strbuf_addc(&nothing, ':');
		for (struct slice lines = one, line;
		     slice_next_line(&lines, &line) && lines.len > 0;)
			strbuf_puts(&nothing, " \\\n");
		block_add_edit(arena, head->block, at, len, strbuf_slice(&nothing));
		packages_leave_out(&head->context->ir->installs,
		                   block_location(head->block, at, len));
	}
}

static bool is_shell_script(const struct head *head)
{
	struct slice name = head->magic->name, text = head->block->code.text;
	return (slice_eq(name, SLICE("bash")) || slice_eq(name, SLICE("sh"))) &&
	       slice_find_slice(text, SLICE("<<"), 0) == text.len && shell_is_closed(text);
}

/* Records the program that gets the cell as its input. For a shell, records each line as a
 * command. */
static void note_commands(const struct head *head, const struct lowering *lowering)
{
	struct arena *arena = head->context->arena;
	struct slice name = head->magic->name, line, rest = head->block->code.text;
	bool is_output = (lowering->effect & EFFECT_COMMAND) != 0;
	bool is_shell = slice_eq(name, SLICE("bash")) || slice_eq(name, SLICE("sh")) || is_output;
	if (!is_output || head->block->argument.len > 0)
		program_add_command(arena, head->program, slice_trim(head->block->argument),
		                    head_location(head));
	while (is_shell && slice_next_line(&rest, &line)) {
		struct slice command = slice_trim(line);
		uint32_t at = (uint32_t)(command.ptr - head->block->code.text.ptr);
		bool is_left_out = !head->context->options->install_packages &&
		                   shell_installs(command) == SHELL_INSTALLS_ONLY;
		if (command.len > 0 && command.ptr[0] != '#' && !is_left_out)
			program_add_command(arena, head->program, command,
			                    block_location(head->block, at, (uint32_t)command.len));
	}
}

/* The value of a cell magic is displayed in all cases. */
static void show_value(const struct head *head)
{
	head->block->shows_value = !head->context->options->no_echo;
	if (head->block->shows_value)
		head->block->echo = program_echo(head->context->arena, head->program, head->block);
}

static void lower_head(const struct head *head)
{
	const struct magic_row *row = head->magic->row;
	if (row == NULL || row->action == ACTION_IPYTHON) {
		head->block->function = SLICE(PACKAGE_ALIAS ".cell_magic");
		head->block->place = lower_place(head->context, head->block, 0);
		head->block->argument =
		        arena_printf(head->context->arena, "%.*s %.*s",
		                     SLICE_ARG(head->magic->name), SLICE_ARG(head->magic->args));
		show_value(head);
		if (!name_set_has(&head->context->ir->own_magics, head->magic->name))
			report_handed_over(head->context->diags, head_location(head), head->magic);
		return;
	}
	if (row->action == ACTION_BODY || row->action == ACTION_DROP)
		diag_add(head->context->diags, DIAG_MAGIC_DROPPED, head_location(head),
		         "'%%%%%.*s' is left out of the script; its code is kept",
		         SLICE_ARG(head->magic->name));
	if (row->action != ACTION_LOWER)
		return;
	const struct lowering *lowering = lowering_find(head->magic->name, FORM_CELL);
	if (lowering->use == USE_AROUND || lowering->use == USE_AROUND_NAMED) {
		add_context(head, lowering);
	} else {
		head->block->function = lowering->function;
		head->block->argument =
		        lowering_text(head->context->arena, lowering, head->magic->args);
	}
	if (is_shell_script(head))
		drop_installs(head);
	if (slice_eq(lowering->function, SLICE(PACKAGE_ALIAS ".script")) ||
	    (lowering->effect & EFFECT_COMMAND) != 0)
		note_commands(head, lowering);
	if (lowering->gives_value)
		show_value(head);
	head->program->effects |= lowering->effect;
}

void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block)
{
	const struct lexed_cell *lexed = block->lexed;
	for (size_t i = 0; i < lexed->cell_magics.count; i++) {
		struct head head = {context, program, block, &lexed->cell_magics.items[i]};
		/* Only the last magic takes foreign text. */
		bool is_last = i + 1 == lexed->cell_magics.count;
		bool possible =
		        block->kind != BLOCK_FOREIGN || is_last || lower_runs_around(head.magic);
		if (!block_is_called(block) && possible)
			lower_head(&head);
		else
			diag_add(context->diags, DIAG_MAGIC_DROPPED, head_location(&head),
			         "'%%%%%.*s' is left out of the script; its code is kept",
			         SLICE_ARG(head.magic->name));
	}
}
