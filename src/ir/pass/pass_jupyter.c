/* Finds what a program uses of Jupyter besides magics: names, the history of outputs, the JUmPER
 * extension. */
#include "ir/build/magic_meaning.h"
#include "ir/lower/lower_call.h"
#include "ir/passes.h"
#include "lex/syntax.h"

/* ---- magics that code calls ---- */

static const char callers[] = "run_line_magic run_cell_magic magic";

/* Adds to PROGRAM the effects of magics that strings of CELL name, as in
 * get_ipython().run_line_magic("matplotlib", "inline"). */
static void need_called_magics(struct program *program, const struct lexed_cell *cell)
{
	static const enum magic_form forms[] = {FORM_LINE, FORM_CELL};
	struct name_filter names = {0};
	name_filter_add_words(&names, callers);
	bool calls = name_filters_may_meet(&cell->names, &names);
	for (uint32_t i = 0; calls && i < cell->tokens.count; i++) {
		uint32_t bracket = syntax_previous(cell, i),
		         caller = syntax_previous(cell, bracket);
		if (cell->tokens.items[i].kind != TOKEN_STRING || caller == bracket ||
		    !syntax_is(cell, bracket, SLICE("(")) ||
		    !slice_is_word_of(statement_token(cell, caller), callers))
			continue;
		/* The first word of the string's text, without % signs. */
		struct slice literal = statement_token(cell, i), name;
		size_t from = slice_find(literal, '"', 0), single = slice_find(literal, '\'', 0);
		from = single < from ? single : from;
		while (from < literal.len && slice_has(SLICE("\"'%"), literal.ptr[from]))
			from++;
		size_t to = from;
		while (to < literal.len &&
		       (ascii_is_alnum(literal.ptr[to]) || literal.ptr[to] == '_'))
			to++;
		name = slice_sub(literal, from, to);
		for (size_t k = 0; name.len > 0 && k < sizeof forms / sizeof *forms; k++) {
			const struct magic_row *row = magic_find(name, forms[k]);
			if (row != NULL && row->action == ACTION_LOWER)
				program->effects |= lowering_find(name, forms[k])->effect;
		}
	}
}

/* ---- the pass ---- */

struct jupyter_reader {
	struct pass_context *context;
	struct program *program;
	const struct block *block;
	struct name_filter wanted;
	struct name_set bound; /* names of the history that the notebook may set itself */
	bool deletes;          /* the block may delete names that it has listed */
};

/* Reads NAME in PART of the block's text. A name that the notebook may set itself is not part of the history, unless it
 * is INDEXED. Returns false if NAME is not part of the history. */
static bool read_history(struct jupyter_reader *reader, struct slice name, bool indexed,
                         struct slice part)
{
	const char *message = NULL;
	size_t digits = 1;
	while (ascii_is_digit(slice_at(name, digits)))
		digits++;
	bool is_kept = !slice_is_word_of(name, "In _ih");
	if (!is_kept && indexed)
		message = "'%.*s', a history of the session, does not exist in a script";
	else if (slice_is_word_of(name, "Out _oh") &&
	         (indexed || !name_set_has(&reader->bound, name)))
		message = "'%.*s' contains the values that the script has shown, numbered as in "
		          "a Jupyter run from top to bottom";
	else if (slice_is_word_of(name, "__ ___") && !name_set_has(&reader->bound, name))
		message = "'%.*s' is a value that the script has shown before";
	else if (name.ptr[0] == '_' && digits > 1 && digits == name.len)
		message = "'%.*s' is the value shown by the cell with this number in a Jupyter "
		          "run from top to bottom";
	if (message == NULL)
		return false;
	reader->program->effects |= is_kept ? NEED_OUTPUTS : 0;
	diag_add(reader->context->diags, DIAG_HISTORY, block_location(reader->block, part), message,
	         SLICE_ARG(name));
	return true;
}

/* True if TEXT, which is not code, contains a name of the history. Reports the first one. */
static bool read_words(struct jupyter_reader *reader, struct slice text, struct slice part)
{
	for (struct slice rest = text, name; slice_next_name(&rest, &name);) {
		bool attribute = name.ptr > text.ptr && name.ptr[-1] == '.';
		if (!attribute && read_history(reader, name, false, part))
			return true;
	}
	return false;
}

static bool read_fields(struct jupyter_reader *reader, struct slice text, struct slice part)
{
	for (struct slice field; syntax_next_field(&text, &field);) {
		if (read_words(reader, field, part))
			return true;
	}
	return false;
}

/* Reads the name after each "$". */
static void read_variables(struct jupyter_reader *reader, struct slice text, struct slice part)
{
	for (size_t at = slice_find(text, '$', 0); at < text.len;
	     at = slice_find(text, '$', at + 1)) {
		struct slice rest = slice_tail(text, at + 1), name;
		if (rest.len > 0 && is_name_byte(rest.ptr[0]) && slice_next_name(&rest, &name) &&
		    read_history(reader, name, false, part))
			return;
	}
}

static bool has_word(struct slice text, struct slice word)
{
	struct slice rest = text, name;
	while (slice_find_slice(rest, word, 0) < rest.len && slice_next_name(&rest, &name)) {
		if (slice_eq(name, word))
			return true;
	}
	return false;
}

/* Decorators of IPython.core.magic, which require get_ipython() where they are used. */
static const char registrars[] =
        "register_line_magic register_cell_magic register_line_cell_magic magics_class";

/* Loops over their results can delete all names, including those of frames. */
static const char listers[] = "dir globals locals vars";

static void read_name(struct jupyter_reader *reader, uint32_t at)
{
	const struct lexed_cell *cell = reader->block->code->lexed;
	struct slice name = statement_token(cell, at);
	if (name.ptr[0] != '_' && !name_filter_may_have(&reader->wanted, name))
		return;
	if (syntax_is_attribute(cell, at))
		return;
	if (slice_is_word_of(name, listers) && reader->deletes)
		reader->program->effects |= NEED_KEPT_NAMES;
	if (slice_eq(name, SLICE("display")))
		reader->program->effects |= NEED_DISPLAY;
	else if (slice_eq(name, SLICE("get_ipython")) || slice_is_word_of(name, registrars))
		reader->program->effects |= NEED_GET_IPYTHON;
	else if (name.ptr[0] == '_' || slice_is_word_of(name, "In Out"))
		read_history(reader, name, syntax_is(cell, syntax_after(cell, at), SLICE("[")),
		             statement_token(cell, at));
}

static void read_block(struct jupyter_reader *reader, const struct block *block)
{
	static const struct slice ways[] = {SLICE_INIT("del "), SLICE_INIT(".pop("),
	                                    SLICE_INIT(".clear("), SLICE_INIT("exec(")};
	struct program *program = reader->program;
	const struct lexed_cell *cell = block->code->lexed;
	bool has_names = name_filters_may_meet(&cell->names, &reader->wanted);
	reader->block = block;
	reader->deletes = false;
	if (has_word(cell->text, SLICE("_dh"))) /* also in globals()["_dh"] */
		program->effects |= NEED_FOLDERS;
	for (size_t i = 0; has_names && i < sizeof ways / sizeof *ways; i++)
		reader->deletes |= slice_find_slice(cell->text, ways[i], 0) < cell->text.len;
	for (uint32_t i = 0; has_names && i < cell->tokens.count; i++) {
		if (cell->tokens.items[i].kind == TOKEN_NAME)
			read_name(reader, i);
		else if (cell->tokens.items[i].kind == TOKEN_FSTRING)
			read_fields(reader, statement_token(cell, i), statement_token(cell, i));
	}
	need_called_magics(program, cell);
	/* Names that the line of a magic replaces, as in !echo {_1} $Out, or the code after %timeit
	 * and similar magics. */
	vec_each(const struct magic, magic, &cell->magics) {
		struct slice part =
		        slice_sub(cell->text, magic->offset, magic->offset + magic->len);
		struct slice code, rest = magic->args;
		bool loads = magic->kind == MAGIC_LINE &&
		             slice_is_word_of(magic->name, "load_ext reload_ext");
		if (loads && slice_eq(slice_next_word(&rest), SLICE("jumper_extension")) &&
		    block->origin == NULL && program->jumper_cell == 0)
			program->jumper_cell = block->cell;
		if (magic_runs_code(magic, &code)) {
			read_words(reader, code, part);
			if (has_word(code, SLICE("get_ipython")))
				program->effects |= NEED_GET_IPYTHON;
		} else if (!read_fields(reader, magic->args, part)) {
			read_variables(reader, magic->args, part);
		}
	}
}

void pass_jupyter(struct pass_context *context, struct program *program)
{
	struct jupyter_reader reader = {
	        .context = context, .program = program, .bound.arena = context->arena};
	block_refs blocks = program_code(context->arena, program);
	program->all_ranks = context->options->build.all_ranks;
	/* The names that read_name() and read_fields() search for. */
	name_filter_add_words(&reader.wanted, registrars);
	name_filter_add_words(&reader.wanted, listers);
	name_filter_add_words(&reader.wanted, "display get_ipython In Out _");
	for (struct slice rest = SLICE("Out _oh __ ___"), name;
	     (name = slice_next_word(&rest)).len > 0;) {
		if (blocks_set_name(context->arena, &blocks, name))
			name_set_add(&reader.bound, name);
	}
	for (size_t i = 0; i < blocks.count; i++)
		read_block(&reader, blocks.items[i]);
	for (size_t i = 0; i < program->imports.count; i++) {
		if (slice_eq(program->imports.items[i].path, SLICE("IPython")))
			program->effects |= NEED_IPYTHON_DISPLAY;
		if (slice_eq(program->imports.items[i].path, SLICE("mpi4py")))
			program->effects |= EFFECT_MPI;
	}
}
