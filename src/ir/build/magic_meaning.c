/* What the magics of a notebook mean in batch, where that is not in magics.def: it depends on their
 * arguments, on the notebook's own magics, on variables with the names of magics. */
#include "ir/build/magic_meaning.h"

#include "base/suggest.h"
#include "lex/scan.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

/* ---- meanings that depend on arguments ---- */

/* Extensions that serve the notebook's user interface, or whose magics nbscorep replaces
 * (magics.def). */
static const char interactive_extensions[] =
        "autoreload tensorboard jumper_extension nb_black lab_black jupyter_black "
        "blackcellmagic nb_mypy jupyternotify jupyter_ai jupyter_ai_magics "
        "google.colab.data_table pycodestyle_magic jupyter_spaces sympyprinting "
        "sympy.interactive.ipythonprinting vpython.vpython_jup memory_profiler "
        "line_profiler pyinstrument scalene viztracer memray snakeviz";

struct slice magic_interactivity(const struct magic *magic)
{
	bool is_config = magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("config"));
	struct slice text = magic->args;
	(void)slice_cut_prefix(&text, SLICE("ZMQ")); /* of the kernel's class */
	if (!is_config ||
	    !slice_cut_prefix(&text, SLICE("InteractiveShell.ast_node_interactivity")))
		return slice_make("", 0);
	return slice_trim(text);
}

bool magic_means_nothing(const struct magic *magic)
{
	if (magic->row == NULL)
		return false;
	if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("config")))
		return !slice_starts_with(magic->args, SLICE("InlineBackend")) &&
		       slice_find_slice(magic->args, SLICE(".system_raise_on_error"), 0) ==
		               magic->args.len;
	struct slice rest = magic->args, first = slice_next_word(&rest);
	if (magic->kind == MAGIC_LINE && slice_is_word_of(magic->name, "load_ext reload_ext"))
		return slice_is_word_of(first, interactive_extensions);
	/* IPython reports that other extensions are not loaded. */
	if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("unload_ext")))
		return slice_eq(first, SLICE("jumper_extension"));
	return magic->row->action == ACTION_NO_EFFECT;
}

bool magic_runs_code(const struct magic *magic, struct slice *code)
{
	static const struct {
		struct slice name, taking; /* options with a value */
	} rows[] = {
	        {SLICE_INIT("time"), SLICE_INIT("")},
	        {SLICE_INIT("timeit"), SLICE_INIT("nrpv")},
	        {SLICE_INIT("prun"), SLICE_INIT("lsTD")},
	        {SLICE_INIT("memit"), SLICE_INIT("rti")},
	        {SLICE_INIT("mprun"), SLICE_INIT("fT")},
	        {SLICE_INIT("lprun"), SLICE_INIT("fmDTu")},
	        {SLICE_INIT("pyinstrument"), SLICE_INIT("p")},
	        {SLICE_INIT("scrun"), SLICE_INIT("")},
	        {SLICE_INIT("snakeviz"), SLICE_INIT("f")},
	};
	size_t row = 0, count = sizeof rows / sizeof *rows;
	struct slice rest = magic->args, after = rest;
	while (row < count && !slice_eq(magic->name, rows[row].name))
		row++;
	if (row == count)
		return false;
	for (struct slice word = slice_next_word(&after); slice_starts_with(word, SLICE("-"));
	     word = slice_next_word(&after)) {
		if (word.len == 2 && slice_has(rows[row].taking, word.ptr[1]))
			slice_next_word(&after);
		rest = after;
	}
	*code = slice_trim(rest);
	return true;
}

/* ---- magics that nbscorep does not know ---- */

/* Suggests the most similar name of a magic, if one is similar enough. */
static void hint_near_magic(struct diags *diags, const struct magic *magic)
{
	struct slice name = magic->name;
	bool is_cell = magic->kind == MAGIC_CELL;
	size_t fitting = 0;
	struct slice *names = arena_calloc(diags->arena, magic_row_count, sizeof *names);
	for (size_t i = 0; i < magic_row_count; i++) {
		const struct magic_row *row = &magic_rows[i];
		/* Names of extensions often differ in the first letter: %%cython, %lprun. */
		if (row->form & (is_cell ? FORM_CELL : FORM_LINE) && name.len > 0 &&
		    ascii_lower(row->name.ptr[0]) == ascii_lower(name.ptr[0]))
			names[fitting++] = row->name;
	}
	struct slice near = suggest(name, names, fitting);
	if (near.len > 0)
		diag_hint(diags, DIAG_MAGIC_UNKNOWN, "did you mean '%s%.*s'?", is_cell ? "%%" : "%",
		          SLICE_ARG(near));
}

void report_unknown_magic(struct diags *diags, struct location where, const struct magic *magic)
{
	diag_add(diags, DIAG_MAGIC_UNKNOWN, where, "%s%.*s' is left out of the script",
	         magic->kind == MAGIC_CELL ? "the cell of '%%" : "'%", SLICE_ARG(magic->name));
	hint_near_magic(diags, magic);
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
	hint_near_magic(diags, magic);
}

/* ---- line magics without % ---- */

/* Magics that list something. Their names are hardly ever variables. */
static const struct slice bare_words[] = {
        SLICE_INIT("ls"),   SLICE_INIT("ll"),  SLICE_INIT("lf"),   SLICE_INIT("lk"),
        SLICE_INIT("ldir"), SLICE_INIT("lx"),  SLICE_INIT("pwd"),  SLICE_INIT("cd"),
        SLICE_INIT("dirs"), SLICE_INIT("who"), SLICE_INIT("whos"), SLICE_INIT("who_ls"),
};
enum { BARE_COUNT = sizeof bare_words / sizeof *bare_words };

const struct cell *build_bare_magic(struct arena *arena, const struct notebook *notebook,
                                    const struct cell *cell, struct bare_magics *known)
{
	struct slice word = slice_trim(cell->source);
	if (!slice_is_one_of(word, bare_words, BARE_COUNT))
		return cell;
	known->used.arena = arena;
	for (; known->count < notebook->cells.count && &notebook->cells.items[known->count] != cell;
	     known->count++) {
		const struct cell *earlier = &notebook->cells.items[known->count];
		struct slice rest = earlier->source, same = slice_trim(rest), name;
		while (earlier->type == CELL_CODE && slice_next_name(&rest, &name)) {
			char before = '\n';
			if (name.ptr > earlier->source.ptr)
				before = name.ptr[-1];
			if (slice_is_one_of(name, bare_words, BARE_COUNT) &&
			    !slice_eq(name, same) && before != '%' && before != '!')
				name_set_add(&known->used, name);
		}
	}
	struct cell *magic = ARENA_NEW(arena, struct cell);
	*magic = *cell;
	magic->source = arena_printf(arena, "%%%.*s", SLICE_ARG(word));
	if (name_set_has(&known->used, word)) /* the variable if it exists, else the magic */
		magic->source = arena_printf(arena,
		                             "%.*s if \"%.*s\" in globals() else "
		                             "get_ipython().run_line_magic(\"%.*s\", \"\")",
		                             SLICE_ARG(word), SLICE_ARG(word), SLICE_ARG(word));
	return magic;
}
