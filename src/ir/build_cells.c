/* The contents of env and args cells. */
#include "ir/builder.h"

#include "ir/settings.h"
#include "lex/lex.h"
#include "scorep/args.h"

/* bash(1), "Shell Variables": assigning to these ends the run script. */
static bool is_read_only(struct slice name)
{
	static const struct slice names[] = {
	        SLICE_INIT("BASHOPTS"), SLICE_INIT("BASH_VERSINFO"), SLICE_INIT("EUID"),
	        SLICE_INIT("PPID"),     SLICE_INIT("SHELLOPTS"),     SLICE_INIT("UID"),
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (slice_eq(name, names[i]))
			return true;
	}
	return false;
}

bool setting_name_valid(struct slice name)
{
	if (name.len == 0 || ascii_is_digit(name.ptr[0]))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (!ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '_')
			return false;
	}
	return true;
}

struct slice setting_unquote(struct slice value)
{
	if (value.len >= 2 && (value.ptr[0] == '"' || value.ptr[0] == '\'') &&
	    value.ptr[value.len - 1] == value.ptr[0])
		return slice_sub(value, 1, value.len - 1);
	return value;
}

static struct location place(const struct block *block, struct slice part)
{
	return location_in_cell(block->cell, block->source, (size_t)(part.ptr - block->source.ptr),
	                        part.len);
}

/* The part of the cell below its magic. */
static struct slice below_head(struct slice source, struct slice *head)
{
	struct slice rest = source;
	while (slice_next_line(&rest, head) && slice_trim(*head).len == 0)
		;
	return rest;
}

static void build_env_line(struct arena *arena, struct diags *diags, struct block *block,
                           struct slice line)
{
	struct slice text = slice_trim(line);
	if (text.len == 0 || text.ptr[0] == '#')
		return;
	if (slice_starts_with(text, SLICE("export ")))
		text = slice_trim(slice_sub(text, 7, text.len));
	size_t equals = slice_find(text, '=', 0);
	struct slice name = slice_trim(slice_sub(text, 0, equals));
	if (equals == text.len || !setting_name_valid(name)) {
		diag_add(diags, DIAG_ENV_SYNTAX, place(block, text),
		         "expected KEY=VALUE, found '%.*s'", SLICE_ARG(text));
		return;
	}
	if (is_read_only(name)) {
		diag_add(diags, DIAG_ENV_SYNTAX, place(block, name), "bash lets nobody set '%.*s'",
		         SLICE_ARG(name));
		return;
	}
	struct slice value = setting_unquote(slice_trim(slice_sub(text, equals + 1, text.len)));
	struct setting setting = {
	        .name = name,
	        .value = value,
	        .name_where = place(block, name),
	        .value_where = place(block, value.len > 0 ? value : name),
	        .cell = block->cell,
	};
	vec_push(arena, &block->settings, setting);
}

void build_env(struct arena *arena, struct diags *diags, struct block *block)
{
	struct slice line, rest = below_head(block->source, &line);
	while (slice_next_line(&rest, &line))
		build_env_line(arena, diags, block, line);
}

/* facts: the current kernel reads only the first line below the magic, the old one all of them. All
 * lines are what their author meant. */
static void check_lines(struct diags *diags, const struct block *block,
                        const struct scorep_words *words, struct slice text)
{
	size_t first_end = slice_find(text, '\n', 0);
	for (size_t i = 0; i < words->list.count; i++) {
		const struct scorep_word *word = &words->list.items[i];
		if (word->offset <= first_end)
			continue;
		diag_add(diags, DIAG_ARGS_LINES,
		         place(block, slice_sub(text, word->offset, word->offset + word->len)),
		         "the current Jupyter kernel reads only the first line of arguments; here "
		         "all lines count");
		return;
	}
}

void build_args(struct arena *arena, struct diags *diags, struct block *block,
                const struct magic *head)
{
	struct slice line, below = below_head(block->source, &line);
	/* Arguments may stand beside the magic, too. */
	struct slice text = below;
	if (head->args.len > 0)
		text = slice_sub(block->source, head->args_offset, block->source.len);
	const struct scorep_arg_text where = {
	        .text = text,
	        .cell = block->cell,
	        .source = block->source,
	        .offset = (size_t)(text.ptr - block->source.ptr),
	};
	struct scorep_words words = {0}, checked = {0};
	if (scorep_split_args(diags, &where, &words) < 0)
		return;
	check_lines(diags, block, &words, text);
	scorep_check_args(diags, &where, &words, &checked);
	for (size_t i = 0; i < checked.list.count; i++) {
		const struct scorep_word *word = &checked.list.items[i];
		struct argument argument = {
		        .text = word->text,
		        .where = scorep_arg_place(&where, word->offset, word->len),
		        .expands = word->expands,
		};
		vec_push(arena, &block->arguments, argument);
	}
}
