/* What Jupyter provides beside magics: names, the history of outputs. */
#include "base/name_set.h"
#include "ir/needs.h"
#include "lex/lex.h"
#include "lex/syntax.h"

struct reader {
	struct pass_context *context;
	struct program *program;
	struct block *block;
	struct name_set bound; /* of the names of history, those that may be the user's own */
	bool has_looked;       /* for them: most notebooks have no name of history */
	bool asks_name;        /* if __name__ == "__main__", as in scripts */
};

static struct location token_location(const struct reader *reader, uint32_t at)
{
	const struct token *token = &reader->block->lexed->tokens.items[at];
	return block_location(reader->block, token->offset, token->len);
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

static bool is_outputs(struct slice name)
{
	return slice_eq(name, SLICE("Out")) || slice_eq(name, SLICE("_oh"));
}

static bool is_last_outputs(struct slice name)
{
	return slice_eq(name, SLICE("__")) || slice_eq(name, SLICE("___"));
}

static void keep_values(struct reader *reader, uint32_t at, const char *message)
{
	reader->program->keeps_values = true;
	use(reader, SLICE("out"));
	remark_history(reader, at, message);
}

/* Does the name AT look like one that is set there, or like one of several? */
static bool may_be_bound(const struct lexed_cell *cell, uint32_t at)
{
	static const struct slice behind[] = {SLICE_INIT("="), SLICE_INIT(":="), SLICE_INIT("in"),
	                                      SLICE_INIT(","), SLICE_INIT(":")};
	static const struct slice before[] = {SLICE_INIT("as"), SLICE_INIT("def"),
	                                      SLICE_INIT("class"), SLICE_INIT(","),
	                                      SLICE_INIT("*")};
	uint32_t previous = syntax_previous(cell, at);
	return slice_is_one_of(text_behind(cell, at), behind, sizeof behind / sizeof *behind) ||
	       (previous < at && slice_is_one_of(token_text(cell, &cell->tokens.items[previous]),
	                                         before, sizeof before / sizeof *before));
}

static void find_bound(struct block *block, void *data)
{
	struct reader *reader = data;
	const struct lexed_cell *cell = block->lexed;
	for (uint32_t i = 0; block_is_code(block) && i < cell->tokens.count; i++) {
		struct slice name = token_text(cell, &cell->tokens.items[i]);
		if (cell->tokens.items[i].kind == TOKEN_NAME &&
		    (is_outputs(name) || is_last_outputs(name)) && may_be_bound(cell, i))
			name_set_add(&reader->bound, name);
	}
}

static bool may_be_users(struct reader *reader, struct slice name)
{
	if (!reader->has_looked)
		blocks_walk(&reader->program->blocks, find_bound, reader);
	reader->has_looked = true;
	return name_set_has(&reader->bound, name);
}

/* In[3], Out, Out[3], _oh, __: anything else may be a name of the user's. */
static void read_history(struct reader *reader, uint32_t at)
{
	const struct lexed_cell *cell = reader->block->lexed;
	struct slice name = token_text(cell, &cell->tokens.items[at]);
	bool is_indexed = slice_eq(text_behind(cell, at), SLICE("["));
	if (slice_eq(name, SLICE("In")) && is_indexed)
		remark_history(reader, at, "'%.*s', the cells' texts, does not exist in a script");
	else if (is_outputs(name) && (is_indexed || !may_be_users(reader, name)))
		keep_values(reader, at,
		            "'%.*s' holds the values that the script has shown, numbered as "
		            "Jupyter would on a run from top to bottom");
	else if (is_last_outputs(name) && !may_be_users(reader, name))
		keep_values(reader, at, "'%.*s' is a value that the script has shown before");
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
	keep_values(reader, at,
	            "'%.*s' is the value shown by the cell that Jupyter would number so on a run "
	            "from top to bottom");
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

static void read_name(struct reader *reader, uint32_t at)
{
	const struct lexed_cell *cell = reader->block->lexed;
	struct slice name = token_text(cell, &cell->tokens.items[at]);
	if (syntax_is_attribute(cell, at))
		return;
	if (slice_eq(name, SLICE("display")))
		use(reader, SLICE("display"));
	else if (slice_eq(name, SLICE("get_ipython")) || registers_magics(name))
		use(reader, SLICE("get_ipython"));
	else if (slice_eq(name, SLICE("__name__")))
		reader->asks_name = true;
	else if (slice_eq(name, SLICE("input")))
		read_input(reader, at);
	else if (slice_eq(name, SLICE("In")) || is_outputs(name) || is_last_outputs(name))
		read_history(reader, at);
	else if (is_numbered_output(name))
		read_numbered(reader, at);
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
		else if (cell->tokens.items[i].kind == TOKEN_STRING)
			need_called_magic(reader->context->arena, reader->program, cell, i);
	}
	need_for_modules(reader->context->arena, reader->program, cell);
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
		name_set_init(&reader.bound, context->arena);
		blocks_walk(&reader.program->blocks, read_block, &reader);
		if (reader.program->may_spawn && !reader.asks_name)
			program_add_snippet(context->arena, reader.program, SLICE("spawn"));
	}
}
