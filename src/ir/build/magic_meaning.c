/* The meaning of some magics in batch depends on their arguments. */
#include "ir/build/magic_meaning.h"

#include "ir/build/builder.h"
#include "lex/magic_table.h"

/* True for extensions that serve the notebook's user interface, or whose magics nbscorep replaces (magics.def). */
static bool is_interactive_extension(struct slice name)
{
	struct slice rest =
	        SLICE("autoreload tensorboard jumper_extension nb_black lab_black jupyter_black "
	              "blackcellmagic nb_mypy jupyternotify jupyter_ai jupyter_ai_magics "
	              "google.colab.data_table pycodestyle_magic jupyter_spaces sympyprinting "
	              "sympy.interactive.ipythonprinting vpython.vpython_jup memory_profiler "
	              "line_profiler pyinstrument scalene viztracer memray snakeviz");
	struct slice word;
	while ((word = slice_next_word(&rest)).len > 0 && !slice_eq(word, name))
		;
	return word.len > 0;
}

struct slice magic_interactivity(const struct magic *magic)
{
	static const struct slice kernels = SLICE_INIT("ZMQ"), /* prefix of the kernel's class */
	        name = SLICE_INIT("InteractiveShell.ast_node_interactivity");
	bool is_config = magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("config"));
	struct slice text = magic->args;
	if (slice_starts_with(text, kernels))
		text = slice_sub(text, kernels.len, text.len);
	if (!is_config || !slice_starts_with(text, name))
		return slice_make("", 0);
	return slice_trim(slice_sub(text, name.len, text.len));
}

bool magic_means_nothing(const struct magic *magic)
{
	if (magic->row == NULL)
		return false;
	if (magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("config")))
		return !slice_starts_with(magic->args, SLICE("InlineBackend")) &&
		       slice_find_slice(magic->args, SLICE(".system_raise_on_error"), 0) ==
		               magic->args.len;
	static const struct slice loaders[] = {SLICE_INIT("load_ext"), SLICE_INIT("reload_ext")};
	struct slice rest = magic->args, first = slice_next_word(&rest);
	if (magic->kind == MAGIC_LINE && slice_is_one_of(magic->name, loaders, 2))
		return is_interactive_extension(first);
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
	struct slice rest = magic->args, behind = rest;
	while (row < count && !slice_eq(magic->name, rows[row].name))
		row++;
	if (row == count)
		return false;
	for (struct slice word = slice_next_word(&behind); slice_starts_with(word, SLICE("-"));
	     word = slice_next_word(&behind)) {
		if (word.len == 2 &&
		    slice_find(rows[row].taking, word.ptr[1], 0) < rows[row].taking.len)
			slice_next_word(&behind);
		rest = behind;
	}
	*code = slice_trim(rest);
	return true;
}
