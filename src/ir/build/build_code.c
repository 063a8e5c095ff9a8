/* Makes the blocks of cells: code, the settings of env cells, the arguments of args cells. */
#include "ir/build/build_code.h"

#include "base/quote.h"
#include "lex/syntax.h"
#include "scorep/args.h"

/* ---- code ---- */

struct location builder_head_location(const struct builder *b)
{
	if (b->head == NULL)
		return (struct location){
		        .cell = b->cell->number, .line = 1, .column = 1, .file = b->file};
	return lexed_magic_location(b->lexed, b->head);
}

/* %run ignores tags. */
static bool has_tag(const struct builder *b, struct slice tag)
{
	return b->mode != MODE_INCLUDED &&
	       slice_is_one_of(tag, b->cell->tags.items, b->cell->tags.count);
}

struct block *builder_add_block(struct builder *b, enum block_kind kind)
{
	const struct cell *cell = b->cell;
	struct code *code = NULL;
	struct block block = {.kind = kind,
	                      .cell = cell->number,
	                      .id = cell->id,
	                      .source = cell->source,
	                      .was_injected = has_tag(b, SLICE("injected-parameters"))};
	if (block_runs(&block)) {
		code = block.code = ARENA_NEW(b->arena, struct code);
		code->lexed = b->lexed;
		code->count = b->executions;
		code->language = cell->language;
		code->opens_vampir = b->opens_vampir;
		code->sets_parameters = has_tag(b, SLICE("parameters"));
		/* nbclient's tag for cells that are expected to fail. */
		code->may_raise = has_tag(b, SLICE("raises-exception"));
	}
	/* The first tag timeout=SECONDS limits the time of the cell. */
	for (size_t i = 0;
	     cell->type == CELL_CODE && b->mode != MODE_INCLUDED && i < cell->tags.count; i++) {
		struct slice tag = cell->tags.items[i], text = tag;
		double seconds;
		if (!slice_cut_prefix(&text, SLICE("timeout=")))
			continue;
		if (setting_read_seconds(arena_cstr(b->arena, text), &seconds)) {
			if (code != NULL)
				vec_push(b->arena, &code->contexts,
				         arena_printf(b->arena, PACKAGE_ALIAS ".cell_timeout(%.9g)",
				                      seconds));
			break;
		}
		diag_add(b->diags, DIAG_CELL_TIMEOUT, builder_head_location(b),
		         "the tag '%.*s' names no time in seconds, so it limits nothing",
		         SLICE_ARG(tag));
	}
	if (code != NULL && code->may_raise)
		vec_push(b->arena, &code->contexts, SLICE(PACKAGE_ALIAS ".may_raise()"));
	block_list *list = b->lists[b->depth];
	vec_push(b->arena, list, block);
	return &list->items[list->count - 1];
}

void builder_add_code(struct builder *b)
{
	const struct lexed_cell *lexed = b->lexed;
	bool marked = b->mode == MODE_MULTICELL || b->mode == MODE_WRITE_MULTICELL;
	bool has_body = false;
	struct syntax_fault fault;
	for (size_t i = 0; i < lexed->cell_magics.count; i++) {
		const struct magic_row *row = lexed->cell_magics.items[i].row;
		has_body |=
		        row != NULL && (row->action == ACTION_BODY || row->action == ACTION_DROP ||
		                        row->action == ACTION_LOWER);
	}
	/* If a body below a magic like %%time is not valid Python, only that magic fails in
	 * IPython. In a script the whole file would fail, unless the cell raises the error. */
	bool is_broken = has_body && !b->options->keeps_broken_bodies &&
	                 (lexed->broken || syntax_layout_fault(lexed, &fault));
	if (lexed->is_python && !is_broken) {
		builder_add_block(b, marked ? BLOCK_EXECUTE : BLOCK_PLAIN);
		return;
	}
	const struct magic *last = &lexed->cell_magics.items[lexed->cell_magics.count - 1];
	/* A helper takes the cell as a string. */
	bool is_known = last->row != NULL && last->row->action != ACTION_IPYTHON;
	bool is_helpers = is_known ? last->row->action == ACTION_LOWER
	                           : b->options->build.unknown_magics != UNKNOWN_MAGICS_DROP;
	if (is_helpers && !lexed->is_python) {
		bool executes = b->head != NULL && b->head->row != NULL &&
		                b->head->row->action == ACTION_EXECUTE;
		builder_add_block(b, BLOCK_FOREIGN)->code->marked = marked || executes;
		return;
	}
	builder_add_block(b, BLOCK_COMMENT);
	struct location where = lexed_magic_location(lexed, last);
	if (last->row == NULL)
		report_unknown_magic(b->diags, where, last);
	else if (last->row->action == ACTION_NO_EFFECT)
		diag_add(b->diags, DIAG_MAGIC_NO_EFFECT, where,
		         "'%%%%%.*s' has no effect in batch; the cell is left out",
		         SLICE_ARG(last->name));
	else
		diag_add(b->diags, DIAG_MAGIC_DROPPED, where,
		         "the cell of '%%%%%.*s' is left out of the script%s",
		         SLICE_ARG(last->name),
		         lexed->is_python ? "; its code is not valid Python" : "");
}

/* ---- env and args cells ---- */

struct setting setting_of(struct slice name, struct slice written)
{
	struct slice value = slice_unquote(written);
	return (struct setting){
	        .name = name,
	        .value = value,
	        .literal = value.len < written.len && written.ptr[0] == '\'',
	};
}

static struct location part_place(const struct block *block, struct source_mark *mark,
                                  struct slice part)
{
	return location_in_marked_cell(block->cell, block->source,
	                               (size_t)(part.ptr - block->source.ptr), part.len, mark);
}

static void build_env_line(const struct builder *b, struct block *block, struct source_mark *mark,
                           struct slice line)
{
	struct slice text = slice_trim(line);
	if (text.len == 0 || text.ptr[0] == '#')
		return;
	if (slice_cut_prefix(&text, SLICE("export ")))
		text = slice_trim(text);
	size_t equals = slice_find(text, '=', 0);
	struct slice name = slice_trim(slice_sub(text, 0, equals)), wrong = name;
	const char *fault = NULL;
	if (slice_has(text, '\0')) {
		fault = "a variable cannot contain a NUL character";
		wrong = text;
	} else if (equals == text.len || !bash_is_name(name)) {
		fault = "expected KEY=VALUE, found '%.*s'";
		wrong = text;
	} else if (bash_is_read_only(name)) {
		fault = "'%.*s' is read-only in bash";
	} else if (bash_is_own(name)) {
		fault = "'%.*s' is reserved for the run script";
	}
	if (fault != NULL) {
		diag_add(b->diags, DIAG_ENV_SYNTAX, part_place(block, mark, wrong), fault,
		         SLICE_ARG(wrong));
		return;
	}
	struct setting setting = setting_of(name, slice_trim(slice_tail(text, equals + 1)));
	struct slice value = setting.value;
	setting.name_where = part_place(block, mark, name);
	setting.value_where = part_place(block, mark, value.len > 0 ? value : name);
	setting.cell = block->cell;
	vec_push(b->arena, &block->settings, setting);
}

void build_env(const struct builder *b, struct block *block)
{
	struct source_mark mark = {0};
	struct slice line, rest = slice_tail(block->source, b->head->offset);
	slice_next_line(&rest, &line);
	/* The line of the magic may contain a setting, too. */
	build_env_line(b, block, &mark, b->head->args);
	while (slice_next_line(&rest, &line))
		build_env_line(b, block, &mark, line);
}

void build_args(const struct builder *b, struct block *block)
{
	const struct magic *head = b->head;
	block->args = ARENA_NEW(b->arena, struct args);
	block->args->where = builder_head_location(b);
	/* The line of the magic may contain arguments, too. */
	struct slice line, text = slice_tail(block->source, head->offset);
	slice_next_line(&text, &line);
	if (head->args.len > 0)
		text = slice_tail(block->source, head->args_offset);
	struct source_mark mark = {0};
	const struct scorep_arg_text where = {
	        .text = text,
	        .cell = block->cell,
	        .source = block->source,
	        .offset = (size_t)(text.ptr - block->source.ptr),
	        .mark = &mark,
	};
	struct scorep_words words = {0}, checked = {0};
	if (scorep_split_args(b->diags, &where, &words) < 0)
		return;
	/* facts: the current kernel reads only the first line below the magic, the old kernel reads
	 * all lines. The author meant all lines. */
	scorep_check_args(b->diags, &where, &words, &checked);
	vec_each(const struct scorep_word, word, &checked.list) {
		struct argument argument = {
		        .text = word->text,
		        .where = scorep_arg_place(&where, word->offset, word->len),
		        .expands = word->expands,
		        .in_cell = true,
		};
		vec_push(b->arena, &block->args->list, argument);
	}
}
