/* Finds code that runs besides the cells, because the script must support its effects, such as
 * threads. Modules are looked up in the folders in which Python will search, if the notebook shows
 * them. */
#include "base/paths.h"
#include "ir/build/magic_meaning.h"
#include "ir/module_folders.h"
#include "ir/passes.h"
#include "lex/syntax_names.h"
#include "notebook/notebook.h"

enum {
	FILES_MAX = 256,     /* of a program */
	BYTES_MAX = 8 << 20, /* of the others of all programs; tokens take 30 times as much */
};

struct finder {
	struct pass_context *context;
	struct program *program;
	struct name_set folders; /* searched for modules, "." first */
	struct name_set
	        known; /* files already looked up, without .py; FOUND: whether each exists */
	VECTOR(bool) found;
	struct name_set written; /* files that cells write, without .py; TEXTS: their texts */
	VECTOR(struct strbuf) texts;
	size_t files;  /* added so far */
	size_t *bytes; /* left for all others */
};

/* Adds the code TEXT of FILE. FILE is empty for code at WHERE in the notebook. */
static void add_other(struct finder *finder, struct slice file, struct slice text,
                      struct location where)
{
	struct arena *arena = finder->context->arena;
	struct lexed_cell *lexed = ARENA_NEW(arena, struct lexed_cell);
	if (*finder->bytes == 0 || (file.len > 0 && finder->files++ >= FILES_MAX))
		return;
	*finder->bytes -= text.len < *finder->bytes ? text.len : *finder->bytes;
	lex_text(arena, text, lexed);
	vec_push(arena, &finder->program->others, ((struct other_code){file, where, lexed}));
}

/* ---- files ---- */

/* Adds the file PATH, without .py, if a cell writes it. Returns false if no cell does. */
static bool add_written(struct finder *finder, struct slice path, struct location where)
{
	if (!name_set_has(&finder->written, path))
		return false;
	add_other(finder, arena_printf(finder->context->arena, "%.*s.py", SLICE_ARG(path)),
	          strbuf_slice(&finder->texts.items[name_set_add(&finder->written, path)]), where);
	return true;
}

/* Looks up PATH, a module or script without .py, relative to the notebook's folder. Returns false
 * if it does not exist. */
static bool find_file(struct finder *finder, struct slice path, enum include_form form,
                      struct location where)
{
	const struct include_reader *reader = &finder->context->options->includes;
	struct arena *arena = finder->context->arena;
	struct slice package = arena_printf(arena, "%.*s/__init__", SLICE_ARG(path));
	if (add_written(finder, package, where) || add_written(finder, path, where))
		return true;
	if (reader->read == NULL || *finder->bytes == 0)
		return false;
	const struct included_file *found = reader->read(reader->data, path, form);
	if (found->problem.len > 0)
		diag_add(finder->context->diags, DIAG_MODULE_NOT_READ, where,
		         "'%.*s' is not checked: %.*s", SLICE_ARG(found->path),
		         SLICE_ARG(found->problem));
	if (found->notebook == NULL)
		return found->problem.len > 0;
	bool is_package = slice_ends_with(found->path, SLICE("/__init__.py"));
	add_other(finder, arena_printf(arena, "%.*s.py", SLICE_ARG(is_package ? package : path)),
	          found->notebook->cells.items[0].source, where);
	return true;
}

/* As find_file(), with one lookup for each file. */
static bool find_once(struct finder *finder, struct slice path, enum include_form form,
                      struct location where)
{
	struct arena *arena = finder->context->arena;
	struct slice key =
	        form == INCLUDE_SCRIPT ? arena_printf(arena, "%%%.*s", SLICE_ARG(path)) : path;
	size_t index = name_set_add(&finder->known, key);
	if (index == finder->found.count)
		vec_push(arena, &finder->found, find_file(finder, path, form, where));
	return finder->found.items[index];
}

/* Registers FOLDER as one in which modules are looked up. */
static void know_folder(struct finder *finder, struct slice folder)
{
	const struct include_reader *reader = &finder->context->options->includes;
	if (reader->read != NULL)
		reader->read(reader->data, folder, INCLUDE_FOLDER);
}

/* Adds IMPORT and looks up its file. Relative paths begin in the folder of the importing file, and a
 * script searches that folder first. */
static void find_imported_file(struct finder *finder, struct import import)
{
	struct slice path = import.path, file = import.file;
	struct arena *arena = finder->context->arena;
	vec_push(arena, &finder->program->imports, import);
	if (!slice_starts_with(path, SLICE("."))) {
		bool found =
		        file.len > 0 && find_once(finder, path_join(arena, path_folder(file), path),
		                                  INCLUDE_MODULE, import.where);
		for (size_t i = 0; i < finder->folders.names.count && !found; i++)
			found = find_once(finder,
			                  path_join(arena, finder->folders.names.items[i], path),
			                  INCLUDE_MODULE, import.where);
		return;
	}
	if (file.len == 0)
		return;
	struct slice folder = path_folder(file);
	(void)slice_cut_prefix(&path, SLICE("./"));
	while (slice_cut_prefix(&path, SLICE("../")))
		folder = path_folder(folder);
	find_once(finder, path_join(arena, folder, path), INCLUDE_MODULE, import.where);
}

static struct slice without_ending(struct slice name)
{
	bool ends = slice_ends_with(name, SLICE(".py"));
	return slice_sub(name, 0, name.len - (ends ? strlen(".py") : 0));
}

/* Keeps the text of a file that the cell writes: %%writefile x.py or %%file x.py, with -a to
 * append. */
static void note_written(struct finder *finder, const struct block *block)
{
	const struct lexed_cell *cell = block->kind == BLOCK_FOREIGN ? block->code->lexed : NULL;
	struct slice name = slice_make("", 0);
	bool appends = false;
	if (cell == NULL || cell->cell_magics.count == 0)
		return;
	const struct magic *head = &cell->cell_magics.items[cell->cell_magics.count - 1];
	for (struct slice rest = head->args, word; (word = slice_next_word(&rest)).len > 0;) {
		bool option = slice_eq(word, SLICE("-a")) || slice_eq(word, SLICE("--append"));
		appends |= option;
		name = option ? name : plain_path(word);
	}
	if (!slice_is_word_of(head->name, "writefile file") || !slice_ends_with(name, SLICE(".py")))
		return;
	size_t count = finder->written.names.count;
	size_t index = name_set_add(&finder->written, without_ending(name));
	if (index == count)
		vec_push(finder->context->arena, &finder->texts, ((struct strbuf){0}));
	struct strbuf *written = &finder->texts.items[index];
	if (!appends || index == count)
		*written = (struct strbuf){.arena = finder->context->arena};
	strbuf_add(written, cell->text);
	strbuf_addc(written, '\n');
}

/* ---- code of the notebook ---- */

static void note_folders(struct finder *finder, const struct block *block)
{
	enum { FOLDERS_MAX = 16 };
	struct name_set folders = {.arena = finder->context->arena};
	module_folders(block->code->lexed, &folders);
	for (size_t i = 0; i < block->code->includes.count; i++)
		name_set_add(&folders, path_folder(block->code->includes.items[i].name));
	for (size_t i = 0; i < folders.names.count; i++) {
		struct slice folder = plain_path(folders.names.items[i]);
		if (finder->folders.names.count < FOLDERS_MAX)
			name_set_add(&finder->folders, folder);
		know_folder(finder, folder);
	}
}

static void find_in_magic(struct finder *finder, const struct lexed_cell *cell,
                          const struct magic *magic)
{
	struct location where = lexed_magic_location(cell, magic);
	struct include_request request;
	struct slice code;
	if (include_requested(finder->context->arena, magic, &request) &&
	    request.form == INCLUDE_SCRIPT && request.problem == NULL) {
		/* x.py of %run x.py: its folder is one for modules. */
		struct slice path = plain_path(request.name);
		know_folder(finder, path_folder(path));
		find_once(finder, without_ending(path), INCLUDE_SCRIPT, where);
	} else if (magic_runs_code(magic, &code)) {
		add_other(finder, slice_make("", 0), code, where);
	}
}

static void find_in_block(struct finder *finder, const struct block *block)
{
	const struct lexed_cell *cell = block->code->lexed;
	syntax_import_list imports = {0};
	syntax_imports(finder->context->arena, cell, &imports);
	for (size_t i = 0; i < imports.count; i++) {
		find_imported_file(finder, (struct import){.path = imports.items[i].path,
		                                           .where = block_token_location(
		                                                   block, imports.items[i].token),
		                                           .in_cell = true});
	}
	for (size_t i = 0; i < cell->magics.count; i++)
		find_in_magic(finder, cell, &cell->magics.items[i]);
	for (size_t i = 0; i < cell->cell_magics.count; i++)
		find_in_magic(finder, cell, &cell->cell_magics.items[i]);
}

void pass_others(struct pass_context *context)
{
	size_t bytes = BYTES_MAX;
	vec_each(struct program, program, &context->ir->programs) {
		struct finder finder = {.context = context,
		                        .program = program,
		                        .bytes = &bytes,
		                        .folders = {.arena = context->arena},
		                        .known = {.arena = context->arena},
		                        .written = {.arena = context->arena}};
		name_set_add(&finder.folders, SLICE("."));
		block_refs blocks = blocks_flatten(context->arena, &program->blocks);
		for (size_t k = 0; k < blocks.count; k++)
			note_written(&finder, blocks.items[k]);
		block_refs code = program_code(context->arena, program);
		for (size_t k = 0; k < code.count; k++)
			note_folders(&finder, code.items[k]);
		for (size_t k = 0; k < code.count; k++)
			find_in_block(&finder, code.items[k]);
		for (size_t k = 0; k < program->others.count; k++) {
			const struct other_code other =
			        program->others.items[k]; /* the list may grow */
			syntax_import_list imports = {0};
			syntax_imports(context->arena, other.lexed, &imports);
			for (size_t m = 0; m < imports.count; m++)
				find_imported_file(&finder,
				                   (struct import){imports.items[m].path,
				                                   other.file, other.where, false});
		}
	}
}
