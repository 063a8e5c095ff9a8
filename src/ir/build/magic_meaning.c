/* The meaning of some magics in batch depends on their arguments. */
#include "ir/build/magic_meaning.h"

#include "ir/build/builder.h"
#include "lex/magic_table.h"

/* True for extensions that serve the notebook's user interface, or that nbscorep replaces. */
static bool is_interactive_extension(struct slice name)
{
	static const struct slice names[] = {
	        SLICE_INIT("autoreload"),          SLICE_INIT("tensorboard"),
	        SLICE_INIT("jumper_extension"),    SLICE_INIT("nb_black"),
	        SLICE_INIT("lab_black"),           SLICE_INIT("jupyter_black"),
	        SLICE_INIT("blackcellmagic"),      SLICE_INIT("nb_mypy"),
	        SLICE_INIT("jupyternotify"),       SLICE_INIT("jupyter_ai"),
	        SLICE_INIT("jupyter_ai_magics"),   SLICE_INIT("google.colab.data_table"),
	        SLICE_INIT("pycodestyle_magic"),   SLICE_INIT("jupyter_spaces"),
	        SLICE_INIT("sympyprinting"),       SLICE_INIT("sympy.interactive.ipythonprinting"),
	        SLICE_INIT("vpython.vpython_jup"),
	};
	return slice_is_one_of(name, names, sizeof names / sizeof *names);
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
		return !slice_starts_with(magic->args, SLICE("InlineBackend"));
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
	static const struct slice names[] = {SLICE_INIT("time"), SLICE_INIT("timeit"),
	                                     SLICE_INIT("prun")};
	static const struct slice taking = SLICE_INIT("nrpslTD"); /* options with a value */
	struct slice rest = magic->args, behind = rest;
	if (!slice_is_one_of(magic->name, names, sizeof names / sizeof *names))
		return false;
	for (struct slice word = slice_next_word(&behind); slice_starts_with(word, SLICE("-"));
	     word = slice_next_word(&behind)) {
		if (word.len == 2 && slice_find(taking, word.ptr[1], 0) < taking.len)
			slice_next_word(&behind);
		rest = behind;
	}
	*code = slice_trim(rest);
	return true;
}
