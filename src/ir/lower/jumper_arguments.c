#include "ir/lower/jumper_arguments.h"

#include <stdlib.h>

#include "scorep/args.h"

/* The arguments of each magic, in all versions of the extension: the kind of a word without an option,
 * and options with the kind of their value. Other magics take none. */
static const struct {
	struct slice magic;
	const char *arguments;
} specs[] = {
        {SLICE_INIT("perfmonitor_start"), "INTERVAL --monitor=TEXT --check-sanity"},
        {SLICE_INIT("perfmonitor_perfreport"), "--cell=CELLS --level=LEVEL --text"},
        {SLICE_INIT("perfmonitor_enable_perfreports"), "--level=LEVEL --interval=INTERVAL --text"},
        {SLICE_INIT("perfmonitor_plot"),
         "--metrics=TEXT --cell=CELLS --level=LEVEL --save-jpeg=TEXT "
         "--pickle=TEXT --backend=BACKEND --live=TIMES"},
        {SLICE_INIT("perfmonitor_export_perfdata"), "TEXT --file=TEXT --name=NAME --level=LEVEL"},
        {SLICE_INIT("perfmonitor_export_cell_history"), "TEXT --file=TEXT --name=NAME"},
        {SLICE_INIT("perfmonitor_load_perfdata"), "FILE --file=TEXT"},
        {SLICE_INIT("perfmonitor_load_cell_history"), "FILE --file=TEXT"},
        {SLICE_INIT("export_session"), "TEXT"},
        {SLICE_INIT("import_session"), "FILE"},
};

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

struct argument_check {
	const struct site *site;
	const struct magic *magic;
	struct slice arguments; /* of its row in SPECS */
	struct scorep_words words;
};

/* ---- forms of values ---- */

/* True for the index of a cell: from the first cell, or, if negative, back from the current cell.
 * May be empty. */
static bool is_index(struct slice text)
{
	size_t begin = slice_starts_with(text, SLICE("-")) ? 1 : 0, end = begin;
	while (end < text.len && ascii_is_digit(text.ptr[end]))
		end++;
	return end == text.len && (begin == 0 || end > begin);
}

/* Returns NULL if TEXT is a value of KIND, else a description of the expected values. */
static const char *value_wanted(struct arena *arena, struct slice kind, struct slice text)
{
	if (slice_is_word_of(kind, "INTERVAL TIMES")) {
		/* No hexadecimal numbers, as in C. */
		const char *begin = arena_cstr(arena, text);
		char *end;
		bool plain = text.len > 0 && (ascii_is_digit(begin[0]) || begin[0] == '.') &&
		             strpbrk(begin, "xX") == NULL;
		return plain && strtod(begin, &end) > 0 && *end == '\0' ? NULL
		                                                        : "an interval in seconds";
	}
	if (slice_eq(kind, SLICE("LEVEL")))
		return slice_is_word_of(text, "process user system slurm")
		               ? NULL
		               : "process, user, system or slurm";
	if (slice_eq(kind, SLICE("CELLS"))) {
		size_t colon = slice_find(text, ':', 0);
		struct slice first = slice_sub(text, 0, colon), last = slice_tail(text, colon + 1);
		/* Counted from the same end, a range must not end before it begins. */
		bool same_end = first.len > 0 && last.len > 0 &&
		                (first.ptr[0] == '-') == (last.ptr[0] == '-');
		bool is_cells = text.len > 0 && is_index(first) && is_index(last) &&
		                !(same_end && strtod(arena_cstr(arena, first), NULL) >
		                                      strtod(arena_cstr(arena, last), NULL));
		return is_cells ? NULL : "a range of cells, such as 5, 2:8, :5, 3:, -2:, or :";
	}
	if (slice_eq(kind, SLICE("BACKEND")))
		return slice_is_word_of(text, "matplotlib plotly") ? NULL : "matplotlib or plotly";
	if (slice_eq(kind, SLICE("NAME"))) {
		bool is_name = text.len > 0 && !ascii_is_digit(text.ptr[0]);
		for (size_t i = 0; is_name && i < text.len; i++)
			is_name = is_name_byte(text.ptr[i]);
		return is_name ? NULL : "a Python identifier";
	}
	return text.len > 0 ? NULL : "a non-empty text";
}

/* ---- the words ---- */

static struct location word_location(const struct argument_check *c, const struct scorep_word *word)
{
	return site_part_location(
	        c->site, slice_sub(c->magic->args, word->offset, word->offset + word->len));
}

static int refuse_word(const struct argument_check *c, const struct scorep_word *word,
                       const char *verb)
{
	return diag_add(c->site->context->diags, DIAG_MAGIC_ARGUMENT, word_location(c, word),
	                "'%%%.*s' %s '%.*s'", SLICE_ARG(c->magic->name), verb,
	                SLICE_ARG(word->text));
}

static int refuse_missing(const struct argument_check *c, const char *what, struct slice option)
{
	return diag_add(c->site->context->diags, DIAG_MAGIC_ARGUMENT, site_location(c->site),
	                "'%%%.*s' requires %s%.*s", SLICE_ARG(c->magic->name), what,
	                SLICE_ARG(option));
}

static int check_argument_value(const struct argument_check *c, const struct scorep_word *word,
                                struct slice text, struct slice kind)
{
	struct arena *arena = c->site->context->arena;
	const char *wanted = value_wanted(arena, kind, text);
	return wanted == NULL
	               ? 0
	               : refuse_word(c, word, arena_printf(arena, "expects %s, not", wanted).ptr);
}

/* Returns the option in ARGUMENTS that OPTION is or abbreviates, with "=" and the kind of its value;
 * empty unless exactly one matches. */
static struct slice find_option(struct slice arguments, struct slice option)
{
	struct slice found = {0}, one;
	size_t count = 0;
	while ((one = slice_next_word(&arguments)).len > 0) {
		if (slice_eq(slice_sub(one, 0, slice_find(one, '=', 0)), option))
			return one;
		if (option.len > 2 && slice_starts_with(one, option)) {
			found = one;
			count++;
		}
	}
	return count == 1 ? found : slice_make(NULL, 0);
}

/* Reports an option without effect. WORD: the option, or its value. */
static void remark_effect(const struct argument_check *c, const struct scorep_word *word,
                          struct slice option, struct slice value)
{
	for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++) {
		if (slice_eq(without_effect[i].option, option) &&
		    (without_effect[i].value.len == 0 || slice_eq(without_effect[i].value, value)))
			diag_add(c->site->context->diags, DIAG_MAGIC_NO_EFFECT,
			         word_location(c, word), "'%.*s' has no effect in batch: %s",
			         SLICE_ARG(word->text), without_effect[i].instead);
	}
}

/* Checks the option at word *AT, and moves *AT to its last value. Returns -1 after an error. */
static int check_option(const struct argument_check *c, size_t *at, struct slice option,
                        struct slice kind)
{
	const struct scorep_word *words = c->words.list.items, *word = &words[*at];
	size_t equals = slice_find(word->text, '=', 0), count = c->words.list.count;
	struct slice value = slice_tail(word->text, equals + 1);
	bool has_value = equals < word->text.len;
	if (option.len == 0 || (kind.len == 0 && has_value))
		return refuse_word(c, word, "has no option");
	if (kind.len == 0 || (slice_eq(kind, SLICE("TIMES")) && !has_value)) {
		remark_effect(c, word, option, value);
		for (size_t i = 0; kind.len > 0 && i < 2 && *at + 1 < count; i++) {
			word = &words[*at + 1];
			if (slice_starts_with(word->text, SLICE("-")))
				break;
			++*at;
			if (check_argument_value(c, word, word->text, kind) < 0)
				return -1;
		}
		return 0;
	}
	if (!has_value) {
		if (++*at == count)
			return refuse_missing(c, "a value for ", option);
		word = &words[*at];
		value = word->text;
	}
	remark_effect(c, word, option, value);
	return check_argument_value(c, word, value, kind);
}

static int check_words(const struct argument_check *c)
{
	struct slice rest = c->arguments, plain = slice_next_word(&rest);
	bool takes_plain = plain.len > 0 && plain.ptr[0] != '-', has_file = false;
	size_t count = 0;
	for (size_t i = 0; i < c->words.list.count; i++) {
		const struct scorep_word *word = &c->words.list.items[i];
		if (slice_starts_with(word->text, SLICE("-")) && word->text.len > 1) {
			size_t equals = slice_find(word->text, '=', 0);
			struct slice found =
			        find_option(c->arguments, slice_sub(word->text, 0, equals));
			size_t sign = slice_find(found, '=', 0);
			struct slice option = slice_sub(found, 0, sign);
			has_file |= slice_eq(option, SLICE("--file"));
			if (check_option(c, &i, option, slice_tail(found, sign + 1)) < 0)
				return -1;
		} else if (!takes_plain || count++ > 0) {
			return refuse_word(c, word,
			                   takes_plain ? "takes one argument, found"
			                               : "takes no argument, found");
		} else if (check_argument_value(c, word, word->text, plain) < 0) {
			return -1;
		}
	}
	return slice_eq(plain, SLICE("FILE")) && count == 0 && !has_file
	               ? refuse_missing(c, "the name of a file", slice_make("", 0))
	               : 0;
}

void jumper_check_arguments(const struct site *site, const struct magic *magic)
{
	struct argument_check c = {.site = site, .magic = magic};
	struct slice args = magic->args;
	const struct scorep_arg_text text = {.text = args, .place = site_part_location(site, args)};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		if (slice_eq(specs[i].magic, magic->name))
			c.arguments = slice_from(specs[i].arguments);
	}
	if (!slice_has(args, '{') && !slice_has(args, '$') &&
	    scorep_split_args(site->context->diags, &text, &c.words) == 0)
		(void)check_words(&c);
}
