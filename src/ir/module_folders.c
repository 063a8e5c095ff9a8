#include "ir/module_folders.h"

#include "base/paths.h"
#include "lex/syntax.h"

enum {
	PATH_MOST = 4096, /* Linux' PATH_MAX: no path is longer */
	REACH = 200,      /* tokens of a bracket: limits the time for nested ones */
};

struct slice plain_path(struct slice path)
{
	while (slice_cut_prefix(&path, SLICE("./")))
		;
	while (path.len > 1 && slice_ends_with(path, SLICE("/")))
		path.len--;
	return path;
}

static void add_folder(struct slice path, struct name_set *folders)
{
	path = plain_path(path);
	if (path.len > 0)
		name_set_add(folders, path);
}

/* Returns the bracket after "sys.path.append", "sys.path +=" or "chdir" at token AT, or 0. */
static uint32_t find_bracket(const struct lexed_cell *cell, uint32_t at)
{
	uint32_t after = syntax_after(cell, at), path = syntax_after(cell, after);
	if (syntax_is(cell, at, SLICE("chdir")))
		return syntax_is(cell, after, SLICE("(")) ? after : 0;
	if (!syntax_is(cell, at, SLICE("sys")) || !syntax_is(cell, after, SLICE(".")) ||
	    !syntax_is(cell, path, SLICE("path")))
		return 0;
	at = syntax_after(cell, path);
	bool adds = syntax_is(cell, at, SLICE("+="));
	if (adds || syntax_is(cell, at, SLICE(".")))
		at = syntax_after(cell, at);
	if (!adds) /* append, insert, extend */
		at = syntax_after(cell, at);
	return syntax_is(cell, at, adds ? SLICE("[") : SLICE("(")) ? at : 0;
}

void module_folders(const struct lexed_cell *cell, struct name_set *folders)
{
	bool may = name_filter_may_have(&cell->names, SLICE("chdir")) ||
	           (name_filter_may_have(&cell->names, SLICE("sys")) &&
	            name_filter_may_have(&cell->names, SLICE("path")));
	for (uint32_t i = 0; may && i < cell->tokens.count; i++) {
		/* Each string in the bracket, and the path that joins all of them. */
		uint32_t open = find_bracket(cell, i);
		struct slice all = slice_make("", 0);
		unsigned depth = 0;
		for (uint32_t at = open; open > 0 && at < cell->tokens.count && at - open < REACH;
		     at++) {
			depth += syntax_is(cell, at, SLICE("(")) || syntax_is(cell, at, SLICE("["));
			depth -= syntax_is(cell, at, SLICE(")")) || syntax_is(cell, at, SLICE("]"));
			if (depth == 0)
				break;
			/* Only strings without prefix or escapes. */
			const struct token *token = &cell->tokens.items[at];
			struct slice text = token_text(cell, token);
			if (token->kind != TOKEN_STRING || text.len <= 2 || text.len >= PATH_MOST ||
			    !slice_has(SLICE("'\""), text.ptr[0]) || text.ptr[1] == text.ptr[0] ||
			    slice_has(text, '\\'))
				continue;
			struct slice part = slice_sub(text, 1, text.len - 1);
			add_folder(part, folders);
			if (all.len < PATH_MOST)
				all = all.len == 0 ? part : path_join(folders->arena, all, part);
		}
		add_folder(all, folders);
	}
	for (size_t i = 0; i < cell->magics.count; i++) {
		struct slice rest = cell->magics.items[i].args;
		struct slice folder = slice_next_word(&rest);
		if (slice_eq(cell->magics.items[i].name, SLICE("cd")) && folder.len > 0 &&
		    !slice_has(SLICE("-~$"), folder.ptr[0]))
			add_folder(folder, folders);
	}
}
