/* Includes the files that %run of a notebook and %load name. Each file is built to a template once,
 * which is copied to each place of inclusion. */
#include "base/paths.h"
#include "ir/build/builder.h"
#include "ir/lower/lower_call.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

enum { CHAIN_MAX = 16 }; /* nested notebooks */

/* A magic that includes a file. */
struct entrance {
	struct block *block;
	const struct logical_line *line;
	const struct magic *magic;
	struct include_request request;
	const char *problem; /* why BLOCK does not permit an inclusion here, or NULL */
};

typedef VECTOR(struct entrance) entrance_list;

/* The blocks of an included file, before they are copied to the places of inclusion. */
struct template
{
	bool built, names_file; /* names_file: it contains __file__ */
	block_list blocks;
	entrance_list *entrances; /* of each of the blocks */
};

struct includer {
	struct pass_context *context;
	VECTOR(struct template) templates; /* by index of the file */
	const struct included_file *chain[CHAIN_MAX + 1];
	size_t chain_count;
	size_t cells, bytes;   /* included so far, each time that a file is */
	bool is_full, is_deep; /* it was reported that a limit, or CHAIN_MAX, is exceeded */
	const struct entrance
	        *outermost; /* of the notebook itself, in which files are included now */
};

/* ---- messages ---- */

static struct location magic_location(const struct entrance *at)
{
	return lexed_magic_location(at->block->code->lexed, at->magic);
}

/* Adds the only warning about the magic: pass_magics() does not add another one. */
static void refuse_entrance(const struct includer *in, const struct entrance *at,
                            struct slice problem)
{
	struct diags *diags = in->context->diags;
	diag_add(diags, DIAG_INCLUDE, magic_location(at), "cannot include '%.*s': %.*s",
	         SLICE_ARG(at->request.name), SLICE_ARG(problem));
	if (at->request.form != INCLUDE_TEXT &&
	    in->context->options->build.unknown_magics != UNKNOWN_MAGICS_DROP)
		diag_hint(diags, DIAG_INCLUDE,
		          "the script runs it with IPython, which must be installed");
}

/* ---- checks ---- */

static struct slice magic_indentation(const struct entrance *at)
{
	const struct lexed_cell *lexed = at->block->code->lexed;
	const struct physical_line *line = &lexed->lines.items[at->line->first_line];
	return slice_sub(lexed->text, line->offset, line->offset + line->indent);
}

static const char *line_problem(const struct entrance *at)
{
	struct slice indent = magic_indentation(at);
	for (size_t i = 0; i < indent.len; i++) {
		if (indent.ptr[i] != ' ')
			return "its line is not indented with spaces";
	}
	if (at->magic->assigned)
		return "its value is assigned to a name";
	return at->line->in_scope ? "it is in a function or class" : at->request.problem;
}

/* Counts the inclusion of FILE. Returns -1 after an error; a limit that is exceeded is reported once. */
static int check_inclusion(struct includer *in, const struct entrance *at,
                           const struct included_file *file)
{
	struct diags *diags = in->context->diags;
	size_t first = 0;
	while (first < in->chain_count && in->chain[first] != file)
		first++;
	if (first < in->chain_count) {
		struct strbuf chain = {.arena = in->context->arena};
		for (size_t i = first; i < in->chain_count; i++)
			strbuf_printf(&chain, "%.*s -> ", SLICE_ARG(path_file(in->chain[i]->path)));
		struct slice name = path_file(file->path);
		return diag_add(diags, DIAG_INCLUDE_ERROR, magic_location(at),
		                "'%.*s' includes itself: %.*s%.*s", SLICE_ARG(name),
		                SLICE_ARG(strbuf_slice(&chain)), SLICE_ARG(name));
	}
	if (in->chain_count > CHAIN_MAX) {
		if (!in->is_deep) /* there may be thousands */
			diag_add(diags, DIAG_INCLUDE_ERROR, magic_location(at),
			         "more than %d files include each other", CHAIN_MAX);
		in->is_deep = true;
		return -1;
	}
	if (file->notebook == NULL)
		return diag_add(diags, DIAG_INCLUDE_ERROR, magic_location(at),
		                "cannot include '%.*s': it has errors",
		                SLICE_ARG(at->request.name));
	if (in->is_full)
		return -1;
	const struct include_reader *reader = &in->context->options->includes;
	size_t count = file->notebook->cells.count;
	in->cells += count == 0 ? 1 : count; /* an empty file counts, too */
	for (size_t i = 0; i < count; i++)
		in->bytes += file->notebook->cells.items[i].source.len;
	bool are_many = in->cells > reader->cells_most;
	in->is_full = are_many || in->bytes > reader->bytes_most;
	if (!in->is_full)
		return 0;
	diag_add(diags, DIAG_INCLUDE_ERROR, magic_location(in->outermost),
	         "more than %zu %s are included",
	         are_many ? reader->cells_most : reader->bytes_most,
	         are_many ? "cells" : "bytes of code");
	return diag_hint(diags, DIAG_INCLUDE_ERROR, "use --max-%s to permit more",
	                 are_many ? "cells=N" : "code-size=SIZE");
}

/* ---- templates ---- */

static void find_entrances(const struct includer *in, struct block *block, entrance_list *out)
{
	struct arena *arena = in->context->arena;
	if (!block_is_code(block))
		return;
	const struct lexed_cell *lexed = block->code->lexed;
	struct entrance at = {.block = block};
	const char *problem = NULL;
	bool is_known = false; /* most cells include nothing */
	for (size_t i = 0; i < lexed->logical.count; i++) {
		at.line = &lexed->logical.items[i];
		if (at.line->kind != LINE_MAGIC)
			continue;
		at.magic = &lexed->magics.items[at.line->magic];
		if (!include_requested(arena, at.magic, &at.request) ||
		    at.request.form == INCLUDE_SCRIPT)
			continue;
		if (!is_known) {
			is_known = true;
			if (syntax_has_top_level_await(arena, lexed))
				problem = "its cell becomes an async function";
			for (size_t k = 0; k < lexed->cell_magics.count; k++) {
				if (!lower_runs_around(&lexed->cell_magics.items[k]))
					problem = "its cell is text for a magic";
			}
			if (lexed->broken)
				problem = "its cell is not valid Python";
		}
		at.problem = problem != NULL ? problem : line_problem(&at);
		vec_push(arena, out, at);
	}
}

/* Returns the template of FILE, whose notebook must not be NULL. Each file is built once. The pointer is valid until
 * another template is built. */
static const struct template *find_template(struct includer *in, const struct included_file *file)
{
	while (in->templates.count <= file->index)
		vec_push(in->context->arena, &in->templates, (struct template){0});
	if (!in->templates.items[file->index].built) {
		struct template template = {0}; /* the list may grow meanwhile */
		struct pass_context *context = in->context;
		context->diags->file = file->path;
		ir_build(context->arena, file->notebook, file->path, context->options,
		         context->diags, &template.blocks);
		context->diags->file = slice_make("", 0);
		template.built = true;
		template.entrances = arena_calloc(context->arena, template.blocks.count,
		                                  sizeof *template.entrances);
		for (size_t i = 0; i < template.blocks.count; i++) {
			struct block *block = &template.blocks.items[i];
			find_entrances(in, block, &template.entrances[i]);
			template.names_file |= block_is_code(block) &&
			                       syntax_has(block->code->lexed, SLICE("__file__"));
		}
		in->templates.items[file->index] = template;
	}
	return &in->templates.items[file->index];
}

/* ---- inclusion ---- */

static void include_in(struct includer *in, struct block *block, const entrance_list *entrances);

/* Includes the file of AT, which the notebook permits. */
static void include_file(struct includer *in, const struct entrance *at)
{
	const struct include_reader *reader = &in->context->options->includes;
	const struct included_file *file =
	        reader->read(reader->data, at->request.name, at->request.form);
	if (file->problem.len > 0) {
		refuse_entrance(in, at, file->problem);
		return;
	}
	if (in->chain_count <= (reader->self != NULL))
		in->outermost = at;
	if (check_inclusion(in, at, file) < 0)
		return;
	struct template template = *find_template(in, file); /* a copy, because the list may grow */
	struct arena *arena = in->context->arena;
	size_t count = template.blocks.count;
	bool elsewhere = slice_has(at->request.name, '/');
	struct site site = {.context = in->context, .block = at->block, .magic = at->magic};
	struct origin *origin = ARENA_NEW(arena, struct origin);
	origin->is_text = at->request.form == INCLUDE_TEXT;
	origin->notebook = path_file(origin->is_text ? file->path : at->request.name);
	origin->silent = !origin->is_text || !site_shows_value(&site);
	struct include include = {
	        .magic = at->line->magic,
	        .end_line = at->line->first_line + at->line->line_count,
	        .indent = (uint32_t)magic_indentation(at).len,
	        .name = at->request.name,
	        .entered = !origin->is_text && (elsewhere || template.names_file),
	        .blocks = {arena_calloc(arena, count, sizeof(struct block)), count, count},
	};
	in->chain[in->chain_count++] = file;
	for (size_t i = 0; i < count; i++) {
		struct block *block = &include.blocks.items[i];
		*block = template.blocks.items[i];
		block->origin = origin;
		if (block_runs(block)) {
			block->code = ARENA_NEW(arena, struct code);
			*block->code = *template.blocks.items[i].code;
		}
		/* An included block runs in the same way as the cell that includes it. */
		block_set_instrumented(block, at->block->kind == BLOCK_EXECUTE);
		if (origin->is_text) {
			/* The text is part of the cell. */
			block->cell = at->block->cell;
			block->id = at->block->id;
			if (block_runs(block))
				block->code->count = at->block->code->count;
		} else if (block->cell == 0) { /* an .ipy file */
			block->cell = 1;
		}
		include_in(in, block, &template.entrances[i]);
	}
	in->chain_count--;
	vec_push(arena, &at->block->code->includes, include);
}

/* Includes the files of ENTRANCES in BLOCK. */
static void include_in(struct includer *in, struct block *block, const entrance_list *entrances)
{
	for (size_t i = 0; i < entrances->count; i++) {
		struct entrance at = entrances->items[i];
		at.block = block;
		if (at.problem != NULL)
			refuse_entrance(in, &at, slice_from(at.problem));
		else
			include_file(in, &at);
	}
}

static void include_in_all(struct includer *in, block_list *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		entrance_list entrances = {0};
		find_entrances(in, &blocks->items[i], &entrances);
		include_in(in, &blocks->items[i], &entrances);
		/* After an error the passes need not see the copies. */
		if (in->is_full && block_is_code(&blocks->items[i]))
			blocks->items[i].code->includes.count = 0;
		if (block_is_group(&blocks->items[i]))
			include_in_all(in, &blocks->items[i].group->blocks);
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
