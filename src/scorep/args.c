#include "scorep/args.h"

#include "base/quote.h"
#include "base/strbuf.h"
#include "scorep/variables.h"

static const struct scorep_arg_row rows[] = {
#define ARG(name, form, owner, allowed, doc)                                                       \
	{SLICE_INIT(name), SCOREP_ARG_##form, SCOREP_ARG_##owner, SLICE_INIT(allowed), doc},
#include "scorep/args.def"
#undef ARG
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct scorep_arg_row *scorep_arg_rows(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

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

static char look(const struct splitter *s, size_t ahead)
{
	if (s->text.len - s->at <= ahead)
		return '\0';
	return s->text.ptr[s->at + ahead];
}

static bool at_end(const struct splitter *s)
{
	return s->at >= s->text.len;
}

/* The length of a backslash and the line end after it, or 0. */
static size_t continuation(const struct splitter *s)
{
	if (look(s, 0) != '\\')
		return 0;
	if (look(s, 1) == '\r')
		return look(s, 2) == '\n' ? 3 : 2;
	return look(s, 1) == '\n' ? 2 : 0;
}

static void skip_comment(struct splitter *s)
{
	while (!at_end(s) && look(s, 0) != '\n' && look(s, 0) != '\r')
		s->at++;
}

static void skip_to_word(struct splitter *s)
{
	while (!at_end(s)) {
		size_t joined = continuation(s);
		if (look(s, 0) == '#')
			skip_comment(s);
		else if (joined > 0)
			s->at += joined;
		else if (ascii_is_blank(look(s, 0)))
			s->at++;
		else
			return;
	}
}

static void take_literal(struct splitter *s)
{
	s->literal |= look(s, 0) == '$';
	strbuf_addc(&s->word, look(s, 0));
	s->at++;
}

/* Takes a character outside '...', or a whole $NAME. The braces separate the name from the text
 * after it when the quotes between them are removed: "$A"b. */
static void take_live(struct splitter *s)
{
	struct slice rest = slice_sub(s->text, s->at, s->text.len);
	size_t len = bash_expansion_length(rest);
	if (len == 0) {
		take_literal(s);
		return;
	}
	char next = look(s, len);
	bool quote_follows = next == '"' || next == '\'' || next == '\\';
	if (quote_follows && rest.ptr[1] != '{')
		strbuf_printf(&s->word, "${%.*s}", (int)(len - 1), rest.ptr + 1);
	else
		strbuf_add(&s->word, slice_sub(rest, 0, len));
	s->live = true;
	s->at += len;
}

static int refuse(struct splitter *s, size_t offset, size_t len, const char *message)
{
	diag_add(s->diags, DIAG_ARGS_SYNTAX, scorep_arg_place(s->origin, offset, len), "%s",
	         message);
	return -1;
}

static int take_single_quoted(struct splitter *s)
{
	size_t open = s->at++;
	while (!at_end(s) && look(s, 0) != '\'')
		take_literal(s);
	if (at_end(s))
		return refuse(s, open, 1, "this \"'\" is never closed");
	s->at++;
	return 0;
}

static int take_double_quoted(struct splitter *s)
{
	size_t open = s->at++;
	while (!at_end(s) && look(s, 0) != '"') {
		size_t joined = continuation(s);
		char next = look(s, 1);
		bool escape = look(s, 0) == '\\' &&
		              (next == '"' || next == '\\' || next == '$' || next == '`');
		if (joined > 0) {
			s->at += joined;
		} else if (escape) {
			s->at++;
			take_literal(s);
		} else {
			take_live(s);
		}
	}
	if (at_end(s))
		return refuse(s, open, 1, "this '\"' is never closed");
	s->at++;
	return 0;
}

static int take_backslash(struct splitter *s)
{
	size_t joined = continuation(s);
	if (joined > 0) {
		s->at += joined;
		return 0;
	}
	if (s->at + 1 == s->text.len)
		return refuse(s, s->at, 1, "nothing follows the backslash");
	s->at++;
	take_literal(s);
	return 0;
}

static int take_piece(struct splitter *s)
{
	switch (look(s, 0)) {
	case '\'':
		return take_single_quoted(s);
	case '"':
		return take_double_quoted(s);
	case '\\':
		return take_backslash(s);
	default:
		take_live(s);
		return 0;
	}
}

static int take_word(struct splitter *s, struct scorep_word *word)
{
	size_t start = s->at;
	s->live = s->literal = false;
	strbuf_init(&s->word, s->diags->arena);
	while (!at_end(s) && !ascii_is_blank(look(s, 0))) {
		if (take_piece(s) != 0)
			return -1;
	}
	size_t len = s->at - start;
	*word = (struct scorep_word){strbuf_slice(&s->word), start, len, s->live};
	if (slice_find(word->text, '\0', 0) < word->text.len)
		return refuse(s, start, len, "a NUL character cannot be part of an argument");
	/* It could be passed on in pieces, but this has no use. */
	if (s->live && s->literal)
		return refuse(s, start, len,
		              "a word cannot contain both a '$' that expands and a literal '$'");
	return 0;
}

int scorep_split_args(struct diags *diags, const struct scorep_arg_text *text,
                      struct scorep_words *words)
{
	struct splitter splitter = {.diags = diags, .origin = text, .text = text->text};
	for (skip_to_word(&splitter); !at_end(&splitter); skip_to_word(&splitter)) {
		struct scorep_word word;
		if (take_word(&splitter, &word) != 0)
			return -1;
		vec_push(diags->arena, &words->list, word);
	}
	return 0;
}
