#include "driver/depfile.h"

#include "base/paths.h"
#include "base/quote.h"

/* ---- names that cannot be in it ---- */

/* True if no dependency file can express NAME for GNU make (its manual: "Rule Syntax", "Using Wildcard Characters in
 * File Names").
 *
 * make ends a name at a tab, even after a backslash, and drops other white space before it. It reads a
 * line with '=' as an assignment, which can set the shell or run a command, and text after ';' as a
 * command. It expands patterns to the names of files that exist; ninja does not read make's escape for
 * them. It puts a home in ~'s place, and drops "./" before it looks for that. A name that ends in ')' ends a
 * member of an archive, which may begin in another name. */
static bool make_misreads(struct slice name)
{
	for (const char *c = "\n\r\t\v\f=;|*?["; *c != '\0'; c++) {
		if (slice_has(name, *c))
			return true;
	}
	if (name.len > 0 && slice_has(SLICE(" &)\\"), name.ptr[name.len - 1]))
		return true;
	while (slice_cut_prefix(&name, SLICE("./"))) {
		while (slice_cut_prefix(&name, SLICE("/")))
			;
	}
	return slice_starts_with(name, SLICE("~"));
}

/* ---- the file ---- */

int depfile_make(struct compilation *c, const struct slice targets[2], struct strbuf *out)
{
	const struct include_files *included = &c->included;
	VECTOR(struct slice) names = {0};
	size_t i;
	vec_push(c->arena, &names, targets[0]);
	vec_push(c->arena, &names, targets[1]);
	/* What the build has read, the notebook first. */
	if (!path_is_stdin(c->path))
		vec_push(c->arena, &names, c->path);
	for (i = 0; i < included->files.count; i++) {
		if (included->files.items[i]->notebook != NULL)
			vec_push(c->arena, &names, included->files.items[i]->path);
	}
	/* Where one was missing, make and ninja build again until it is there. Modules come last. */
	for (int is_module = 0; is_module < 2; is_module++) {
		for (i = 0; i < included->found.count; i++) {
			const struct included_file *file = included->found.items[i];
			if (file->is_module == is_module && (file->notebook != NULL) == is_module)
				vec_push(c->arena, &names, file->path);
		}
	}
	for (i = 0; i < c->needed.count; i++)
		vec_push(c->arena, &names, c->needed.items[i]);
	for (i = 0; i < c->config.files.count; i++)
		vec_push(c->arena, &names, c->config.files.items[i]);
	for (i = 0; i < names.count; i++) {
		if (make_misreads(names.items[i]))
			return diag_add(
			        &c->diags, DIAG_NAME, (struct location){0},
			        "'%.*s' cannot be in a dependency file: make would misread it",
			        SLICE_ARG(names.items[i]));
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
