#include "driver/depfile.h"

#include "base/paths.h"
#include "base/quote.h"

/* ---- names that cannot be in it ---- */

/* The first of CHARACTERS that NAME has, for a message; NULL: none. */
static const char *find_character(struct arena *arena, struct slice name, const char *characters)
{
	while (*characters != '\0' && !slice_has(name, *characters))
		characters++;
	char c = *characters;
	const char *quote = c == '\'' ? "\"" : "'";
	return c == '\0'                ? NULL
	       : c == '\n' || c == '\r' ? "a line end"
	       : c == '\t'              ? "a tab"
	       : c == '\v'              ? "a vertical tab"
	       : c == '\f'              ? "a form feed"
	       : c < ' ' || c == '\177' ? "a control character"
	                                : arena_printf(arena, "%s%c%s", quote, c, quote).ptr;
}

/* The part of NAME that no dependency file can express for GNU make (its manual: "Rule Syntax", "Using
 * Wildcard Characters in File Names"), for a message; NULL: none.
 *
 * make ends a name at a tab, even after a backslash, and drops other white space before it. It reads a
 * line with '=' as an assignment, which can set the shell or run a command, and text after ';' as a
 * command. It expands patterns to the names of files that exist; ninja does not read make's escape for
 * them. It puts a home in ~'s place, and drops "./" before it looks for that. A name that ends in ')' ends a
 * member of an archive, which may begin in another name. */
static const char *unsayable_in_make(struct arena *arena, struct slice name)
{
	const char *what = find_character(arena, name, "\n\r\t\v\f=;|*?[");
	const char *last =
	        find_character(arena, slice_tail(name, name.len - (name.len > 0)), " &)\\");
	while (slice_cut_prefix(&name, SLICE("./"))) {
		while (slice_cut_prefix(&name, SLICE("/")))
			;
	}
	if (what == NULL && slice_starts_with(name, SLICE("~")))
		what = "'~' at its beginning";
	if (what != NULL || last == NULL)
		return what;
	return arena_printf(arena, "%s at its end",
	                    slice_eq(slice_from(last), SLICE("' '")) ? "a blank" : last)
	        .ptr;
}

/* The same for ninja (its src/depfile_parser.in.cc), of a name that make can express: what it skips unless it is after a
 * backslash. Backslashes before a character that make_word() quotes are counted in another way than make's. */
static const char *unsayable_in_ninja(struct arena *arena, struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool escaped = i > 0 && name.ptr[i - 1] == '\\';
		if (escaped && (c == '#' || c == '$' || c == ':'))
			return "'\\' before '#', '$' or ':'";
		if (c == '%')
			return "'%'";
		const char *what = (unsigned char)c < ' ' ? "a control character"
		                                          : find_character(arena, slice_make(&c, 1),
		                                                           "\"&'<>^`\177");
		if (what != NULL && !escaped)
			return what;
	}
	return slice_ends_with(name, SLICE(":")) ? "':' at its end" : NULL;
}

/* ---- the file ---- */

typedef VECTOR(struct slice) path_list;

/* What the build has read, the notebook first. */
static void list_read_files(const struct compilation *c, path_list *out)
{
	const struct include_files *included = &c->included;
	if (!path_is_stdin(c->path))
		vec_push(c->arena, out, c->path);
	for (size_t i = 0; i < included->files.count; i++) {
		if (included->files.items[i]->notebook != NULL)
			vec_push(c->arena, out, included->files.items[i]->path);
	}
	/* Where one was missing, make and ninja build again until it is there. Modules come last. */
	for (int is_module = 0; is_module < 2; is_module++) {
		for (size_t i = 0; i < included->found.count; i++) {
			const struct included_file *file = included->found.items[i];
			if (file->is_module == is_module && (file->notebook != NULL) == is_module)
				vec_push(c->arena, out, file->path);
		}
	}
	for (size_t i = 0; i < c->needed.count; i++)
		vec_push(c->arena, out, c->needed.items[i]);
	for (size_t i = 0; i < c->config.files.count; i++)
		vec_push(c->arena, out, c->config.files.items[i]);
}

int depfile_make(struct compilation *c, const struct slice targets[2], struct strbuf *out)
{
	path_list names = {0};
	const char *what = NULL, *for_ninja = NULL;
	size_t i;
	vec_push(c->arena, &names, targets[0]);
	vec_push(c->arena, &names, targets[1]);
	list_read_files(c, &names);
	for (i = 0; i < names.count && (what = unsayable_in_make(c->arena, names.items[i])) == NULL;
	     i++)
		;
	if (what != NULL)
		return diag_add(&c->diags, DIAG_NAME, (struct location){0},
		                "'%.*s' contains %s, which a dependency file cannot express",
		                SLICE_ARG(names.items[i]), what);
	for (i = 0; for_ninja == NULL && i < names.count; i++) {
		for_ninja = unsayable_in_ninja(c->arena, names.items[i]);
		if (for_ninja == NULL)
			continue;
		diag_add(&c->diags, DIAG_NINJA_NAME, (struct location){0},
		         "'%.*s' contains %s, which ninja cannot read in a dependency file",
		         SLICE_ARG(names.items[i]), for_ninja);
		diag_hint(&c->diags, DIAG_NINJA_NAME,
		          "rename it if you use ninja, which would build at each call or fail");
	}
	for (i = 0; i < names.count; i++) {
		strbuf_puts(out, i == 0 ? "" : i == 2 ? ": " : " ");
		make_word(out, names.items[i], i < 2);
	}
	strbuf_puts(out, names.count > 2 ? "\n" : ":\n");
	for (i = 2; i < names.count; i++) {
		make_word(out, names.items[i], true);
		strbuf_puts(out, ":\n");
	}
	return 0;
}
