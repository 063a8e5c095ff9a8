/* Lowers line magics and escapes to calls of helpers; and cell magics to contexts around the code, or to
 * a helper that takes the cell as a string. */
#include "ir/lower/lower_call.h"

#include "base/quote.h"
#include "ir/build/magic_meaning.h"
#include "ir/lower/shell_command.h"
#include "lex/scan.h"

/* ---- the place of a magic ---- */

struct location site_location(const struct site *site)
{
	return lexed_magic_location(site->block->code->lexed, site->magic);
}

struct location site_part_location(const struct site *site, struct slice part)
{
	size_t offset = site->magic->args_offset + (size_t)(part.ptr - site->magic->args.ptr);
	if (part.len == 0)
		return site_location(site);
	return lexed_location(site->block->code->lexed, (uint32_t)offset, (uint32_t)part.len);
}

bool site_shows_value(const struct site *site)
{
	const struct lexed_cell *lexed = site->block->code->lexed;
	if (site->magic->assigned || (site->block->origin != NULL && site->block->origin->silent) ||
	    site->context->options->build.no_echo || block_is_called(site->block) ||
	    lexed->last_line == UINT32_MAX)
		return false;
	const struct logical_line *last = &lexed->logical.items[lexed->last_line];
	return last->kind == LINE_MAGIC && last->column == 0 &&
	       &lexed->magics.items[last->magic] == site->magic;
}

struct slice site_text(const struct site *site)
{
	return slice_sub(site->block->code->lexed->text, site->magic->offset,
	                 site->magic->offset + site->magic->len);
}

void site_add_line_ends(const struct site *site, struct strbuf *out)
{
	strbuf_fill(out, '\n', scan_line_ends(site_text(site)));
}

void site_replace(const struct site *site, struct slice text)
{
	block_add_edit(site->context->arena, site->block, site_text(site), text);
}

/* ---- the table of helpers ---- */

static const struct lowering lowerings[] = {
#define MAGIC(...)
#define LOWERED(name, form, use, function, front, effect, gives_value)                             \
	{SLICE_INIT(name),  SLICE_INIT(PACKAGE_ALIAS "." function),                                \
	 SLICE_INIT(front), EFFECT_##effect,                                                       \
	 FORM_##form,       USE_##use,                                                             \
	 gives_value},
#include "lex/magics.def"
};

const struct lowering *lowering_find(struct slice name, enum magic_form form)
{
	for (size_t i = 0; i < sizeof lowerings / sizeof *lowerings; i++) {
		if (lowerings[i].form == form && slice_eq(lowerings[i].name, name))
			return &lowerings[i];
	}
	abort();
}

/* Returns the text for the helper: the front, with ARGS after or in it. */
static struct slice lowering_text(struct arena *arena, const struct lowering *lowering,
                                  struct slice args)
{
	struct slice front = lowering->front;
	size_t at = slice_find_slice(front, SLICE("%l"), 0);
	struct slice text = arena_printf(arena, "%.*s%.*s%.*s", SLICE_ARG(slice_sub(front, 0, at)),
	                                 SLICE_ARG(args), SLICE_ARG(slice_tail(front, at + 2)));
	return args.len == 0 ? slice_trim_end(text) : text;
}

/* ---- line magics and escapes ---- */

/* Returns a place for messages of the script: "heat.ipynb, cell 7, line 3". LINE 0: without
 * line. */
static struct slice lower_place(const struct site *site, unsigned line)
{
	const struct block *block = site->block;
	struct strbuf out = {.arena = site->context->arena};
	strbuf_add(&out, block->origin != NULL ? block->origin->notebook
	                                       : site->context->ir->notebook_name);
	if (block->code->lexed->number > 0)
		strbuf_printf(&out, ", cell %u", block->cell);
	if (line > 0)
		strbuf_printf(&out, ", line %u", line);
	return strbuf_slice(&out);
}

static bool is_escape(const struct magic *magic)
{
	return magic->kind == MAGIC_SHELL || magic->kind == MAGIC_SHELL_LIST;
}

static void call_of_row(const struct site *site, const struct magic *magic, struct call *out)
{
	/* x = !command and !!command use another helper than !command. */
	bool wants_lines = magic->kind == MAGIC_SHELL_LIST || magic->assigned;
	const struct lowering *lowering =
	        is_escape(magic)
	                ? lowering_find(wants_lines ? SLICE("!!") : SLICE("!"), FORM_ESCAPE)
	                : lowering_find(magic->name, FORM_LINE);
	*out = (struct call){
	        .function = lowering->function,
	        .text = lowering_text(site->context->arena, lowering, magic->args),
	        .effect = lowering->effect,
	        .gives_value = lowering->gives_value,
	};
}

/* True if MAGIC includes a file as FORM. */
static bool requests_file(const struct site *site, const struct magic *magic,
                          enum include_form form)
{
	struct include_request request;
	return include_requested(site->context->arena, magic, &request) && request.form == form;
}

bool site_was_refused(const struct site *site, enum include_form form)
{
	return site->context->options->includes.read != NULL &&
	       requests_file(site, site->magic, form);
}

/* IPython has more magics than nbscorep, and extensions add more. */
static void call_of_ipython(const struct site *site, const struct magic *magic, struct call *out)
{
	*out = (struct call){
	        .function = SLICE(PACKAGE_ALIAS ".line_magic"),
	        .place = lower_place(site, site_location(site).line),
	        .name = magic->name,
	        .text = magic->args,
	        .gives_value = true,
	};
	if (!site_was_refused(site, INCLUDE_NOTEBOOK))
		report_handed_over(site->context->diags, site_location(site), magic);
}

/* Counts the command at WHERE, which installs packages, as left out. */
static void leave_out(const struct site *site, struct location where)
{
	struct ir *ir = site->context->ir;
	if (ir->installs.count++ == 0)
		ir->installs.first = where;
}

/* %pip, !pip install and similar: they install only with --package-installs=run. */
static bool call_of_install(const struct site *site, const struct magic *magic, struct call *out)
{
	struct slice command = magic->args;
	if (magic->kind == MAGIC_LINE)
		command = arena_printf(site->context->arena, "%.*s %.*s", SLICE_ARG(magic->name),
		                       SLICE_ARG(magic->args));
	*out = (struct call){
	        .function = SLICE(PACKAGE_ALIAS ".install"),
	        .text = command,
	        .effect = EFFECT_COMMAND,
	};
	if (!packages_installs(magic))
		return true;
	packages_collect(command, &site->program->packages);
	if (site->context->options->install_packages)
		return true;
	leave_out(site, site_location(site));
	return false;
}

static bool lower_escape(const struct site *site, const struct magic *magic, struct call *out)
{
	enum shell_installing installs = shell_installs(magic->args);
	struct slice word = shell_sets(magic->args);
	struct magic rest = *magic;
	if (installs == SHELL_INSTALLS_ONLY)
		return call_of_install(site, magic, out);
	if (word.len > 0)
		diag_add(site->context->diags, DIAG_SHELL_LAST, site_location(site),
		         "'%.*s' affects only the shell of this line, which then ends",
		         SLICE_ARG(word));
	/* !pip install x; wget y: wget runs. */
	if (installs == SHELL_INSTALLS_TOO)
		packages_collect(magic->args, &site->program->packages);
	if (installs == SHELL_INSTALLS_TOO && !site->context->options->install_packages) {
		leave_out(site, site_location(site));
		rest.args = shell_without_installs(site->context->arena, magic->args);
	}
	call_of_row(site, &rest, out);
	return true;
}

bool lower_to_call(const struct site *site, const struct magic *magic, struct call *out)
{
	bool hands_over = site->context->options->build.unknown_magics != UNKNOWN_MAGICS_DROP;
	bool misplaced = slice_starts_with(magic->name, SLICE("%"));
	if (is_escape(magic))
		return lower_escape(site, magic, out);
	/* A notebook of %run that was not included may exist at run time. */
	bool unknown = magic->kind == MAGIC_LINE && magic->row == NULL && !misplaced &&
	               magic->name.len > 0;
	if (hands_over && (unknown || requests_file(site, magic, INCLUDE_NOTEBOOK))) {
		call_of_ipython(site, magic, out);
		return true;
	}
	if (magic->row == NULL || magic_means_nothing(magic))
		return false;
	switch (magic->row->action) {
	case ACTION_INSTALL:
		return call_of_install(site, magic, out);
	case ACTION_IPYTHON:
		if (hands_over)
			call_of_ipython(site, magic, out);
		return hands_over;
	case ACTION_LOWER:
		call_of_row(site, magic, out);
		return true;
	default:
		return false;
	}
}

static void add_argument(struct strbuf *out, struct slice text)
{
	if (text.len == 0)
		return;
	python_string(out, text);
	strbuf_puts(out, ", ");
}

/* Adds a command that the cell starts. */
static void add_command(const struct site *site, struct slice text, struct location where)
{
	vec_push(site->context->arena, &site->program->commands,
	         ((struct cell_command){text, where}));
}

void call_add(const struct site *site, const struct call *call, bool line_ends, struct strbuf *out)
{
	if ((call->effect & EFFECT_COMMAND) != 0 || slice_eq(call->name, SLICE("sc")))
		add_command(site, call->text, site_location(site));
	strbuf_add(out, call->function);
	strbuf_addc(out, '(');
	add_argument(out, call->place);
	add_argument(out, call->name);
	python_string(out, call->text);
	if (line_ends)
		site_add_line_ends(site, out);
	strbuf_addc(out, ')');
}

void call_replace(const struct site *site, const struct call *call)
{
	bool shown = call->gives_value && site_shows_value(site);
	struct strbuf out = {.arena = site->context->arena};
	strbuf_add(&out, shown ? program_echo(site->context->arena, site->program, site->block)
	                       : slice_make("", 0));
	call_add(site, call, true, &out);
	strbuf_puts(&out, shown ? ")" : "");
	site_replace(site, strbuf_slice(&out));
	site->program->effects |= call->effect;
}

/* ---- cell magics ---- */

static void add_context(const struct site *site, const struct lowering *lowering)
{
	struct strbuf out = {.arena = site->context->arena};
	strbuf_add(&out, lowering->function);
	strbuf_addc(&out, '(');
	bool goes_on = slice_eq(site->magic->name, SLICE("time")) &&
	               slice_eq(site->magic->args, SLICE("--no-raise-error"));
	if (lowering->use == USE_AROUND_NAMED) {
		python_string(&out, site->magic->args);
	} else if (!goes_on && site->magic->args.len > 0 && site->magic->args.ptr[0] != '#') {
		diag_add(site->context->diags, DIAG_CODE_IGNORED, site_location(site),
		         "'%%%%%.*s' takes no statement on its line; '%.*s' is ignored",
		         SLICE_ARG(site->magic->name), SLICE_ARG(site->magic->args));
	}
	/* The innermost magic counts: %%capture below %%time captures the value. */
	bool keeps = slice_eq(site->magic->name, SLICE("time"));
	if (keeps && (site->program->effects & NEED_OUTPUTS) != 0)
		strbuf_printf(&out, "%u%s", site->block->code->count, goes_on ? ", " : "");
	strbuf_puts(&out, goes_on ? "no_raise=True)" : ")");
	vec_push(site->context->arena, &site->block->code->contexts, strbuf_slice(&out));
	bool shows = keeps && !site->context->options->build.no_echo;
	site->block->code->echo = shows ? SLICE(PACKAGE_ALIAS ".timed_value(") : slice_make("", 0);
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
static void drop_installs(const struct site *site)
{
	struct arena *arena = site->context->arena;
	struct slice text = site->block->code->lexed->text;
	packages_collect(text, &site->program->packages);
	if (site->context->options->install_packages)
		return;
	for (struct slice rest = text, one; shell_next_install(&rest, &one);) {
		struct strbuf nothing = {.arena = arena};
		strbuf_addc(&nothing, ':');
		for (struct slice lines = one, line;
		     slice_next_line(&lines, &line) && lines.len > 0;)
			strbuf_puts(&nothing, " \\\n");
		block_add_edit(arena, site->block, one, strbuf_slice(&nothing));
		leave_out(site, block_location(site->block, one));
	}
}

/* Records the program that gets the cell as its input. For a shell, records each line as a
 * command. */
static void note_commands(const struct site *site, const struct lowering *lowering)
{
	struct slice name = site->magic->name, line, rest = site->block->code->lexed->text;
	bool is_output = (lowering->effect & EFFECT_COMMAND) != 0;
	bool is_shell = slice_is_word_of(name, "bash sh") || is_output;
	if (!is_output || site->block->code->helper.argument.len > 0)
		add_command(site, slice_trim(site->block->code->helper.argument),
		            site_location(site));
	while (is_shell && slice_next_line(&rest, &line)) {
		struct slice command = slice_trim(line);
		bool is_left_out = !site->context->options->install_packages &&
		                   shell_installs(command) == SHELL_INSTALLS_ONLY;
		if (command.len > 0 && command.ptr[0] != '#' && !is_left_out)
			add_command(site, command, block_location(site->block, command));
	}
}

/* The value of a cell magic is displayed in all cases. */
static void show_cell_value(const struct site *site)
{
	if (!site->context->options->build.no_echo)
		site->block->code->echo =
		        program_echo(site->context->arena, site->program, site->block);
}

void lower_cell_magics(struct pass_context *context, struct program *program, struct block *block)
{
	struct arena *arena = context->arena;
	struct code *code = block->code;
	struct slice text = code->lexed->text;
	size_t count = code->lexed->cell_magics.count;
	for (size_t i = 0; i < count; i++) {
		const struct magic *magic = &code->lexed->cell_magics.items[i];
		const struct magic_row *row = magic->row;
		struct site site = {context, program, block, magic};
		/* Only the last magic takes foreign text. */
		bool possible =
		        block->kind != BLOCK_FOREIGN || i + 1 == count || lower_runs_around(magic);
		bool lowers = !block_is_called(block) && possible;
		if (!lowers ||
		    (row != NULL && (row->action == ACTION_BODY || row->action == ACTION_DROP)))
			diag_add(context->diags, DIAG_MAGIC_DROPPED, site_location(&site),
			         "'%%%%%.*s' is left out of the script; its code is kept",
			         SLICE_ARG(magic->name));
		if (lowers && (row == NULL || row->action == ACTION_IPYTHON)) {
			code->helper = (struct helper_call){
			        .function = SLICE(PACKAGE_ALIAS ".cell_magic"),
			        .place = lower_place(&site, 0),
			        .argument = arena_printf(arena, "%.*s %.*s", SLICE_ARG(magic->name),
			                                 SLICE_ARG(magic->args)),
			};
			show_cell_value(&site);
			report_handed_over(context->diags, site_location(&site), magic);
		}
		if (!lowers || row == NULL || row->action != ACTION_LOWER)
			continue;
		const struct lowering *lowering = lowering_find(magic->name, FORM_CELL);
		program->effects |= lowering->effect;
		if (lower_runs_around(magic)) {
			add_context(&site, lowering);
			continue;
		}
		code->helper.function = lowering->function;
		code->helper.argument = lowering_text(arena, lowering, magic->args);
		if (slice_is_word_of(magic->name, "bash sh") &&
		    slice_find_slice(text, SLICE("<<"), 0) == text.len && shell_is_closed(text))
			drop_installs(&site);
		if (slice_eq(lowering->function, SLICE(PACKAGE_ALIAS ".script")) ||
		    (lowering->effect & EFFECT_COMMAND) != 0)
			note_commands(&site, lowering);
		if (lowering->gives_value)
			show_cell_value(&site);
	}
}
