#include "ir/inclusion.h"

#include "base/strbuf.h"
#include "lex/lex.h"

/* Splits words as Python's shlex does (posix=True), which IPython uses. */
struct word_reader {
	struct arena *arena;
	struct slice rest;
	bool broken; /* a quote is not closed */
};

/* Adds the quoted text at the start of the rest. */
static void add_quoted(struct word_reader *reader, struct strbuf *out)
{
	struct slice rest = reader->rest;
	char quote = rest.ptr[0];
	size_t at = 1;
	for (; at < rest.len && rest.ptr[at] != quote; at++) {
		bool escapes = quote == '"' && rest.ptr[at] == '\\' && at + 1 < rest.len &&
		               (rest.ptr[at + 1] == '"' || rest.ptr[at + 1] == '\\');
		at += escapes;
		strbuf_addc(out, rest.ptr[at]);
	}
	reader->broken |= at >= rest.len;
	reader->rest = slice_sub(rest, at + 1, rest.len);
}

static bool next_word(struct word_reader *reader, struct slice *word)
{
	struct strbuf out;
	strbuf_init(&out, reader->arena);
	reader->rest = slice_trim(reader->rest);
	if (reader->rest.len == 0)
		return false;
	while (reader->rest.len > 0 && !ascii_is_blank(reader->rest.ptr[0])) {
		char c = reader->rest.ptr[0];
		if (c == '"' || c == '\'') {
			add_quoted(reader, &out);
			continue;
		}
		size_t escaped = c == '\\';
		reader->broken |= escaped == reader->rest.len;
		strbuf_add(&out, slice_sub(reader->rest, escaped, escaped + 1));
		reader->rest = slice_sub(reader->rest, escaped + 1, reader->rest.len);
	}
	*word = strbuf_slice(&out);
	return true;
}

/* Skips the letters of the option WORD, and the argument of its last letter. The letters of TAKING
 * take an argument. Returns the first letter that is in WANTED, or '\0'. */
static char skip_option(struct word_reader *reader, struct slice word, struct slice taking,
                        struct slice wanted)
{
	char found = '\0';
	struct slice argument;
	for (size_t i = 1; i < word.len; i++) {
		if (found == '\0' && slice_find(wanted, word.ptr[i], 0) < wanted.len)
			found = word.ptr[i];
		if (slice_find(taking, word.ptr[i], 0) == taking.len)
			continue;
		if (i + 1 == word.len)
			(void)next_word(reader, &argument);
		break;
	}
	return found;
}

/* Sets *WORD to the first word after the options. Returns false if the line ends before it. Works
 * as getopt, which IPython uses. */
static bool skip_options(struct word_reader *reader, struct slice taking, struct slice wanted,
                         char *found, struct slice *word)
{
	*found = '\0';
	while (next_word(reader, word)) {
		if (slice_eq(*word, SLICE("--")))
			return next_word(reader, word);
		if (word->len < 2 || word->ptr[0] != '-')
			return true;
		char letter = skip_option(reader, *word, taking, wanted);
		if (*found == '\0')
			*found = letter;
	}
	return false;
}

static bool is_literal(struct slice name)
{
	return slice_find(name, '$', 0) == name.len && slice_find(name, '{', 0) == name.len &&
	       !slice_starts_with(name, SLICE("~"));
}

static const char *name_problem(struct slice name)
{
	if (slice_starts_with(name, SLICE("http://")) || slice_starts_with(name, SLICE("https://")))
		return "it is a URL, which is not fetched";
	return is_literal(name) ? NULL : "its name is known only when the script runs";
}

/* Sets *NAME to the file of %run. Returns false if %run has no file, or runs a module. */
static bool read_run_name(struct word_reader *reader, struct slice *name)
{
	char module;
	return skip_options(reader, SLICE("NbDlsTm"), SLICE("m"), &module, name) && module == '\0';
}

static bool is_compiled(struct slice name)
{
	return slice_ends_with(name, SLICE(".ipynb")) || slice_ends_with(name, SLICE(".ipy"));
}

static bool read_run(struct word_reader *reader, struct include_request *out)
{
	out->form = INCLUDE_NOTEBOOK;
	if (!read_run_name(reader, &out->name))
		return false;
	out->problem = name_problem(out->name);
	return is_compiled(out->name);
}

/* A name may contain blanks. */
static bool read_load(struct word_reader *reader, struct include_request *out)
{
	char part;
	struct slice word;
	out->form = INCLUDE_TEXT;
	if (!skip_options(reader, SLICE("sr"), SLICE("sr"), &part, &out->name))
		return false;
	while (next_word(reader, &word))
		out->name = arena_printf(reader->arena, "%.*s %.*s", SLICE_ARG(out->name),
		                         SLICE_ARG(word));
	out->problem = part == 'r'   ? "'-r' selects some of its lines"
	               : part == 's' ? "'-s' selects some of its functions"
	                             : name_problem(out->name);
	return true;
}

bool include_requested(struct arena *arena, const struct magic *magic, struct include_request *out)
{
	bool runs = slice_eq(magic->name, SLICE("run"));
	bool loads = slice_eq(magic->name, SLICE("load")) || slice_eq(magic->name, SLICE("loadpy"));
	if (magic->kind != MAGIC_LINE || !(runs || loads))
		return false;
	struct word_reader reader = {.arena = arena, .rest = magic->args};
	*out = (struct include_request){0};
	return (runs ? read_run(&reader, out) : read_load(&reader, out)) && !reader.broken &&
	       out->name.len > 0;
}

bool script_requested(struct arena *arena, const struct magic *magic, struct slice *name)
{
	struct word_reader reader = {.arena = arena, .rest = magic->args};
	return magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("run")) &&
	       read_run_name(&reader, name) && !reader.broken && name->len > 0 &&
	       !is_compiled(*name) && name_problem(*name) == NULL;
}
