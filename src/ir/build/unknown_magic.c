#include "ir/build/unknown_magic.h"

#include "base/suggest.h"
#include "ir/build/builder.h"
#include "lex/magic_table.h"

/* Suggests the most similar name of a magic, if one is similar enough. */
static void hint_near_magic(struct diags *diags, enum magic_kind kind, struct slice name)
{
	const char *prefix = kind == MAGIC_CELL ? "%%" : "%";
	size_t count, fitting = 0;
	const struct magic_row *rows = magic_rows(&count);
	struct slice *names = arena_calloc(diags->arena, count, sizeof *names);
	for (size_t i = 0; i < count; i++) {
		/* Names of extensions often differ in the first letter: %%cython, %lprun. */
		if (rows[i].form & (kind == MAGIC_CELL ? FORM_CELL : FORM_LINE) && name.len > 0 &&
		    ascii_lower(rows[i].name.ptr[0]) == ascii_lower(name.ptr[0]))
			names[fitting++] = rows[i].name;
	}
	struct slice near = suggest(name, names, fitting);
	if (near.len > 0)
		diag_hint(diags, DIAG_MAGIC_UNKNOWN, "did you mean '%s%.*s'?", prefix,
		          SLICE_ARG(near));
}

void report_unknown_magic(struct diags *diags, struct location where, enum magic_kind kind,
                          struct slice name)
{
	const char *prefix = kind == MAGIC_CELL ? "%%" : "%";
	diag_add(diags, DIAG_MAGIC_UNKNOWN, where,
	         kind == MAGIC_CELL ? "the cell of '%s%.*s' is left out of the script"
	                            : "'%s%.*s' is left out of the script",
	         prefix, SLICE_ARG(name));
	hint_near_magic(diags, kind, name);
}

void report_handed_over(struct diags *diags, struct location where, const struct magic *magic)
{
	const char *prefix = magic->kind == MAGIC_CELL ? "%%" : "%";
	if (magic->row != NULL) {
		diag_add(diags, DIAG_MAGIC_IPYTHON, where,
		         "IPython runs '%s%.*s' when the script runs; install IPython", prefix,
		         SLICE_ARG(magic->name));
		return;
	}
	bool refused = diags->severity[DIAG_MAGIC_UNKNOWN] == SEVERITY_ERROR;
	diag_add(diags, DIAG_MAGIC_UNKNOWN, where,
	         refused ? "unknown magic '%s%.*s'"
	                 : "IPython runs '%s%.*s' when the script runs; install IPython and the "
	                   "extension that provides the magic",
	         prefix, SLICE_ARG(magic->name));
	hint_near_magic(diags, magic->kind, magic->name);
}
