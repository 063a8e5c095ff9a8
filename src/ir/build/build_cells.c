/* The contents of env and args cells. */
#include "ir/build/build_cells.h"

#include "ir/build/builder.h"

#include "base/quote.h"
#include "base/utf8.h"
#include "lex/lex.h"
#include "scorep/args.h"
#include "scorep/check_args.h"

bool setting_is_literal(struct slice value)
{
	return value.len >= 2 && value.ptr[0] == '\'' && value.ptr[value.len - 1] == '\'';
}

struct slice setting_unquote(struct slice value)
{
	if (value.len >= 2 && (value.ptr[0] == '"' || value.ptr[0] == '\'') &&
	    value.ptr[value.len - 1] == value.ptr[0])
		return slice_sub(value, 1, value.len - 1);
	return value;
}

/* Iterates over a cell's lines and counts them. */
struct line_reader {
	struct slice rest, line;
	unsigned number;
};

static bool next_line(struct line_reader *reader)
{
	reader->number++;
	return slice_next_line(&reader->rest, &reader->line);
}

/* Returns a reader at the line of the magic HEAD. Lines above it do not belong to HEAD. */
static struct line_reader at_head(struct slice source, const struct magic *head)
{
	struct line_reader reader = {.rest = source};
	const char *place = source.ptr + head->offset;
	while (next_line(&reader) && reader.line.ptr + reader.line.len < place)
		;
	return reader;
}

static struct location place(const struct block *block, const struct line_reader *reader,
                             struct slice part)
{
	return location_in_line(block->cell, reader->number, reader->line,
	                        (size_t)(part.ptr - reader->line.ptr), part.len);
}

static void build_env_line(struct arena *arena, struct diags *diags, struct block *block,
                           const struct line_reader *reader, struct slice line)
{
	struct slice text = slice_trim(line);
	if (text.len == 0 || text.ptr[0] == '#')
		return;
	if (slice_starts_with(text, SLICE("export ")))
		text = slice_trim(slice_sub(text, 7, text.len));
	if (slice_find(text, '\0', 0) < text.len) {
		diag_add(diags, DIAG_ENV_SYNTAX, place(block, reader, text),
		         "a variable cannot contain a NUL character");
		return;
	}
	size_t equals = slice_find(text, '=', 0);
	struct slice name = slice_trim(slice_sub(text, 0, equals));
	if (equals == text.len || !bash_is_name(name)) {
		diag_add(diags, DIAG_ENV_SYNTAX, place(block, reader, text),
		         "expected KEY=VALUE, found '%.*s'", SLICE_ARG(text));
		return;
	}
	if (bash_is_read_only(name)) {
		diag_add(diags, DIAG_ENV_SYNTAX, place(block, reader, name),
		         "'%.*s' is read-only in bash", SLICE_ARG(name));
		return;
	}
	if (bash_is_own(name)) {
		diag_add(diags, DIAG_ENV_SYNTAX, place(block, reader, name),
		         "'%.*s' is reserved for the run script", SLICE_ARG(name));
		return;
	}
	struct slice written = slice_trim(slice_sub(text, equals + 1, text.len));
	struct slice value = setting_unquote(written);
	struct setting setting = {
	        .name = name,
	        .value = value,
	        .name_where = place(block, reader, name),
	        .value_where = place(block, reader, value.len > 0 ? value : name),
	        .cell = block->cell,
	        .literal = setting_is_literal(written),
	};
	vec_push(arena, &block->settings, setting);
}

void build_env(struct arena *arena, struct diags *diags, struct block *block,
               const struct magic *head)
{
	struct line_reader reader = at_head(block->source, head);
	/* The line of the magic may contain a setting, too. */
	build_env_line(arena, diags, block, &reader, head->args);
	while (next_line(&reader))
		build_env_line(arena, diags, block, &reader, reader.line);
}

/* facts: the current kernel reads only the first line below the magic, the old kernel reads all
 * lines. The author meant all lines. */
static void check_lines(struct diags *diags, const struct scorep_words *words,
                        const struct scorep_arg_text *text)
{
	size_t first_end = slice_find(text->text, '\n', 0);
	for (size_t i = 0; i < words->list.count; i++) {
		const struct scorep_word *word = &words->list.items[i];
		if (word->offset <= first_end)
			continue;
		diag_add(diags, DIAG_ARGS_LINES, scorep_arg_place(text, word->offset, word->len),
		         "the current Jupyter kernel reads only the first line of arguments; "
		         "nbscorep reads all lines");
		return;
	}
}

/* Moves WHERE forward by BYTES of REST. Words of an args cell come in order, so each line is read
 * once. */
static void advance(struct location *where, struct slice *rest, size_t bytes)
{
	struct slice passed = slice_sub(*rest, 0, bytes);
	*rest = slice_sub(*rest, bytes, rest->len);
	for (size_t at = 0, len; at < passed.len; at += len) {
		int32_t c = utf8_decode(slice_sub(passed, at, passed.len), &len);
		where->column = c == '\n' ? 1 : where->column + 1;
		where->line += c == '\n';
	}
}

void build_args(struct arena *arena, struct diags *diags, struct block *block,
                const struct magic *head)
{
	/* The line of the magic may contain arguments, too. */
	struct slice text = at_head(block->source, head).rest;
	if (head->args.len > 0)
		text = slice_sub(block->source, head->args_offset, block->source.len);
	struct source_mark mark = {0};
	const struct scorep_arg_text where = {
	        .text = text,
	        .cell = block->cell,
	        .source = block->source,
	        .offset = (size_t)(text.ptr - block->source.ptr),
	        .mark = &mark,
	};
	struct scorep_words words = {0}, checked = {0};
	if (scorep_split_args(diags, &where, &words) < 0)
		return;
	check_lines(diags, &words, &where);
	scorep_check_args(diags, &where, &words, &checked);
	struct location at = {.cell = block->cell, .line = 1, .column = 1};
	struct slice rest = block->source;
	for (size_t i = 0; i < checked.list.count; i++) {
		const struct scorep_word *word = &checked.list.items[i];
		size_t passed = (size_t)(rest.ptr - block->source.ptr);
		advance(&at, &rest, where.offset + word->offset - passed);
		struct argument argument = {
		        .text = word->text,
		        .where = at,
		        .expands = word->expands,
		        .source = block->source,
		        .offset = where.offset + word->offset,
		        .len = word->len,
		};
		vec_push(arena, &block->arguments, argument);
	}
}
