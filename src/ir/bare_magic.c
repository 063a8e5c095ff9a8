/* Automagic of one word: a cell that is nothing but "ls". IPython asks whether there is a variable of
 * that name; here no cell before it may hold the word, nor anything that brings names unseen. */
#include "ir/builder.h"
#include "notebook/notebook.h"

/* What lists something, and is hardly ever a variable. */
static bool lists_something(struct slice word)
{
	static const struct slice words[] = {
	        SLICE_INIT("ls"),   SLICE_INIT("ll"),  SLICE_INIT("lf"),   SLICE_INIT("lk"),
	        SLICE_INIT("ldir"), SLICE_INIT("lx"),  SLICE_INIT("pwd"),  SLICE_INIT("cd"),
	        SLICE_INIT("dirs"), SLICE_INIT("who"), SLICE_INIT("whos"), SLICE_INIT("who_ls"),
	};
	return slice_is_one_of(word, words, sizeof words / sizeof *words);
}

/* Does WORD stand in TEXT, but as "%word" or in "!word"? */
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

static bool may_bring_names(struct slice text)
{
	static const struct slice words[] = {SLICE_INIT("import *"), SLICE_INIT("%run"),
	                                     SLICE_INIT("%pylab"), SLICE_INIT("exec("),
	                                     SLICE_INIT("globals(")};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (slice_find_slice(text, words[i], 0) < text.len)
			return true;
	}
	return false;
}

const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell)
{
	struct slice word = slice_trim(cell->source);
	if (!lists_something(word))
		return cell;
	for (size_t i = 0; i < notebook->cells.count && &notebook->cells.items[i] != cell; i++) {
		const struct cell *before = &notebook->cells.items[i];
		bool is_same = slice_eq(slice_trim(before->source), word);
		if (before->type == CELL_CODE && !is_same &&
		    (holds_word(before->source, word) || may_bring_names(before->source)))
			return cell;
	}
	struct cell *magic = ARENA_NEW(arena, struct cell);
	*magic = *cell;
	magic->source = arena_printf(arena, "%%%.*s", SLICE_ARG(word));
	return magic;
}
