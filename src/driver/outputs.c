#include "driver/outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "driver/batch.h"
#include "driver/configuration.h"
#include "driver/project.h"
#include "driver/read_sweep.h"
#include "emit/dump.h"
#include "emit/run_script.h"
#include "emit/script.h"
#include "emit/template.h"

/* ---- the runtime package ---- */

/* The package is written to a temporary folder beside its place and renamed, so that no process sees a
 * part of it, also on other computers. rename() replaces no folder that has files, so the first of
 * several processes wins. */

struct slice package_path(struct arena *arena, struct slice folder)
{
	return path_join(arena, folder, slice_from(runtime_package_name));
}

/* Makes the folder of the file PATH, and those above it up to FOLDER, which exists. */
static int make_folders(struct arena *arena, struct slice folder, struct slice path)
{
	for (size_t at = folder.len + 1; (at = slice_find(path, '/', at)) < path.len; at++) {
		if (mkdir(arena_cstr(arena, slice_sub(path, 0, at)), 0777) < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

int package_write(struct arena *arena, struct slice path)
{
	const char *place = arena_cstr(arena, path);
	VECTOR(struct os_file) files = {0};
	const struct os_file *failed;
	if (os_is_directory(place))
		return 0;
	/* mkdtemp() makes a folder that others cannot enter, so the package is made inside it. */
	const char *outer = mkdtemp(arena_cstr(arena, arena_printf(arena, "%.*s/.%s.XXXXXX",
	                                                           SLICE_ARG(path_folder(path)),
	                                                           runtime_package_name)));
	if (outer == NULL)
		return -1;
	struct slice folder = path_join(arena, slice_from(outer), slice_from(runtime_package_name));
	int status = mkdir(arena_cstr(arena, folder), 0777);
	for (size_t i = 0; status == 0 && i < template_file_count; i++) {
		struct slice name = template_files[i].name;
		if (!slice_cut_prefix(&name, SLICE("scorep_notebook/")))
			continue;
		struct slice file_path = path_join(arena, folder, name);
		struct os_file file = {
		        .path = arena_cstr(arena, file_path),
		        .text = template_files[i].text,
		        .mode = 0666,
		};
		status = make_folders(arena, folder, file_path);
		vec_push(arena, &files, file);
	}
	if (status == 0)
		status = os_put_files(arena, files.items, files.count, &failed);
	if (status == 0)
		status = rename(arena_cstr(arena, folder), place);
	int error = errno;
	(void)scratch_remove(outer);
	if (status < 0 && os_is_directory(place)) /* another process has written it */
		return 0;
	errno = error;
	return status;
}

static struct slice without_suffix(struct slice path, struct slice suffix)
{
	return slice_ends_with(path, suffix) ? slice_sub(path, 0, path.len - suffix.len) : path;
}

/* ---- which program ---- */

int program_choose(struct arena *arena, const char *wanted, struct ir *ir, struct slice *problem)
{
	struct slice name = without_suffix(slice_from(wanted == NULL ? "" : wanted), SLICE(".py"));
	size_t count = ir->programs.count, chosen = wanted == NULL && count == 1 ? 0 : count;
	struct strbuf names = {.arena = arena};
	for (size_t i = 0; i < count; i++) {
		const struct program *program = &ir->programs.items[i];
		strbuf_printf(&names, "%s'%.*s'", i > 0 ? ", " : "", SLICE_ARG(program->name));
		if (wanted != NULL && slice_eq(program->name, name))
			chosen = i;
	}
	if (chosen == count) {
		*problem =
		        wanted == NULL
		                ? arena_printf(arena,
		                               "the notebook has %zu programs: %.*s; --program "
		                               "names the one to run",
		                               count, SLICE_ARG(strbuf_slice(&names)))
		                : arena_printf(arena, "the notebook has no program '%s', but %.*s",
		                               wanted, SLICE_ARG(strbuf_slice(&names)));
		return -1;
	}
	ir->programs.items[0] = ir->programs.items[chosen];
	ir->programs.count = 1;
	return 0;
}

/* ---- all files ---- */

/* How the files begin. */
#define RUN_SCRIPT_MARKER SLICE("#!/usr/bin/env bash\n# Compiled by nbscorep ")
#define SOURCE_MAP_MARKER SLICE("{\n  \"generator\": \"compiled by nbscorep\"")

/* The files of one program. */
struct plan {
	struct slice script, run_script;  /* run_script empty: the script goes to standard output */
	struct slice table;               /* empty without a sweep */
	struct slice depfile, source_map; /* empty: not requested */
	struct emit_names names;
};

static struct slice output_folder(const struct compilation *c)
{
	if (c->options.build.output_dir != NULL)
		return slice_from(c->options.build.output_dir);
	return compile_folder(c);
}

static int plan_program(struct compilation *c, const struct program *program, struct plan *plan)
{
	const struct build_settings *settings = &c->options.build;
	struct arena *arena = c->arena;
	*plan = (struct plan){0};
	plan->names.notebook = compile_notebook_name(c);
	plan->names.notebook_folder = SLICE(".");
	struct slice stem = path_join(arena, path_folder(program->name), program->script);
	struct slice script_name = arena_printf(arena, "%.*s.py", SLICE_ARG(stem));
	plan->script = settings->output != NULL ? slice_from(settings->output)
	                                        : path_join(arena, output_folder(c), script_name);
	/* The other files have the program's name, also where the script gives way to a module. */
	stem = settings->output != NULL ? without_suffix(plan->script, SLICE(".py"))
	                                : path_join(arena, output_folder(c), program->name);
	if (slice_eq(plan->script, SLICE("-"))) {
		plan->names.script = script_name;
		return 0;
	}
	plan->run_script = arena_printf(arena, "%.*s_run.sh", SLICE_ARG(stem));
	plan->names.script = path_file(plan->script);
	plan->names.run_script = path_file(plan->run_script);
	if (sweep_sets_of(c, program) > 0)
		plan->table = arena_printf(arena, "%.*s_sweep.tsv", SLICE_ARG(stem));
	plan->names.table = path_file(plan->table);
	plan->names.results = without_suffix(plan->names.table, SLICE(".tsv"));
	if (settings->depfile_path != NULL)
		plan->depfile = slice_from(settings->depfile_path);
	else if (settings->depfile)
		plan->depfile = arena_printf(arena, "%.*s.d", SLICE_ARG(stem));
	if (settings->source_map.text != NULL)
		plan->source_map = slice_from(settings->source_map.text);
	else if (settings->source_map.given)
		plan->source_map = arena_printf(arena, "%.*s.map.json", SLICE_ARG(stem));
	/* From the run script's folder to the notebook's; both exist, or it is an error. */
	struct slice script_folder = path_folder(plan->run_script), folder = compile_folder(c);
	if (slice_eq(script_folder, folder))
		return 0;
	struct slice from = os_real_path(arena, script_folder);
	if (from.len == 0)
		return compile_fail(c, "find folder", script_folder);
	struct slice to = os_real_path(arena, folder);
	if (to.len == 0)
		return compile_fail(c, "find folder", folder);
	plan->names.notebook_folder = path_relative(arena, from, to);
	return 0;
}

static const char *add_file(struct compilation *c, struct outputs *out, struct slice path,
                            struct slice text, struct slice marker, unsigned mode)
{
	const char *name = arena_cstr(c->arena, path);
	vec_push(c->arena, &out->files,
	         (struct output){.path = name, .marker = marker, .text = text, .mode = mode});
	return name;
}

/* Empty without a sweep. */
static struct slice make_table(struct compilation *c, const struct emit_names *names,
                               struct slice build)
{
	struct strbuf out = {.arena = c->arena};
	if (names->table.len > 0)
		emit_sweep_table(&out, &c->sweep, names, build);
	return strbuf_slice(&out);
}

/* The id of a build is a digest of what its files hold besides the id and the header: a job that
 * waits keeps its script when the notebook is built again with other settings. */
static struct slice make_build_id(struct compilation *c, const struct program *program,
                                  const struct emitted_script *script,
                                  const struct run_script_parts *parts)
{
	struct strbuf run = {.arena = c->arena};
	struct run_script_parts headless = *parts;
	struct build_settings other = *parts->settings;
	other.measurement = MEASUREMENT_DEFAULT;
	headless.header = other.recorded = slice_make("", 0);
	headless.settings = &other;
	emit_run_script(&run, program, &headless);
	uint64_t digest = digest_add(DIGEST_START, emit_script_head(c->arena, parts->names));
	digest = digest_add(digest, script->body);
	digest = digest_add(digest, strbuf_slice(&run));
	digest = digest_add(digest, make_table(c, parts->names, parts->build));
	return arena_printf(c->arena, "%016" PRIx64, digest);
}

/* True if no dependency file can express NAME for GNU make (its manual: "Rule Syntax", "Using Wildcard Characters in
 * File Names").
 *
 * make ends a name at a tab, even after a backslash, and drops other white space before it. It reads a
 * line with '=' as an assignment, which can set the shell or run a command, and text after ';' as a
 * command. It expands patterns to the names of files that exist; ninja does not read make's escape for
 * them. It puts a home in ~'s place, and drops "./" before it looks for that. A name that ends in ')' ends a
 * member of an archive, which may begin in another name. */
static bool make_misreads(struct slice name)
{
	for (const char *c = "\n\r\t\v\f=;|*?["; *c != '\0'; c++) {
		if (slice_has(name, *c))
			return true;
	}
	if (name.len > 0 && slice_has(SLICE(" &)\\"), name.ptr[name.len - 1]))
		return true;
	while (slice_cut_prefix(&name, SLICE("./"))) {
		while (slice_cut_prefix(&name, SLICE("/")))
			;
	}
	return slice_starts_with(name, SLICE("~"));
}

/* Adds the dependency file: "TARGETS: DEPENDENCIES", where the dependencies are what the build has read, and an empty
 * rule for each dependency, so that a deleted file does not stop make. Returns 0, or -1 with a diagnostic if make
 * cannot read a name. */
static int add_depfile(struct compilation *c, const struct plan *plan, struct outputs *out)
{
	const struct include_files *included = &c->included;
	VECTOR(struct slice) names = {0};
	struct strbuf text = {.arena = c->arena}, target = {.arena = c->arena};
	size_t i;
	vec_push(c->arena, &names, plan->script);
	vec_push(c->arena, &names, plan->run_script);
	/* What the build has read, the notebook first. */
	if (!path_is_stdin(c->path))
		vec_push(c->arena, &names, c->path);
	for (i = 0; i < included->files.count; i++) {
		if (included->files.items[i]->notebook != NULL)
			vec_push(c->arena, &names, included->files.items[i]->path);
	}
	/* Where one was missing, make and ninja build again until it is there. Modules come last. */
	for (int is_module = 0; is_module < 2; is_module++) {
		for (i = 0; i < included->found.count; i++) {
			const struct included_file *file = included->found.items[i];
			if (file->is_module == is_module && (file->notebook != NULL) == is_module)
				vec_push(c->arena, &names, file->path);
		}
	}
	for (i = 0; i < c->needed.count; i++)
		vec_push(c->arena, &names, c->needed.items[i]);
	for (i = 0; i < c->config.files.count; i++)
		vec_push(c->arena, &names, c->config.files.items[i]);
	for (i = 0; i < names.count; i++) {
		if (make_misreads(names.items[i]))
			return diag_add(
			        &c->diags, DIAG_NAME, (struct location){0},
			        "'%.*s' cannot be in a dependency file: make would misread it",
			        SLICE_ARG(names.items[i]));
	}
	for (i = 0; i < names.count; i++) {
		strbuf_puts(&text, i == 0 ? "" : i == 2 ? ": " : " ");
		make_word(&text, names.items[i], i < 2);
	}
	strbuf_puts(&text, names.count > 2 ? "\n" : ":\n");
	for (i = 2; i < names.count; i++) {
		make_word(&text, names.items[i], true);
		strbuf_puts(&text, ":\n");
	}
	make_word(&target, path_file(plan->run_script), true);
	strbuf_addc(&target, ':');
	add_file(c, out, plan->depfile, strbuf_slice(&text), slice_make("", 0), 0666);
	out->files.items[out->files.count - 1].target = strbuf_slice(&target);
	return 0;
}

static int make_program(struct compilation *c, const struct program *program,
                        const region_list *regions, struct outputs *out)
{
	struct plan plan;
	if (plan_program(c, program, &plan) < 0)
		return -1;
	/* The name is below the output folder, but a link in its path may come from the same untrusted
	 * source as the notebook. */
	if (program->from_section && c->options.build.output == NULL &&
	    !c->options.build.allow_outside &&
	    !os_is_inside(c->arena, path_folder(plan.script), output_folder(c))) {
		diag_add(&c->diags, DIAG_NAME, program->where,
		         "'%.*s' leads out of the output folder through a link",
		         SLICE_ARG(program->name));
		return diag_hint(&c->diags, DIAG_NAME, "use --allow-outside to permit this");
	}
	const struct emitted_script *script = compile_script(c, program);
	struct strbuf head = {.arena = c->arena};
	struct run_script_parts parts = {
	        .names = &plan.names,
	        .settings = &c->options.build,
	        .regions = regions,
	        .python = configuration_python(c),
	        .config = &c->config,
	        .sets = sweep_sets_of(c, program),
	        .names_output = batch_value_of(&c->batch, SLICE("output")).len > 0,
	};
	if (batch_header(c, program, &parts.header) < 0)
		return -1;
	struct slice build = parts.build = make_build_id(c, program, script, &parts);
	out->build = build;

	strbuf_add(&head, emit_script_head(c->arena, &plan.names));
	emit_build_line(&head, build);
	struct slice package = package_path(c->arena, path_folder(plan.script));
	if (plan.run_script.len > 0 && !os_is_directory(arena_cstr(c->arena, package)))
		vec_push(c->arena, &out->packages, package);
	out->script = add_file(c, out, plan.script, script->body, OUTPUT_SCRIPT_MARKER, 0666);
	out->files.items[out->files.count - 1].head = strbuf_slice(&head);
	if (plan.run_script.len > 0) {
		struct strbuf run = {.arena = c->arena};
		emit_run_script(&run, program, &parts);
		out->run_script = add_file(c, out, plan.run_script, strbuf_slice(&run),
		                           RUN_SCRIPT_MARKER, 0777);
	}
	if (plan.table.len > 0)
		add_file(c, out, plan.table, make_table(c, &plan.names, build),
		         OUTPUT_SCRIPT_MARKER, 0666);
	if (plan.source_map.len > 0) {
		struct strbuf json = {.arena = c->arena};
		emit_source_map(&json, &script->map, &plan.names, build);
		add_file(c, out, plan.source_map, strbuf_slice(&json), SOURCE_MAP_MARKER, 0666);
	}
	return plan.depfile.len > 0 ? add_depfile(c, &plan, out) : 0;
}

int outputs_make(struct compilation *c, struct outputs *out)
{
	const struct build_settings *settings = &c->options.build;
	region_list regions = {0};
	const struct value *folder = c->output_folder;
	if (c->ir.programs.count != 1 &&
	    (settings->output != NULL || settings->depfile_path != NULL ||
	     settings->source_map.text != NULL)) {
		diag_add(&c->diags, DIAG_NAME, (struct location){0},
		         "one output file is named, but the notebook has %zu programs",
		         c->ir.programs.count);
		return diag_hint(&c->diags, DIAG_NAME, "use --output-dir, or --whole-notebook");
	}
	/* The configuration may be untrusted, with links beside it. */
	if (folder != NULL && settings->output == NULL && !settings->temporary &&
	    !settings->allow_outside &&
	    !os_is_inside(c->arena, slice_from(settings->output_dir),
	                  build_option_folder(c->path, &folder->where))) {
		diag_add(&c->diags, DIAG_CONFIG_VALUE, folder->where,
		         "'%.*s' leads out of the configuration's folder through a link",
		         SLICE_ARG(folder->text));
		return diag_hint(&c->diags, DIAG_CONFIG_VALUE,
		                 "use --allow-outside to permit this");
	}
	if (sweep_check_programs(c) < 0 || project_read_regions(c, &regions) < 0)
		return -1;
	/* A fault shows where files are written. */
	if (settings->output_dir != NULL && !settings->dry_run)
		(void)make_folders(c->arena, slice_make("", 0),
		                   arena_printf(c->arena, "%s/", settings->output_dir));
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		if (make_program(c, &c->ir.programs.items[i], &regions, out) < 0)
			return -1;
	}
	return 0;
}

/* ninja knows no comments, so a dependency file is known by its target, whose folder depends on
 * where nbscorep was called. Returns 1 or 0, or -1 with errno. */
static int is_depfile_of(const struct output *file)
{
	char bytes[8192];
	long size = os_read_front(file->path, bytes, sizeof bytes);
	if (size < 0)
		return os_is_missing(errno) ? 0 : -1;
	struct slice line = slice_make(bytes, (size_t)size);
	line = slice_sub(line, 0, slice_find(line, '\n', 0));
	size_t at = slice_find_slice(line, file->target, 0);
	return at > 0 && at < line.len && (line.ptr[at - 1] == ' ' || line.ptr[at - 1] == '/');
}

/* Reports errno. */
static int cannot_write(struct compilation *c, struct slice path)
{
	struct slice folder = path_folder(path);
	bool no_folder = errno == ENOENT, is_refused = errno == EACCES || errno == EROFS;
	(void)compile_fail(c, "write", path);
	if (is_refused)
		diag_hint(&c->diags, DIAG_IO,
		          "--output-dir names another folder; 'run --temporary' requires none");
	if (no_folder && !os_is_directory(arena_cstr(c->arena, folder)))
		diag_hint(&c->diags, DIAG_IO, "make the folder '%.*s' first", SLICE_ARG(folder));
	return -1;
}

/* Returns 0 if FILE may be written to its path, or -1 with a diagnostic. A file that nbscorep did not write is refused
 * unless --force is given, a file that the script is made of in any case. */
static int check_place(struct compilation *c, const struct output *file)
{
	const struct build_settings *settings = &c->options.build;
	const struct slice markers[] = {file->marker, {0}};
	struct slice path = slice_from(file->path), real = os_real_path(c->arena, path);
	bool forcible;
	if (real.len == 0 && !os_is_missing(errno))
		return compile_fail(c, "look at", path);
	if (real.len > 0 && compile_reads(c, real))
		return diag_add(&c->diags, DIAG_FOREIGN_FILE, (struct location){0},
		                "'%s' is what the script is made from; it is left as it is",
		                file->path);
	if (os_is_directory(file->path)) {
		errno = EISDIR;
		return cannot_write(c, path);
	}
	const char *reason = os_keep_reason(file->path, markers, settings->force, &forcible);
	/* A link in a tree that is not trusted is kept, wherever it leads. */
	if (c->tree.limit == TREE_CLOSED && os_is_link(file->path) && !settings->force) {
		forcible |= reason == NULL;
		reason = "is a link";
	} else if (file->target.len > 0 && reason != NULL && forcible) {
		int is_ours = is_depfile_of(file);
		reason = is_ours > 0 ? NULL : is_ours < 0 ? os_keep_unknown : reason;
	}
	if (reason == os_keep_unknown)
		return compile_fail(c, "look at", path);
	if (reason == NULL) {
		if (access(arena_cstr(c->arena, path_folder(path)), W_OK | X_OK) == 0 ||
		    (errno == ENOENT && settings->output_dir != NULL))
			return 0;
		return cannot_write(c, path);
	}
	diag_add(&c->diags, DIAG_FOREIGN_FILE, (struct location){0}, "'%s' %s; it is left as it is",
	         file->path, reason);
	return diag_hint(&c->diags, DIAG_FOREIGN_FILE,
	                 forcible ? "--force overwrites it; -o writes another file"
	                          : "-o writes another file");
}

/* All texts that changed go to temporary files first, then all are renamed. On failure nothing has changed, unless a
 * rename failed after another one went well; the run script detects such a pair by its build id. */
static int write_outputs(struct compilation *c, const struct outputs *outputs)
{
	VECTOR(struct os_file) files = {0};
	const struct os_file *failed;
	/* First, and apart: a reader may take its time. */
	vec_each(const struct output, file, &outputs->files) {
		if (strcmp(file->path, "-") != 0)
			vec_push(c->arena, &files,
			         (struct os_file){.path = file->path,
			                          .head = file->head,
			                          .text = file->text,
			                          .mode = file->mode});
		else if (os_write_all(STDOUT_FILENO, file->head) < 0 ||
		         os_write_all(STDOUT_FILENO, file->text) < 0)
			return compile_fail(c, "write", SLICE("standard output"));
	}
	for (size_t i = 0; i < outputs->packages.count; i++) {
		if (package_write(c->arena, outputs->packages.items[i]) < 0)
			return cannot_write(c, outputs->packages.items[i]);
	}
	if (os_put_files(c->arena, files.items, files.count, &failed) < 0)
		return cannot_write(c, slice_from(failed->path));
	return 0;
}

/* ---- what is printed ---- */

/* Prints what was done to the files. In a dry run also the commands of the notebook's magics and, if it was to be run,
 * the run script. */
static void print_outputs(struct compilation *c, const struct outputs *outputs)
{
	bool is_dry = c->options.build.dry_run,
	     lists = is_dry && c->options.build.purpose >= BUILD_TO_SUBMIT;
	const char *done = is_dry ? "would write " : "wrote ";
	struct strbuf out = {.arena = c->arena};
	for (size_t i = 0; i < outputs->files.count; i++) {
		strbuf_puts(&out, done);
		terminal_text(&out, slice_from(outputs->files.items[i].path));
		strbuf_addc(&out, '\n');
	}
	for (size_t i = 0; i < outputs->packages.count; i++) {
		strbuf_puts(&out, done);
		terminal_text(&out, outputs->packages.items[i]);
		strbuf_puts(&out, "/\n");
	}
	for (size_t i = 0; lists && i < outputs->files.count; i++) {
		struct slice line, rest = outputs->files.items[i].text;
		while (outputs->files.items[i].mode == 0777 && slice_next_line(&rest, &line)) {
			terminal_text(&out, line);
			strbuf_addc(&out, '\n');
		}
	}
	for (size_t i = 0; is_dry && i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		for (size_t k = 0; k < program->commands.count; k++) {
			/* "would start (heat.ipynb:cell 3:1:5): pip install x" */
			const struct location *where = &program->commands.items[k].where;
			strbuf_puts(&out, "would start (");
			terminal_text(&out, where->file.len > 0      ? where->file
			                    : path_is_stdin(c->path) ? compile_notebook_name(c)
			                                             : c->path);
			if (where->cell > 0)
				strbuf_printf(&out, ":cell %u", where->cell);
			strbuf_printf(&out, ":%u:%u): ", where->line, where->column);
			terminal_text(&out, program->commands.items[k].text);
			strbuf_addc(&out, '\n');
		}
	}
	if ((is_dry ? message_print(c->arena, strbuf_slice(&out))
	            : os_write_all(STDERR_FILENO, strbuf_slice(&out))) != 0)
		c->diags.failed = true;
}

int outputs_build(struct compilation *c, struct outputs *out)
{
	const struct build_settings *settings = &c->options.build;
	if (outputs_make(c, out) < 0)
		return -1;
	/* Nothing may be written twice: by two notebooks of one call, or by one under two names. */
	for (size_t i = 0; i < out->files.count; i++) {
		const char *path = out->files.items[i].path;
		size_t count = c->taken->names.count;
		struct slice real = os_real_path(c->arena, slice_from(path));
		if (real.len == 0 ||
		    name_set_add(c->taken, arena_dup(c->taken->arena, real)) == count)
			continue;
		diag_add(&c->diags, DIAG_NAME_TWICE, (struct location){0},
		         "'%s' would be written twice by this call", path);
		return diag_hint(&c->diags, DIAG_NAME_TWICE, "use -o, or build into two folders");
	}
	vec_each(const struct output, file, &out->files) {
		if (strcmp(file->path, "-") != 0 && check_place(c, file) < 0)
			return -1;
	}
	if (!settings->dry_run && write_outputs(c, out) < 0)
		return -1;
	for (size_t i = 0; !settings->dry_run && i < out->files.count; i++) {
		struct slice path = slice_from(out->files.items[i].path), ending = SLICE(".tsv");
		if (slice_ends_with(path, SLICE("_sweep.tsv")))
			sweep_set_aside(c, slice_sub(path, 0, path.len - ending.len));
	}
	if (settings->dry_run || settings->verbose)
		print_outputs(c, out);
	return 0;
}
