#include "cli/doctor_notebook.h"

#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/notebooks.h"
#include "driver/configuration.h"
#include "driver/verify.h"
#include "ir/analysis/module_folders.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "run/discovery.h"

struct reader {
	struct invocation *invocation;
	struct doctor_notebook *out;
	struct name_set own; /* modules of the project */
	struct slice folder; /* of the notebook, absolute */
};

/* "lib/solver/__init__.py": each of its folders may be on the search path, so that all parts are modules. */
static void note_own(struct reader *reader, struct slice file)
{
	while (file.len > 0) {
		size_t end = slice_find(file, '/', 0);
		struct slice part = slice_sub(file, 0, end);
		if (slice_ends_with(part, SLICE(".py")))
			part.len -= strlen(".py");
		name_set_add(&reader->own, part);
		file = slice_sub(file, end + 1, file.len);
	}
}

static void add_import(struct reader *reader, struct slice name, unsigned cell, bool optional)
{
	struct doctor_notebook *out = reader->out;
	bool is_known = name_set_has(&out->names, name);
	if (name_set_has(&reader->own, name) || name.len > IMPORT_NAME_MAX ||
	    (!is_known && out->names.names.count == IMPORTS_MAX))
		return;
	size_t index = name_set_add(&out->names, is_known ? name : arena_dup(out->arena, name));
	if (!is_known)
		vec_push(out->arena, &out->imports, ((struct doctor_import){cell, optional}));
	out->imports.items[index].optional &= optional;
}

static bool is_below_header(const struct lexed_cell *cell, uint32_t token)
{
	const struct syntax_statement *statement = syntax_statement_at(cell, token);
	return statement != NULL && cell->logical.items[statement->logical].column > 0;
}

/* CELL: the number to report. OPTIONAL: all that it imports is. */
static void read_imports(struct reader *reader, const struct lexed_cell *cell, unsigned number,
                         bool optional)
{
	syntax_import_list imports = {0};
	syntax_imports(reader->out->arena, cell, &imports);
	for (size_t i = 0; i < imports.count; i++) {
		struct slice path = imports.items[i].path;
		if (path.len > 0 && path.ptr[0] != '.')
			add_import(reader, slice_sub(path, 0, slice_find(path, '/', 0)), number,
			           optional || is_below_header(cell, imports.items[i].token));
	}
}

static void read_folders(struct reader *reader, const struct lexed_cell *cell)
{
	struct doctor_notebook *out = reader->out;
	struct name_set folders;
	name_set_init(&folders, out->arena);
	module_folders(cell, &folders);
	for (size_t i = 0; i < folders.names.count && out->folders.names.count <= FOLDERS_MAX;
	     i++) {
		struct slice name = folders.names.items[i];
		name_set_add(&out->folders, name.ptr[0] == '/'
		                                    ? arena_dup(out->arena, name)
		                                    : path_join(out->arena, reader->folder, name));
	}
	out->changes_path |= name_filter_may_have(&cell->names, SLICE("sys")) &&
	                     name_filter_may_have(&cell->names, SLICE("path"));
}

static void read_notebook(struct compilation *c, const struct build_settings *settings, void *data)
{
	struct reader *reader = data;
	struct doctor_notebook *out = reader->out;
	struct slice folder = compile_folder(c);
	const char *python = verify_configured_python(&reader->invocation->options->build, c);
	(void)settings;
	out->name = arena_dup(out->arena, c->ir.notebook_name);
	reader->folder = arena_dup(out->arena, os_real_path(c->arena, folder));
	name_set_add(&out->folders, reader->folder);
	out->has_steps = config_has_steps(&c->config);
	if (python != NULL)
		out->python = arena_cstr(out->arena, slice_from(python));
	else
		out->refused_python = arena_dup(out->arena, configuration_python(c));
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		struct program *program = &c->ir.programs.items[i];
		for (size_t k = 0; k < program->others.count; k++)
			note_own(reader, program->others.items[k].file);
		block_refs blocks = blocks_flatten(c->arena, &program->blocks);
		for (size_t k = 0; k < blocks.count; k++) {
			const struct block *block = blocks.items[k];
			if (!block_is_code(block))
				continue;
			read_imports(reader, block->lexed, block->cell, block->may_raise);
			read_folders(reader, block->lexed);
		}
		for (size_t k = 0; k < program->others.count; k++)
			read_imports(reader, program->others.items[k].lexed,
			             program->others.items[k].where.cell, false);
	}
}

int doctor_read_notebook(struct invocation *invocation, struct doctor_notebook *out)
{
	struct options options = *invocation->options;
	struct invocation own = *invocation;
	struct reader reader = {.invocation = invocation, .out = out};
	*out = (struct doctor_notebook){.arena = invocation->arena};
	name_set_init(&out->names, out->arena);
	name_set_init(&out->folders, out->arena);
	name_set_init(&reader.own, out->arena);
	options.build.quiet = options.build.no_verify = true; /* the rest is what check is for */
	options.build.allow_new_parameters = true;
	options.build.python = NULL;
	own.options = &options;
	return notebooks_run(&own, STDERR_FILENO, read_notebook, &reader);
}
