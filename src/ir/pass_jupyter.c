/* What Jupyter provides beside magics: names, figures, the history of outputs. */
#include "base/utf8.h"
#include "ir/lowering.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct reader {
	struct pass_context *context;
	struct program *program;
	struct block *block;
};

static struct location token_location(const struct reader *reader, uint32_t at)
{
	const struct token *token = &reader->block->lexed->tokens.items[at];
	return block_location(reader->block, token->offset, token->len);
}

static bool is_significant(const struct token *token)
{
	return token->kind != TOKEN_BLANK && token->kind != TOKEN_COMMENT &&
	       token->kind != TOKEN_NL && token->kind != TOKEN_CONTINUATION;
}

/* The significant token in front of AT; 0 when there is none. */
static uint32_t significant_before(const struct lexed_cell *cell, uint32_t at)
{
	while (at > 0) {
		if (is_significant(&cell->tokens.items[--at]))
			return at;
	}
	return 0;
}

/* Its text; of the first token nobody asks. */
static struct slice text_before(const struct lexed_cell *cell, uint32_t at)
{
	uint32_t before = significant_before(cell, at);
	return before == at ? slice_make("", 0) : token_text(cell, &cell->tokens.items[before]);
}

static struct slice text_behind(const struct lexed_cell *cell, uint32_t at)
{
	uint32_t count = (uint32_t)cell->tokens.count, next = syntax_next(cell, at + 1, count);
	return next < count ? token_text(cell, &cell->tokens.items[next]) : slice_make("", 0);
}

static void use(struct reader *reader, struct slice snippet)
{
	program_add_snippet(reader->context->arena, reader->program, snippet);
}

static void read_input(struct reader *reader, uint32_t at)
{
	if (!slice_eq(text_behind(reader->block->lexed, at), SLICE("(")))
		return;
	diag_add(reader->context->diags, DIAG_INPUT, token_location(reader, at),
	         "a batch job has nobody to answer input()");
	diag_hint(reader->context->diags, DIAG_INPUT,
	          "give the value as a variable of the notebook, or redirect standard input");
}

static void remark_history(struct reader *reader, uint32_t at, const char *message)
{
	struct slice text =
	        token_text(reader->block->lexed, &reader->block->lexed->tokens.items[at]);
	diag_add(reader->context->diags, DIAG_HISTORY, token_location(reader, at), message,
	         SLICE_ARG(text));
}

/* In[3] and Out[3]: anything else may be a name of the user's. */
static void read_history(struct reader *reader, uint32_t at)
{
	bool is_out =
	        slice_eq(token_text(reader->block->lexed, &reader->block->lexed->tokens.items[at]),
	                 SLICE("Out"));
	if (!slice_eq(text_behind(reader->block->lexed, at), SLICE("[")))
		return;
	if (is_out) {
		reader->program->keeps_values = true;
		use(reader, SLICE("out"));
	}
	remark_history(reader, at,
	               is_out ? "'%.*s' holds the values that the script has shown, numbered as "
	                        "Jupyter would on a run from top to bottom"
	                      : "'%.*s', the cells' texts, does not exist in a script");
}

static bool is_numbered_output(struct slice name)
{
	for (size_t i = 1; i < name.len; i++) {
		if (!ascii_is_digit(name.ptr[i]))
			return false;
	}
	return name.len > 1 && name.ptr[0] == '_';
}

static void read_numbered(struct reader *reader, uint32_t at)
{
	reader->program->keeps_values = true;
	use(reader, SLICE("out"));
	remark_history(
	        reader, at,
	        "'%.*s' is the value shown by the cell that Jupyter would number so on a run "
	        "from top to bottom");
}

/* Methods that draw with matplotlib, whatever imported it. */
static bool draws(struct slice method)
{
	static const struct slice methods[] = {
	        SLICE_INIT("hist"),
	        SLICE_INIT("boxplot"),
	        SLICE_INIT("draw"),
	};
	return slice_starts_with(method, SLICE("plot")) ||
	       slice_starts_with(method, SLICE("draw_")) ||
	       slice_is_one_of(method, methods, sizeof methods / sizeof *methods);
}

/* Modules made to draw with matplotlib. */
static bool is_drawing_module(struct slice module)
{
	static const struct slice modules[] = {
	        SLICE_INIT("matplotlib"), SLICE_INIT("pylab"),   SLICE_INIT("mpl_toolkits"),
	        SLICE_INIT("mplfinance"), SLICE_INIT("seaborn"), SLICE_INIT("plotnine"),
	        SLICE_INIT("cartopy"),    SLICE_INIT("arviz"),
	};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules);
}

/* Decorators of IPython.core.magic, which look for get_ipython() where they are used. */
static bool registers_magics(struct slice name)
{
	static const struct slice names[] = {
	        SLICE_INIT("register_line_magic"),
	        SLICE_INIT("register_cell_magic"),
	        SLICE_INIT("register_line_cell_magic"),
	        SLICE_INIT("magics_class"),
	};
	return slice_is_one_of(name, names, sizeof names / sizeof *names);
}

/* The first word of a string's text, without % signs. */
static struct slice first_word(struct slice literal)
{
	size_t from = slice_find(literal, '"', 0), single = slice_find(literal, '\'', 0);
	from = single < from ? single : from;
	while (from < literal.len && slice_find(SLICE("\"'%"), literal.ptr[from], 0) < 3)
		from++;
	size_t to = from;
	while (to < literal.len && (ascii_is_alnum(literal.ptr[to]) || literal.ptr[to] == '_'))
		to++;
	return slice_sub(literal, from, to);
}

/* get_ipython().run_line_magic("cd", ".."): the helpers of magics whose names stand in strings. */
static void read_magic_name(struct reader *reader, uint32_t at)
{
	const struct lexed_cell *cell = reader->block->lexed;
	struct slice name = first_word(token_text(cell, &cell->tokens.items[at]));
	static const enum magic_form forms[] = {FORM_LINE, FORM_CELL};
	for (size_t i = 0; name.len > 0 && i < sizeof forms / sizeof *forms; i++) {
		const struct magic_row *row = magic_find(name, forms[i]);
		if (row != NULL && row->action == ACTION_LOWER)
			use(reader, lowering_find(name, forms[i])->snippet);
		if (row != NULL && row->action == ACTION_NO_EFFECT)
			vec_push(reader->context->arena, &reader->program->idle_magics, name);
	}
}

/* Is the string the first argument of run_line_magic(), run_cell_magic() or magic()? */
static bool names_magic(const struct lexed_cell *cell, uint32_t at)
{
	static const struct slice callers[] = {SLICE_INIT("run_line_magic"),
	                                       SLICE_INIT("run_cell_magic"), SLICE_INIT("magic")};
	uint32_t bracket = significant_before(cell, at);
	uint32_t caller = significant_before(cell, bracket);
	return bracket > 0 && caller > 0 &&
	       slice_eq(token_text(cell, &cell->tokens.items[bracket]), SLICE("(")) &&
	       slice_is_one_of(token_text(cell, &cell->tokens.items[caller]), callers,
	                       sizeof callers / sizeof *callers);
}

/* Modules that look for the notebook's names in the module __main__. */
static bool looks_into_main(struct slice module)
{
	static const struct slice modules[] = {
	        SLICE_INIT("__main__"),
	        SLICE_INIT("pickle"),
	        SLICE_INIT("copyreg"),
	        SLICE_INIT("shelve"),
	        SLICE_INIT("dill"),
	        SLICE_INIT("cloudpickle"),
	        SLICE_INIT("multiprocessing"),
	        SLICE_INIT("concurrent"),
	        SLICE_INIT("joblib"),
	        SLICE_INIT("dataclasses"),
	        SLICE_INIT("typing"),
	        SLICE_INIT("inspect"),
	        SLICE_INIT("mpi4py"),
	        SLICE_INIT("dask"),
	        SLICE_INIT("distributed"),
	        SLICE_INIT("ray"),
	        SLICE_INIT("torch"),
	        SLICE_INIT("sklearn"),
	        SLICE_INIT("pydantic"),
	        SLICE_INIT("attr"),
	        SLICE_INIT("attrs"),
	        SLICE_INIT("timeit"),
	        SLICE_INIT("doctest"),
	        SLICE_INIT("unittest"),
	        SLICE_INIT("pytest"),
	        SLICE_INIT("importlib"),
	};
	return slice_is_one_of(module, modules, sizeof modules / sizeof *modules);
}

static void read_name(struct reader *reader, uint32_t at)
{
	const struct lexed_cell *cell = reader->block->lexed;
	struct slice name = token_text(cell, &cell->tokens.items[at]);
	struct slice before = text_before(cell, at);
	if (slice_eq(before, SLICE("."))) {
		reader->program->has_figures |= draws(name);
		return;
	}
	if (slice_eq(name, SLICE("display")))
		use(reader, SLICE("display"));
	else if (slice_eq(name, SLICE("get_ipython")) || registers_magics(name))
		use(reader, SLICE("get_ipython"));
	else if (slice_eq(name, SLICE("input")))
		read_input(reader, at);
	else if (slice_eq(name, SLICE("In")) || slice_eq(name, SLICE("Out")))
		read_history(reader, at);
	else if (is_numbered_output(name))
		read_numbered(reader, at);
}

static void read_imports(struct reader *reader)
{
	syntax_slices modules = {0};
	syntax_imported_modules(reader->context->arena, reader->block->lexed, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		if (slice_eq(modules.items[i], SLICE("IPython")))
			use(reader, SLICE("ipython_display"));
		if (slice_eq(modules.items[i], SLICE("pandas")))
			use(reader, SLICE("pandas"));
		if (looks_into_main(modules.items[i]))
			use(reader, SLICE("main"));
		if (slice_eq(modules.items[i], SLICE("mpi4py")))
			reader->program->uses_mpi = true;
		if (is_drawing_module(modules.items[i]))
			reader->program->has_figures = true;
	}
}

static void read_block(struct block *block, void *data)
{
	struct reader *reader = data;
	if (!block_is_code(block))
		return;
	reader->block = block;
	const struct lexed_cell *cell = block->lexed;
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		if (cell->tokens.items[i].kind == TOKEN_NAME)
			read_name(reader, i);
		else if (cell->tokens.items[i].kind == TOKEN_STRING && names_magic(cell, i))
			read_magic_name(reader, i);
	}
	read_imports(reader);
}

/* The snippets that need to know of cells. */
static void find_figures(struct program *program)
{
	static const struct slice drawers[] = {SLICE_INIT("matplotlib"), SLICE_INIT("pylab"),
	                                       SLICE_INIT("config")};
	for (size_t i = 0; i < program->snippets.count; i++) {
		for (size_t k = 0; k < sizeof drawers / sizeof *drawers; k++) {
			if (slice_eq(program->snippets.items[i], drawers[k]))
				program->has_figures = true;
		}
	}
}

static void place_figures(struct pass_context *context, struct program *program)
{
	struct slice folder = context->options->figures;
	if (!program->has_figures)
		return;
	program_add_snippet(context->arena, program, SLICE("figures"));
	if (folder.len == 0)
		program->figures =
		        arena_printf(context->arena, "%.*s_figures", SLICE_ARG(program->name));
	else if (!slice_eq(folder, SLICE("none")))
		program->figures = folder;
}

void pass_jupyter(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct reader reader = {
		        .context = context,
		        .program = &context->ir->programs.items[i],
		};
		/* Without frames of cells there is no other place. */
		reader.program->asks_between = context->options->no_cell_regions;
		reader.program->all_ranks = context->options->all_ranks;
		if (reader.program->asks_between)
			program_add_snippet(context->arena, reader.program, SLICE("next_cell"));
		blocks_walk(&reader.program->blocks, read_block, &reader);
		find_figures(reader.program);
		place_figures(context, reader.program);
	}
}
