#include "ir/inclusion.h"

#include "lex/lex.h"

/* Splits words as Python's shlex does (posix=True), which IPython uses. */
struct word_reader {
	struct arena *arena;
	struct slice rest;
	bool broken; /* a quote is not closed */
};

static bool next_word(struct word_reader *reader, struct slice *word)
{
	struct strbuf out = {.arena = reader->arena};
	reader->rest = slice_trim(reader->rest);
	if (reader->rest.len == 0)
		return false;
	while (reader->rest.len > 0 && !ascii_is_blank(reader->rest.ptr[0])) {
		char c = reader->rest.ptr[0];
		if (c == '"' || c == '\'') {
			struct slice rest = reader->rest;
			size_t at = 1;
			for (; at < rest.len && rest.ptr[at] != c; at++) {
				char next = slice_at(rest, at + 1);
				at += c == '"' && rest.ptr[at] == '\\' &&
				      (next == '"' || next == '\\');
				strbuf_addc(&out, rest.ptr[at]);
			}
			reader->broken |= at >= rest.len;
			reader->rest = slice_tail(rest, at + 1);
			continue;
		}
		size_t escaped = c == '\\';
		reader->broken |= escaped == reader->rest.len;
		strbuf_add(&out, slice_sub(reader->rest, escaped, escaped + 1));
		reader->rest = slice_tail(reader->rest, escaped + 1);
	}
	*word = strbuf_slice(&out);
	return true;
}

/* Sets *WORD to the first word after the options, and *FOUND to the first option letter that is in WANTED,
 * or '\0'. The letters of TAKING take an argument. Returns false if the line ends before *WORD. Works as
 * getopt, which IPython uses. */
static bool skip_options(struct word_reader *reader, struct slice taking, struct slice wanted,
                         char *found, struct slice *word)
{
	*found = '\0';
	while (next_word(reader, word)) {
		if (slice_eq(*word, SLICE("--")))
			return next_word(reader, word);
		if (word->len < 2 || word->ptr[0] != '-')
			return true;
		struct slice letters = *word, argument;
		for (size_t i = 1; i < letters.len; i++) {
			char letter = letters.ptr[i];
			if (*found == '\0' && slice_has(wanted, letter))
				*found = letter;
			if (!slice_has(taking, letter))
				continue;
			if (i + 1 == letters.len)
				(void)next_word(reader, &argument);
			break;
		}
	}
	return false;
}

bool include_requested(struct arena *arena, const struct magic *magic, struct include_request *out)
{
	bool runs = slice_eq(magic->name, SLICE("run"));
	struct word_reader reader = {.arena = arena, .rest = magic->args};
	struct slice word, taking = runs ? SLICE("NbDlsTm") : SLICE("sr"),
	                   wanted = runs ? SLICE("m") : SLICE("sr");
	char part;
	*out = (struct include_request){.form = INCLUDE_TEXT};
	if (magic->kind != MAGIC_LINE || !(runs || slice_is_word_of(magic->name, "load loadpy")) ||
	    !skip_options(&reader, taking, wanted, &part, &out->name) || part == 'm')
		return false;
	if (runs)
		out->form = slice_ends_with(out->name, SLICE(".ipynb")) ||
		                            slice_ends_with(out->name, SLICE(".ipy"))
		                    ? INCLUDE_NOTEBOOK
		                    : INCLUDE_SCRIPT;
	while (!runs && next_word(&reader, &word)) /* the name of %load may contain blanks */
		out->name = arena_printf(arena, "%.*s %.*s", SLICE_ARG(out->name), SLICE_ARG(word));
	if (part == 'r')
		out->problem = "'-r' selects some of its lines";
	else if (part == 's')
		out->problem = "'-s' selects some of its functions";
	else if (slice_starts_with(out->name, SLICE("http://")) ||
	         slice_starts_with(out->name, SLICE("https://")))
		out->problem = "it is a URL, which is not fetched";
	else if (slice_has(out->name, '$') || slice_has(out->name, '{') ||
	         slice_starts_with(out->name, SLICE("~")))
		out->problem = "its name is known only when the script runs";
	return !reader.broken && out->name.len > 0;
}
