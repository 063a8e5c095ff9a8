/* What %run of a notebook and %load name is taken in. */
#include "base/paths.h"
#include "base/strbuf.h"
#include "ir/builder.h"
#include "ir/lower.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

enum {
	CHAIN_MAX = 16,    /* notebooks inside each other */
	CELLS_MAX = 100000 /* included cells; a notebook can include another one twice, and so on */
};

/* What an included file is built to, before it is copied to where it is included. */
struct template
{
	bool built, names_file; /* names_file: __file__ stands in it */
	block_list blocks;
	struct code_depth depth;
};

struct includer {
	struct pass_context *context;
	VECTOR(struct template) templates; /* by index of the file */
	const struct included_file *chain[CHAIN_MAX + 1];
	size_t chain_count;
	size_t cells, bytes; /* included so far */
};

/* A magic that takes in a file. */
struct entrance {
	struct block *block;
	const struct logical_line *line;
	const struct magic *magic;
	struct include_request request;
	struct code_depth outer; /* around the block, and its own */
};

/* Without what begins at the last dot. */
static struct slice stem(struct slice name)
{
	size_t len = name.len;
	while (len > 0 && name.ptr[len - 1] != '.')
		len--;
	return slice_sub(name, 0, len > 0 ? len - 1 : name.len);
}

/* ---- what is said ---- */

static struct location magic_location(const struct entrance *at)
{
	return block_location(at->block, at->magic->offset, at->magic->len);
}

/* The one warning about the magic: pass_magics() adds none about what becomes of it. */
static void refuse(const struct includer *in, const struct entrance *at, struct slice problem)
{
	struct diags *diags = in->context->diags;
	diag_add(diags, DIAG_INCLUDE, magic_location(at), "'%.*s' is not taken in: %.*s",
	         SLICE_ARG(at->request.name), SLICE_ARG(problem));
	if (at->request.form == INCLUDE_TEXT)
		return;
	if (in->context->options->unknown_magics != UNKNOWN_MAGICS_DROP)
		diag_hint(diags, DIAG_INCLUDE,
		          "the script runs it with IPython, which must be installed");
}

static void report_cycle(const struct includer *in, const struct entrance *at,
                         const struct included_file *file, size_t first)
{
	struct strbuf chain;
	strbuf_init(&chain, in->context->arena);
	for (size_t i = first; i < in->chain_count; i++)
		strbuf_printf(&chain, "%.*s -> ", SLICE_ARG(path_file(in->chain[i]->path)));
	struct slice name = path_file(file->path);
	diag_add(in->context->diags, DIAG_INCLUDE_ERROR, magic_location(at),
	         "'%.*s' includes itself: %.*s%.*s", SLICE_ARG(name),
	         SLICE_ARG(strbuf_slice(&chain)), SLICE_ARG(name));
}

/* ---- whether it can be done ---- */

static bool takes_text(const struct block *block)
{
	for (size_t i = 0; i < block->lexed->cell_magics.count; i++) {
		if (!lower_runs_around(&block->lexed->cell_magics.items[i]))
			return true;
	}
	return false;
}

static const char *cell_problem(const struct includer *in, const struct block *block)
{
	if (block->lexed->broken)
		return "its cell is no valid Python";
	if (takes_text(block))
		return "its cell is a text for a magic";
	return await_may_wrap(in->context->arena, block)
	               ? "its cell becomes a function, as it awaits something"
	               : NULL;
}

static struct slice indentation(const struct entrance *at)
{
	const struct code *code = &at->block->code;
	const struct code_line *line = &code->lines.items[at->line->first_line];
	return slice_sub(code->text, line->offset, line->offset + line->indent);
}

static const char *line_problem(const struct entrance *at, bool in_scope)
{
	struct slice indent = indentation(at);
	for (size_t i = 0; i < indent.len; i++) {
		if (indent.ptr[i] != ' ')
			return "its line is not indented with blanks";
	}
	if (at->magic->assigned)
		return "its value is assigned to a name";
	return in_scope ? "it stands in a function or class" : at->request.problem;
}

static bool is_cycle(const struct includer *in, const struct entrance *at,
                     const struct included_file *file)
{
	for (size_t i = 0; i < in->chain_count; i++) {
		if (in->chain[i] == file) {
			report_cycle(in, at, file, i);
			return true;
		}
	}
	return false;
}

static bool is_too_much(const struct includer *in)
{
	return in->cells > CELLS_MAX || in->bytes > in->context->options->includes.bytes_most;
}

static void report_too_much(const struct includer *in, const struct entrance *at)
{
	struct diags *diags = in->context->diags;
	if (in->cells > CELLS_MAX) {
		diag_add(diags, DIAG_INCLUDE_ERROR, magic_location(at),
		         "more than %d cells are included, which is too much", CELLS_MAX);
		return;
	}
	diag_add(diags, DIAG_INCLUDE_ERROR, magic_location(at),
	         "the included cells' text exceeds %zu bytes",
	         in->context->options->includes.bytes_most);
	diag_hint(diags, DIAG_INCLUDE_ERROR, "--max-code-size=SIZE allows more");
}

/* Counts what is included. False when it gets too much, which is said once. */
static bool count_included(struct includer *in, const struct entrance *at,
                           const struct notebook *notebook)
{
	if (is_too_much(in))
		return false;
	in->cells += 1 + notebook->cells.count;
	for (size_t i = 0; i < notebook->cells.count; i++)
		in->bytes += notebook->cells.items[i].source.len;
	if (is_too_much(in))
		report_too_much(in, at);
	return !is_too_much(in);
}

/* False after an error. */
static bool may_include(struct includer *in, const struct entrance *at,
                        const struct included_file *file)
{
	if (is_cycle(in, at, file))
		return false;
	if (in->chain_count > CHAIN_MAX) {
		diag_add(in->context->diags, DIAG_INCLUDE_ERROR, magic_location(at),
		         "more than %d files include each other here", CHAIN_MAX);
		return false;
	}
	if (file->notebook == NULL) {
		diag_add(in->context->diags, DIAG_INCLUDE_ERROR, magic_location(at),
		         "'%.*s' cannot be taken in, as it has errors",
		         SLICE_ARG(at->request.name));
		return false;
	}
	return count_included(in, at, file->notebook);
}

/* ---- doing it ---- */

static bool has_name(const struct lexed_cell *cell, struct slice name)
{
	for (uint32_t i = 0; name_filter_may_have(&cell->names, name) && i < cell->tokens.count;
	     i++) {
		if (syntax_is(cell, i, name))
			return true;
	}
	return false;
}

static void build_template(struct includer *in, const struct included_file *file,
                           struct template *template)
{
	struct pass_context *context = in->context;
	context->diags->file = file->path;
	build_included(context->arena, file, context->options, &context->ir->own_magics,
	               context->diags, &template->blocks);
	context->diags->file = slice_make("", 0);
	template->built = true;
	for (size_t i = 0; i < template->blocks.count; i++) {
		const struct block *block = &template->blocks.items[i];
		if (!block_is_code(block))
			continue;
		struct code_depth depth = code_depth_of(context->arena, block->lexed);
		template->depth = code_depth_max(template->depth, depth);
		template->names_file |= has_name(block->lexed, SLICE("__file__"));
	}
}

static struct template *find_template(struct includer *in, const struct included_file *file)
{
	while (in->templates.count <= file->index)
		vec_push(in->context->arena, &in->templates, (struct template){0});
	struct template *template = &in->templates.items[file->index];
	if (!template->built)
		build_template(in, file, template);
	return template;
}

static void include_in(struct includer *in, struct block *block, struct code_depth outer);

/* A cell of a notebook. */
static void adopt_cell(const struct includer *in, const struct entrance *at, struct block *block)
{
	struct slice label = block_label(in->context->arena, at->block);
	if (block->cell == 0) /* an .ipy file */
		block->cell = block->last_cell = 1;
	block->silent = true;
	block->notebook = path_file(at->request.name);
	block->label = arena_printf(in->context->arena, "%.*s-%.*s-%u", SLICE_ARG(label),
	                            SLICE_ARG(stem(block->notebook)), block->cell);
}

/* A part of the cell. */
static void adopt_text(const struct includer *in, const struct entrance *at, struct block *block)
{
	const struct block *parent = at->block;
	struct site site = {.context = in->context, .block = at->block, .magic = at->magic};
	block->is_text = true;
	block->silent = !site_shows_value(&site);
	block->notebook = path_file(block->lexed->file);
	block->label = block_label(in->context->arena, parent);
	block->cell = block->last_cell = parent->cell;
	block->id = parent->id;
	block->count = parent->count;
}

/* It runs as the cell does that includes it. */
static void adopt(const struct includer *in, const struct entrance *at, struct block *block)
{
	enum block_kind kind = at->block->kind;
	block->marked = block->kind == BLOCK_FOREIGN && kind == BLOCK_EXECUTE;
	block->kind = block_is_code(block) ? kind : block->kind;
	if (at->request.form == INCLUDE_TEXT)
		adopt_text(in, at, block);
	else
		adopt_cell(in, at, block);
}

static struct include include_at(const struct entrance *at)
{
	return (struct include){
	        .magic = at->line->magic,
	        .end_line = at->line->first_line + at->line->line_count,
	        .indent = (uint32_t)indentation(at).len,
	        .name = at->request.name,
	};
}

/* After an error: nobody needs to hear more about the magic. */
static void take_nothing(const struct includer *in, const struct entrance *at)
{
	vec_push(in->context->arena, &at->block->includes, include_at(at));
}

static void take_in(struct includer *in, const struct entrance *at,
                    const struct included_file *file, const struct template *template)
{
	struct arena *arena = in->context->arena;
	size_t count = template->blocks.count;
	bool elsewhere = slice_find(at->request.name, '/', 0) < at->request.name.len;
	struct include include = include_at(at);
	include.entered =
	        at->request.form == INCLUDE_NOTEBOOK && (elsewhere || template->names_file);
	include.blocks =
	        (block_list){arena_calloc(arena, count, sizeof(struct block)), count, count};
	struct code_depth depth = code_depth_deeper(at->outer, include.entered);
	in->chain[in->chain_count++] = file;
	for (size_t i = 0; i < count; i++) {
		struct block *block = &include.blocks.items[i];
		*block = template->blocks.items[i];
		adopt(in, at, block);
		include_in(in, block, depth);
	}
	in->chain_count--;
	vec_push(arena, &at->block->includes, include);
}

/* One that can be taken in, as far as the notebook tells. */
static void include_file(struct includer *in, const struct entrance *at)
{
	const struct include_reader *reader = &in->context->options->includes;
	const struct included_file *file =
	        reader->read(reader->data, at->request.name, at->request.form);
	if (file->problem.len > 0) {
		refuse(in, at, file->problem);
		return;
	}
	if (!may_include(in, at, file)) {
		take_nothing(in, at);
		return;
	}
	/* A copy, as the list may grow. */
	struct template template = *find_template(in, file);
	if (code_depth_fits(code_depth_sum(at->outer, template.depth)))
		take_in(in, at, file, &template);
	else
		refuse(in, at, SLICE("both nest too deeply"));
}

static bool may_request(const struct block *block, struct arena *arena)
{
	struct include_request request;
	for (size_t i = 0; i < block->lexed->magics.count; i++) {
		if (include_requested(arena, &block->lexed->magics.items[i], &request))
			return true;
	}
	return false;
}

/* OUTER: how deep the code stands that BLOCK is a part of. */
static void include_in(struct includer *in, struct block *block, struct code_depth outer)
{
	struct arena *arena = in->context->arena;
	if (!block_is_code(block) || !may_request(block, arena))
		return;
	const struct lexed_cell *lexed = block->lexed;
	const char *problem = cell_problem(in, block);
	bool *in_scope = arena_calloc(arena, lexed->magics.count, sizeof *in_scope);
	syntax_find_scoped_magics(lexed, in_scope);
	struct entrance at = {.block = block,
	                      .outer = code_depth_sum(outer, code_depth_of(arena, lexed))};
	for (size_t i = 0; i < lexed->logical.count; i++) {
		at.line = &lexed->logical.items[i];
		if (at.line->kind != LINE_MAGIC)
			continue;
		at.magic = &lexed->magics.items[at.line->magic];
		if (!include_requested(arena, at.magic, &at.request))
			continue;
		const char *found =
		        problem != NULL ? problem : line_problem(&at, in_scope[at.line->magic]);
		if (found != NULL)
			refuse(in, &at, slice_from(found));
		else
			include_file(in, &at);
	}
}

static void include_in_all(struct includer *in, block_list *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		include_in(in, &blocks->items[i], (struct code_depth){0});
		include_in_all(in, &blocks->items[i].blocks);
	}
}

void pass_include(struct pass_context *context)
{
	const struct include_reader *reader = &context->options->includes;
	struct includer in = {.context = context};
	if (reader->read == NULL)
		return;
	if (reader->self != NULL)
		in.chain[in.chain_count++] = reader->self;
	for (size_t i = 0; i < context->ir->programs.count; i++)
		include_in_all(&in, &context->ir->programs.items[i].blocks);
}
