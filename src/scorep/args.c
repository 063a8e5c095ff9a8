#include "scorep/args.h"

#include "base/name_set.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "scorep/variables.h"

static const struct scorep_arg_row rows[] = {
#define ARG(name, form, owner, allowed, doc)                                                       \
	{SLICE_INIT(name), SCOREP_ARG_##form, SCOREP_ARG_##owner, SLICE_INIT(allowed)},
#include "scorep/args.def"
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct scorep_arg_row *scorep_arg_find(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

struct location scorep_arg_place(const struct scorep_arg_text *text, size_t offset, size_t len)
{
	if (text->cell == 0)
		return text->place;
	return location_in_marked_cell(text->cell, text->source, text->offset + offset, len,
	                               text->mark);
}

/* The splitting of a text; WORD is the current word. */
struct splitter {
	struct diags *diags;
	const struct scorep_arg_text *origin;
	struct slice text;
	size_t at;
	struct strbuf word;
	bool live, literal; /* the word has a $NAME that expands; a literal '$' */
};

static char char_at(const struct splitter *s, size_t ahead)
{
	return slice_at(s->text, s->at + ahead);
}

static bool at_end(const struct splitter *s)
{
	return s->at >= s->text.len;
}

/* The length of a backslash and the line end after it, or 0. */
static size_t continuation(const struct splitter *s)
{
	if (char_at(s, 0) != '\\')
		return 0;
	if (char_at(s, 1) == '\r')
		return char_at(s, 2) == '\n' ? 3 : 2;
	return char_at(s, 1) == '\n' ? 2 : 0;
}

static void skip_to_word(struct splitter *s)
{
	while (!at_end(s)) {
		size_t joined = continuation(s);
		if (joined > 0)
			s->at += joined;
		else if (ascii_is_blank(char_at(s, 0)))
			s->at++;
		else if (char_at(s, 0) != '#')
			return;
		else
			while (!at_end(s) && char_at(s, 0) != '\n' && char_at(s, 0) != '\r')
				s->at++;
	}
}

static void take_literal(struct splitter *s)
{
	s->literal |= char_at(s, 0) == '$';
	strbuf_addc(&s->word, char_at(s, 0));
	s->at++;
}

/* Takes a character outside '...', or a whole $NAME. The braces separate the name from the text
 * after it when the quotes between them are removed: "$A"b. */
static void take_live(struct splitter *s)
{
	struct slice rest = slice_tail(s->text, s->at);
	size_t len = bash_expansion_length(rest);
	if (len == 0) {
		take_literal(s);
		return;
	}
	char next = char_at(s, len);
	bool quote_follows = next == '"' || next == '\'' || next == '\\';
	if (quote_follows && rest.ptr[1] != '{')
		strbuf_printf(&s->word, "${%.*s}", (int)(len - 1), rest.ptr + 1);
	else
		strbuf_add(&s->word, slice_sub(rest, 0, len));
	s->live = true;
	s->at += len;
}

static int fail_split(struct splitter *s, size_t offset, size_t len, const char *message)
{
	return diag_add(s->diags, DIAG_ARGS_SYNTAX, scorep_arg_place(s->origin, offset, len), "%s",
	                message);
}

/* Takes '...' or "...". */
static int take_quoted(struct splitter *s)
{
	size_t open = s->at++;
	char quote = s->text.ptr[open];
	bool expands = quote == '"';
	while (!at_end(s) && char_at(s, 0) != quote) {
		size_t joined = expands ? continuation(s) : 0;
		char next = char_at(s, 1);
		bool escape = expands && char_at(s, 0) == '\\' &&
		              (next == '"' || next == '\\' || next == '$' || next == '`');
		s->at += joined + escape;
		if (escape || !expands)
			take_literal(s);
		else if (joined == 0)
			take_live(s);
	}
	if (at_end(s))
		return fail_split(s, open, 1,
		                  expands ? "this '\"' is never closed"
		                          : "this \"'\" is never closed");
	s->at++;
	return 0;
}

static int split_word(struct splitter *s, struct scorep_word *word)
{
	size_t start = s->at;
	s->live = s->literal = false;
	s->word = (struct strbuf){.arena = s->diags->arena};
	while (!at_end(s) && !ascii_is_blank(char_at(s, 0))) {
		char c = char_at(s, 0);
		size_t joined = continuation(s);
		if (c == '\'' || c == '"') {
			if (take_quoted(s) != 0)
				return -1;
		} else if (joined > 0) {
			s->at += joined;
		} else if (c != '\\') {
			take_live(s);
		} else if (s->at + 1 == s->text.len) {
			return fail_split(s, s->at, 1, "nothing follows the backslash");
		} else {
			s->at++;
			take_literal(s);
		}
	}
	size_t len = s->at - start;
	*word = (struct scorep_word){strbuf_slice(&s->word), start, len, s->live};
	if (slice_has(word->text, '\0'))
		return fail_split(s, start, len, "a NUL character cannot be part of an argument");
	/* It could be passed on in pieces, but this has no use. */
	if (s->live && s->literal)
		return fail_split(
		        s, start, len,
		        "a word cannot contain both a '$' that expands and a literal '$'");
	return 0;
}

int scorep_split_args(struct diags *diags, const struct scorep_arg_text *text,
                      struct scorep_words *words)
{
	struct splitter splitter = {.diags = diags, .origin = text, .text = text->text};
	for (skip_to_word(&splitter); !at_end(&splitter); skip_to_word(&splitter)) {
		struct scorep_word word;
		if (split_word(&splitter, &word) != 0)
			return -1;
		vec_push(diags->arena, &words->list, word);
	}
	return 0;
}

/* ---- the check ---- */

/* The bindings pass options that they do not know to scorep-config, which refuses those that it does not know
 * either. The run then ends before the script starts. */

/* The option to check: the word and its parts. */
struct option {
	struct diags *diags;
	const struct scorep_arg_text *origin;
	const struct scorep_word *word;
	struct slice name, value;
	char separator; /* '=', ':', or NUL without a value */
};

static struct location place_of(const struct option *option)
{
	return scorep_arg_place(option->origin, option->word->offset, option->word->len);
}

static int refuse_option(const struct option *option, const char *why)
{
	return diag_add(option->diags, DIAG_ARGS_OPTION, place_of(option), "'%.*s' %s",
	                SLICE_ARG(option->word->text), why);
}

/* A value that the bindings do not know always ends the run. The values that scorep-config accepts
 * depend on its version. */
static int check_allowed(const struct option *option, const struct scorep_arg_row *row)
{
	bool certain = row->owner == SCOREP_ARG_BINDINGS;
	struct slice front = slice_sub(option->word->text, 0, option->name.len + 1);
	const struct scorep_choice choice = {row->allowed, option->name, option->value, front};
	if (row->allowed.len == 0 ||
	    scorep_check_choice(option->diags, certain ? DIAG_ARGS_OPTION : DIAG_ARGS_UNKNOWN,
	                        place_of(option), &choice))
		return 0;
	return certain ? -1 : 0;
}

static int check_option(const struct option *option)
{
	const struct scorep_arg_row *row = scorep_arg_find(option->name);
	if (slice_eq(option->word->text, SLICE("--")))
		return refuse_option(option,
		                     "does not end the options of the bindings, which refuse it");
	if (row == NULL) {
		struct slice names[ROW_COUNT];
		size_t count = 0;
		for (size_t i = 0; i < ROW_COUNT; i++) {
			if (rows[i].form != SCOREP_ARG_REFUSED &&
			    rows[i].form != SCOREP_ARG_OLD_MPI)
				names[count++] = rows[i].name;
		}
		diag_add(option->diags, DIAG_ARGS_UNKNOWN, place_of(option),
		         "unknown option '%.*s' of the bindings and scorep-config",
		         SLICE_ARG(option->name));
		struct slice near = suggest(option->name, names, count);
		if (near.len > 0)
			diag_hint(option->diags, DIAG_ARGS_UNKNOWN, "did you mean '%.*s%.*s'?",
			          SLICE_ARG(near),
			          SLICE_ARG(slice_tail(option->word->text, option->name.len)));
		return 0;
	}
	/* Measured with Score-P 8.4. These wrap calls when the program is linked. */
	if (slice_eq(option->name, SLICE("--io")) &&
	    (slice_eq(option->value, SLICE("posix")) ||
	     slice_eq(option->value, SLICE("linktime:posix")))) {
		diag_add(option->diags, DIAG_ARGS_IO, place_of(option),
		         "'%.*s' records nothing in a Python program",
		         SLICE_ARG(option->word->text));
		diag_hint(option->diags, DIAG_ARGS_IO, "use '--io=runtime:posix'");
	}
	switch (row->form) {
	case SCOREP_ARG_FLAG:
	case SCOREP_ARG_OLD_MPI:
		return option->separator == '\0' ? 0 : refuse_option(option, "takes no value");
	case SCOREP_ARG_LIST:
		if (option->separator == '\0')
			return 0;
		__attribute__((fallthrough));
	case SCOREP_ARG_VALUE:
		if (option->separator != '=' || option->value.len == 0)
			return refuse_option(option, "requires a value after '='");
		return check_allowed(option, row);
	case SCOREP_ARG_MODE:
		if (option->separator == '=')
			return refuse_option(option, "takes its mode after ':'");
		return option->separator == '\0' ? 0 : check_allowed(option, row);
	case SCOREP_ARG_REFUSED:
		break;
	}
	return refuse_option(option, "makes the bindings print help and run nothing");
}

int scorep_check_args(struct diags *diags, const struct scorep_arg_text *text,
                      const struct scorep_words *words, struct scorep_words *out)
{
	int result = 0;
	/* A word that is repeated is reported once. */
	struct name_set seen = {.arena = diags->arena};
	for (size_t i = 0; i < words->list.count; i++) {
		const struct scorep_word *word = &words->list.items[i];
		size_t equals = slice_find(word->text, '=', 0),
		       colon = slice_find(word->text, ':', 0);
		size_t end = equals < colon ? equals : colon;
		struct option option = {
		        .diags = diags,
		        .origin = text,
		        .word = word,
		        .name = slice_sub(word->text, 0, end),
		        .value = slice_tail(word->text, end + 1),
		        .separator = slice_at(word->text, end),
		};
		/* Its expansion is not known before the run. */
		bool known = !word->expands;
		if (known && !slice_starts_with(word->text, SLICE("-"))) {
			/* The bindings take the first such word as the script, and the words after
			 * it as its arguments. */
			refuse_option(
			        &option,
			        "does not start with '-', so the bindings take it as the script");
			const struct scorep_arg_row *row =
			        i > 0 ? scorep_arg_find(word[-1].text) : NULL;
			if (row != NULL && row->form == SCOREP_ARG_VALUE)
				return diag_hint(diags, DIAG_ARGS_OPTION,
				                 "did you mean '%.*s=%.*s'?", SLICE_ARG(row->name),
				                 SLICE_ARG(word->text));
			return diag_hint(diags, DIAG_ARGS_OPTION,
			                 "give only options; nbscorep adds Python, '-m scorep' "
			                 "and the script");
		}
		size_t count = seen.names.count;
		if (known && name_set_add(&seen, word->text) == count &&
		    check_option(&option) != 0) {
			result = -1;
		} else {
			struct scorep_word passed = *word;
			const struct scorep_arg_row *row = scorep_arg_find(option.name);
			if (row != NULL && row->form == SCOREP_ARG_OLD_MPI &&
			    option.separator == '\0') {
				passed.text = SLICE("--mpp=mpi");
				diag_add(diags, DIAG_ARGS_DEPRECATED, place_of(&option),
				         "'--mpi' is deprecated; '--mpp=mpi' is used instead");
			}
			vec_push(diags->arena, &out->list, passed);
		}
	}
	return result;
}
