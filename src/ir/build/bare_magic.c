/* Automagic of one word: a cell that contains only "ls". IPython runs the magic unless a variable
 * has that name. The name is a magic if no earlier cell contains the word or defines names unseen.
 * It is a variable if an earlier cell assigns it. Otherwise the script checks when it runs. */
#include "ir/build/bare_magic.h"

#include "ir/build/builder.h"
#include "notebook/notebook.h"

/* Magics that list something. Their names are hardly ever variables. */
static const struct slice words[BARE_MAGIC_COUNT] = {
        SLICE_INIT("ls"),   SLICE_INIT("ll"),  SLICE_INIT("lf"),   SLICE_INIT("lk"),
        SLICE_INIT("ldir"), SLICE_INIT("lx"),  SLICE_INIT("pwd"),  SLICE_INIT("cd"),
        SLICE_INIT("dirs"), SLICE_INIT("who"), SLICE_INIT("whos"), SLICE_INIT("who_ls"),
};

/* Returns the index of WORD, or BARE_MAGIC_COUNT. */
static size_t find_word(struct slice word)
{
	size_t at = 0;
	while (at < BARE_MAGIC_COUNT && !slice_eq(words[at], word))
		at++;
	return at;
}

/* True if TEXT contains WORD other than as "%word" or "!word". */
static bool holds_word(struct slice text, struct slice word)
{
	for (size_t at = slice_find_slice(text, word, 0); at < text.len;
	     at = slice_find_slice(text, word, at + 1)) {
		size_t end = at + word.len;
		bool stands_alone = at == 0 || (!is_name_byte(text.ptr[at - 1]) &&
		                                text.ptr[at - 1] != '%' && text.ptr[at - 1] != '!');
		if (stands_alone && (end == text.len || !is_name_byte(text.ptr[end])))
			return true;
	}
	return false;
}

/* True if a line begins with "word =". */
static bool assigns_word(struct slice text, struct slice word)
{
	for (struct slice line; slice_next_line(&text, &line);) {
		struct slice rest = slice_sub(line, word.len, line.len);
		rest = slice_trim(rest);
		if (slice_starts_with(line, word) && slice_starts_with(rest, SLICE("=")) &&
		    !slice_starts_with(rest, SLICE("==")))
			return true;
	}
	return false;
}

static bool may_bring_names(struct slice text)
{
	static const struct slice ways[] = {SLICE_INIT("import *"), SLICE_INIT("%run"),
	                                    SLICE_INIT("%pylab"), SLICE_INIT("exec("),
	                                    SLICE_INIT("globals(")};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (slice_find_slice(text, ways[i], 0) < text.len)
			return true;
	}
	return false;
}

static void read_cell(struct bare_magics *known, const struct cell *cell)
{
	if (cell->type != CELL_CODE)
		return;
	size_t same = find_word(slice_trim(cell->source));
	for (size_t i = 0; i < BARE_MAGIC_COUNT; i++) {
		bool stands = i != same && holds_word(cell->source, words[i]);
		known->stands[i] |= stands;
		known->assigned[i] |= stands && assigns_word(cell->source, words[i]);
	}
	known->any_unseen |= may_bring_names(cell->source);
}

/* Returns code that evaluates the variable WORD if it exists, else runs the magic. */
static struct slice ask_for(struct arena *arena, struct slice word)
{
	return arena_printf(arena,
	                    "%.*s if \"%.*s\" in globals() else "
	                    "get_ipython().run_line_magic(\"%.*s\", \"\")",
	                    SLICE_ARG(word), SLICE_ARG(word), SLICE_ARG(word));
}

const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell, struct bare_magics *known)
{
	struct slice word = slice_trim(cell->source);
	size_t at = find_word(word);
	if (at == BARE_MAGIC_COUNT)
		return cell;
	for (; known->count < notebook->cells.count && &notebook->cells.items[known->count] != cell;
	     known->count++)
		read_cell(known, &notebook->cells.items[known->count]);
	if (known->assigned[at])
		return cell;
	struct cell *magic = ARENA_NEW(arena, struct cell);
	*magic = *cell;
	magic->source = known->stands[at] || known->any_unseen
	                        ? ask_for(arena, word)
	                        : arena_printf(arena, "%%%.*s", SLICE_ARG(word));
	return magic;
}
