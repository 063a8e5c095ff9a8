#include "ir/lower/jumper_arguments.h"

#include <stdlib.h>

#include "ir/lower/lower_call.h"
#include "lex/magic_table.h"
#include "notebook/notebook.h"
#include "scorep/args.h"

enum kind {
	KIND_NOTHING,
	KIND_INTERVAL,
	KIND_TIMES, /* up to two intervals */
	KIND_LEVEL,
	KIND_CELLS,
	KIND_BACKEND,
	KIND_NAME,
	KIND_FILE,
	KIND_TEXT
};

/* The arguments, in all versions of the extension. Magics without a row take none. */
static const struct row {
	struct slice magic, option; /* option is empty: a word without an option */
	enum kind kind;
} rows[] = {
        {SLICE_INIT("perfmonitor_start"), SLICE_INIT(""), KIND_INTERVAL},
        {SLICE_INIT("perfmonitor_start"), SLICE_INIT("--monitor"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_start"), SLICE_INIT("--check-sanity"), KIND_NOTHING},
        {SLICE_INIT("perfmonitor_perfreport"), SLICE_INIT("--cell"), KIND_CELLS},
        {SLICE_INIT("perfmonitor_perfreport"), SLICE_INIT("--level"), KIND_LEVEL},
        {SLICE_INIT("perfmonitor_perfreport"), SLICE_INIT("--text"), KIND_NOTHING},
        {SLICE_INIT("perfmonitor_enable_perfreports"), SLICE_INIT("--level"), KIND_LEVEL},
        {SLICE_INIT("perfmonitor_enable_perfreports"), SLICE_INIT("--interval"), KIND_INTERVAL},
        {SLICE_INIT("perfmonitor_enable_perfreports"), SLICE_INIT("--text"), KIND_NOTHING},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--metrics"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--cell"), KIND_CELLS},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--level"), KIND_LEVEL},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--save-jpeg"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--pickle"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--backend"), KIND_BACKEND},
        {SLICE_INIT("perfmonitor_plot"), SLICE_INIT("--live"), KIND_TIMES},
        {SLICE_INIT("perfmonitor_export_perfdata"), SLICE_INIT(""), KIND_TEXT},
        {SLICE_INIT("perfmonitor_export_perfdata"), SLICE_INIT("--file"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_export_perfdata"), SLICE_INIT("--name"), KIND_NAME},
        {SLICE_INIT("perfmonitor_export_perfdata"), SLICE_INIT("--level"), KIND_LEVEL},
        {SLICE_INIT("perfmonitor_export_cell_history"), SLICE_INIT(""), KIND_TEXT},
        {SLICE_INIT("perfmonitor_export_cell_history"), SLICE_INIT("--file"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_export_cell_history"), SLICE_INIT("--name"), KIND_NAME},
        {SLICE_INIT("perfmonitor_load_perfdata"), SLICE_INIT(""), KIND_FILE},
        {SLICE_INIT("perfmonitor_load_perfdata"), SLICE_INIT("--file"), KIND_TEXT},
        {SLICE_INIT("perfmonitor_load_cell_history"), SLICE_INIT(""), KIND_FILE},
        {SLICE_INIT("perfmonitor_load_cell_history"), SLICE_INIT("--file"), KIND_TEXT},
        {SLICE_INIT("export_session"), SLICE_INIT(""), KIND_TEXT},
        {SLICE_INIT("import_session"), SLICE_INIT(""), KIND_FILE},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* Options without an effect. */
static const struct {
	struct slice option, value; /* empty: any value */
	const char *instead;
} without_effect[] = {
        {SLICE_INIT("--check-sanity"), SLICE_INIT(""), "nbscorep uses its own sampler"},
        {SLICE_INIT("--live"), SLICE_INIT(""), "the plot shows the samples taken before it"},
        {SLICE_INIT("--monitor"), SLICE_INIT("slurm_multinode"),
         "only nodes with a rank of the script are sampled (--ranks)"},
};

struct check {
	const struct site *site;
	const struct magic *magic;
	struct scorep_arg_text text;
	struct scorep_words words;
	size_t next;   /* word */
	bool has_file; /* as an option */
};

/* ---- forms of values ---- */

static bool is_interval(struct slice text, struct arena *arena)
{
	const char *begin = arena_cstr(arena, text);
	char *end;
	bool plain = text.len > 0 && (ascii_is_digit(begin[0]) || begin[0] == '.') &&
	             strpbrk(begin, "xX") == NULL; /* no hexadecimal numbers, as in C */
	return plain && strtod(begin, &end) > 0 && *end == '\0';
}

/* True for the index of a cell: from the first cell, or, if negative, back from the current cell.
 * May be empty. */
static bool is_index(struct slice text)
{
	size_t begin = slice_starts_with(text, SLICE("-")) ? 1 : 0, end = begin;
	while (end < text.len && ascii_is_digit(text.ptr[end]))
		end++;
	return end == text.len && (begin == 0 || end > begin);
}

/* True if the range ends before it begins, whatever the number of the last cell. */
static bool ends_before(struct slice first, struct slice last, struct arena *arena)
{
	bool same_end =
	        first.len > 0 && last.len > 0 && (first.ptr[0] == '-') == (last.ptr[0] == '-');
	return same_end &&
	       strtod(arena_cstr(arena, first), NULL) > strtod(arena_cstr(arena, last), NULL);
}

/* 5, 2:8, :5, 3:, -2:, and : */
static bool is_cells(struct slice text, struct arena *arena)
{
	size_t colon = slice_find(text, ':', 0);
	struct slice first = slice_sub(text, 0, colon);
	struct slice last = slice_sub(text, colon + 1, text.len);
	return text.len > 0 && is_index(first) && is_index(last) &&
	       !ends_before(first, last, arena);
}

static bool is_name(struct slice text)
{
	bool name = text.len > 0 && !ascii_is_digit(text.ptr[0]);
	for (size_t i = 0; name && i < text.len; i++)
		name = ascii_is_alnum(text.ptr[i]) || text.ptr[i] == '_' ||
		       (unsigned char)text.ptr[i] >= 0x80;
	return name;
}

/* Returns NULL if TEXT is a value of KIND, else a description of the expected values. */
static const char *value_wanted(struct arena *arena, enum kind kind, struct slice text)
{
	switch (kind) {
	case KIND_INTERVAL:
	case KIND_TIMES:
		return is_interval(text, arena) ? NULL : "an interval in seconds";
	case KIND_LEVEL:
		return slice_is_word_of(text, "process user system slurm")
		               ? NULL
		               : "process, user, system or slurm";
	case KIND_CELLS:
		return is_cells(text, arena)
		               ? NULL
		               : "a range of cells, such as 5, 2:8, :5, 3:, -2:, or :";
	case KIND_BACKEND:
		return slice_is_word_of(text, "matplotlib plotly") ? NULL : "matplotlib or plotly";
	case KIND_NAME:
		return is_name(text) ? NULL : "a Python identifier";
	default:
		return text.len > 0 ? NULL : "a non-empty text";
	}
}

/* ---- the words ---- */

static const struct scorep_word *next_word(struct check *c)
{
	return c->next < c->words.list.count ? &c->words.list.items[c->next++] : NULL;
}

static struct location word_location(const struct check *c, const struct scorep_word *word)
{
	return site_part_location(c->site,
	                          slice_sub(c->text.text, word->offset, word->offset + word->len));
}

static bool refuse_word(const struct check *c, const struct scorep_word *word, const char *verb)
{
	diag_add(c->site->context->diags, DIAG_MAGIC_ARGUMENT, word_location(c, word),
	         "'%%%.*s' %s '%.*s'", SLICE_ARG(c->magic->name), verb, SLICE_ARG(word->text));
	return false;
}

static bool refuse_missing(const struct check *c, const char *what, struct slice option)
{
	diag_add(c->site->context->diags, DIAG_MAGIC_ARGUMENT, site_location(c->site),
	         "'%%%.*s' requires %s%.*s", SLICE_ARG(c->magic->name), what, SLICE_ARG(option));
	return false;
}

static bool check_value(const struct check *c, const struct scorep_word *word, struct slice text,
                        enum kind kind)
{
	struct arena *arena = c->site->context->arena;
	const char *wanted = value_wanted(arena, kind, text);
	return wanted == NULL ||
	       refuse_word(c, word, arena_printf(arena, "expects %s, not", wanted).ptr);
}

/* Returns the row of OPTION, which may be an unambiguous abbreviation, or NULL. */
static const struct row *find_row(const struct check *c, struct slice option)
{
	const struct row *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!slice_eq(rows[i].magic, c->magic->name))
			continue;
		if (slice_eq(rows[i].option, option))
			return &rows[i];
		if (option.len > 2 && slice_starts_with(rows[i].option, option)) {
			found = &rows[i];
			count++;
		}
	}
	return count == 1 ? found : NULL;
}

static bool check_times(struct check *c)
{
	enum { MOST = 2 };
	for (size_t i = 0; i < MOST && c->next < c->words.list.count; i++) {
		const struct scorep_word *word = &c->words.list.items[c->next];
		if (slice_starts_with(word->text, SLICE("-")))
			return true;
		c->next++;
		if (!check_value(c, word, word->text, KIND_INTERVAL))
			return false;
	}
	return true;
}

/* Reports an option without effect. WORD: the option, or its value. */
static void remark_effect(const struct check *c, const struct scorep_word *word,
                          struct slice option, struct slice value)
{
	for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++) {
		bool found = slice_eq(without_effect[i].option, option) &&
		             (without_effect[i].value.len == 0 ||
		              slice_eq(without_effect[i].value, value));
		if (found)
			diag_add(c->site->context->diags, DIAG_MAGIC_NO_EFFECT,
			         word_location(c, word), "'%.*s' has no effect in batch: %s",
			         SLICE_ARG(word->text), without_effect[i].instead);
	}
}

static bool check_option(struct check *c, const struct scorep_word *word)
{
	size_t equals = slice_find(word->text, '=', 0);
	const struct row *row = find_row(c, slice_sub(word->text, 0, equals));
	if (row == NULL || (row->kind == KIND_NOTHING && equals < word->text.len))
		return refuse_word(c, word, "has no option");
	c->has_file = c->has_file || slice_eq(row->option, SLICE("--file"));
	if (row->kind == KIND_NOTHING || (row->kind == KIND_TIMES && equals == word->text.len)) {
		remark_effect(c, word, row->option, slice_make("", 0));
		return row->kind == KIND_NOTHING || check_times(c);
	}
	struct slice value = slice_sub(word->text, equals + 1, word->text.len);
	if (equals == word->text.len) {
		word = next_word(c);
		if (word == NULL)
			return refuse_missing(c, "a value for ", row->option);
		value = word->text;
	}
	remark_effect(c, word, row->option, value);
	return check_value(c, word, value, row->kind);
}

static void check_words(struct check *c)
{
	const struct scorep_word *word;
	const struct row *plain = find_row(c, SLICE(""));
	size_t count = 0;
	while ((word = next_word(c)) != NULL) {
		bool good;
		if (slice_starts_with(word->text, SLICE("-")) && word->text.len > 1)
			good = check_option(c, word);
		else if (plain == NULL || count++ > 0)
			good = refuse_word(c, word,
			                   plain == NULL ? "takes no argument, found"
			                                 : "takes one argument, found");
		else
			good = check_value(c, word, word->text, plain->kind);
		if (!good)
			return;
	}
	if (plain != NULL && plain->kind == KIND_FILE && count == 0 && !c->has_file)
		refuse_missing(c, "the name of a file", slice_make("", 0));
}

static bool is_jumper(const struct magic *magic)
{
	return magic->kind == MAGIC_LINE &&
	       lowering_find(magic->name, FORM_LINE)->effect == EFFECT_JUMPER;
}

void jumper_check_arguments(const struct site *site, const struct magic *magic)
{
	struct check c = {.site = site, .magic = magic};
	struct slice args = magic->args;
	if (!is_jumper(magic) || slice_find(args, '{', 0) < args.len ||
	    slice_find(args, '$', 0) < args.len)
		return;
	c.text = (struct scorep_arg_text){.text = args, .place = site_part_location(site, args)};
	if (scorep_split_args(site->context->diags, &c.text, &c.words) == 0)
		check_words(&c);
}

struct slice jumper_other_kernel(const struct magic *magic)
{
	struct slice rest = magic->args, kernel = slice_next_word(&rest);
	bool is_chosen = magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("wrap_kernel")) &&
	                 kernel.len > 0 && kernel.ptr[0] != '#' &&
	                 slice_find(kernel, '{', 0) == kernel.len &&
	                 slice_find(kernel, '$', 0) == kernel.len;
	return is_chosen && !notebook_is_python_kernel(kernel) ? kernel : slice_make("", 0);
}
