#include "driver/project.h"

#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "driver/config_files.h"
#include "scorep/filter.h"

enum { FILTER_MAX = 16 << 20, REGIONS_MAX = 1 << 20 }; /* bytes of such a file */

/* ---- the tree ---- */

static bool has_trusted(struct arena *arena, struct slice folder, struct slice name)
{
	struct slice path = path_join(arena, folder, name);
	return os_is_there(arena_cstr(arena, path)) && os_is_trusted(arena, path);
}

/* FOLDER is absolute. */
static struct slice find_top(struct arena *arena, struct slice folder)
{
	const char *variable = getenv("HOME");
	struct slice home = os_real_path(arena, slice_from(variable != NULL ? variable : ""));
	struct slice top = folder;
	bool has_file = false;
	for (;; folder = path_folder(folder)) {
		/* Not the home, nor one above it. */
		if (slice_eq(folder, SLICE("/")) ||
		    (slice_starts_with(home, folder) &&
		     (home.len == folder.len || home.ptr[folder.len] == '/')))
			return top;
		if (has_trusted(arena, folder, SLICE(".git")))
			return folder;
		if (!has_file && has_trusted(arena, folder, SLICE(CONFIG_FILE_NAME))) {
			has_file = true;
			top = folder;
		}
	}
}

int project_init(struct compilation *c, const struct build_settings *settings)
{
	struct slice folder = compile_folder(c), top = folder;
	bool is_named = settings->untrusted.text != NULL;
	int status = -1;
	c->diags.hidden = ARENA_NEW(c->arena, struct name_set);
	*c->diags.hidden = (struct name_set){.arena = c->arena};
	c->set_by_notebook = (struct name_set){.arena = c->arena};
	if (is_named)
		folder = top = slice_from(settings->untrusted.text);
	else if (c->found_in.len > 0)
		top = c->found_in;
	if (settings->untrusted.given) {
		status = tree_init(&c->tree, c->arena, TREE_CLOSED, top);
	} else {
		struct slice real = os_real_path(c->arena, folder);
		if (real.len > 0)
			status = tree_init(&c->tree, c->arena,
			                   settings->allow_outside ? TREE_ANY : TREE_PROJECT,
			                   find_top(c->arena, real));
	}
	if (status == 0)
		return 0;
	/* Nothing is found below a folder without a name, nor is the notebook: that is reported. */
	c->tree = (struct tree){.limit = TREE_CLOSED, .top_path = ""};
	if (os_is_missing(errno) && !is_named)
		return 0;
	return compile_fail(c, "find the folder", folder);
}

/* The place in the notebook's metadata that sets OPTION of build; all 0 where it does not. */
static struct location project_place(const struct compilation *c, struct slice option)
{
	const struct config_pair *pair = config_find(&c->config.build, option);
	bool is_notebooks = name_set_has(&c->set_by_notebook, option);
	return is_notebooks ? pair->value.value->where : (struct location){0};
}

/* ---- files that a run needs ---- */

/* True if WHERE, of a value that is configured, is in the notebook: in a cell, in its metadata or in a
 * file that it includes. */
static bool is_notebooks(const struct compilation *c, const struct location *where)
{
	if (where->cell > 0 || (where->file.len == 0 && where->line > 0))
		return true;
	for (size_t i = 0; i < c->included.files.count; i++) {
		if (slice_eq(c->included.files.items[i]->path, where->file))
			return true;
	}
	return false;
}

static void note_needed(struct compilation *c, struct slice path)
{
	if (!slice_is_one_of(path, c->needed.items, c->needed.count))
		vec_push(c->arena, &c->needed, path);
}

/* Reads the filter file FILTER, which is named at WHERE. 1, 0: it is not a regular file, or -1 with errno. */
static int read_filter(struct compilation *c, struct slice filter, const struct location *where,
                       bool by_notebook, struct strbuf *text)
{
	const char *path = arena_cstr(c->arena, filter);
	if (!by_notebook) {
		int is_regular = os_check_readable(path) == 0 ? os_find(path, S_IFREG) : -1;
		return is_regular > 0 && os_read_file(path, text, FILTER_MAX) < 0 ? -1 : is_regular;
	}
	struct tree_file file;
	int status = tree_read(&c->tree, filter, text, FILTER_MAX, &file);
	struct slice line = slice_make("", 0), rest = strbuf_slice(text);
	while (line.len == 0 && slice_next_line(&rest, &line))
		line = slice_trim(slice_sub(line, 0, slice_find(line, '#', 0)));
	/* Nothing of it is shown, unless a cell names it and it is a filter file of the project. What begins with a
	 * key word is none of the user's secrets. */
	if (status < 0 || where->cell == 0 || !file.inside ||
	    !slice_starts_with(line, SLICE("SCOREP_")))
		name_set_add(c->diags.hidden, filter);
	return status < 0 ? -1 : 1;
}

static void check_filter(struct compilation *c, const struct program *program)
{
	static const struct slice option = SLICE_INIT("filter");
	const struct setting *setting = program_setting(program, SLICE("SCOREP_FILTERING_FILE"));
	struct strbuf text = {.arena = c->arena};
	if (setting == NULL || setting->value.len == 0 || slice_has(setting->value, '\0') ||
	    (!setting->literal && bash_has_expansion(setting->value)))
		return; /* it is not known now */
	/* The run starts in the notebook's folder. */
	struct slice path = path_join(c->arena, compile_folder(c), setting->value);
	struct location where = setting->value_where;
	/* The notebook's author names it, or wrote it: it is in a tree that is not trusted. */
	bool by_notebook = (c->tree.limit == TREE_CLOSED && setting->value.ptr[0] != '/') ||
	                   is_notebooks(c, &where);
	enum diag_kind missing = DIAG_MISSING_YET; /* a notebook's may be made before the run */
	if (c->options.build.filter != NULL) {
		path = slice_from(c->options.build.filter);
		where = project_place(c, option);
		by_notebook = name_set_has(&c->set_by_notebook, option);
		missing = by_notebook ? DIAG_MISSING_FILE : DIAG_IO;
	}
	if (path_is_stdin(path)) /* would be standard input */
		path = SLICE("./-");
	int read = read_filter(c, path, &where, by_notebook, &text);
	if (read < 0 && tree_is_refusal(errno)) {
		diag_add(&c->diags, DIAG_NOT_READ, where, "'%.*s' is not looked at: %s",
		         SLICE_ARG(path), tree_problem(&c->tree, errno));
		return;
	}
	if (read < 0) {
		diag_add(&c->diags, os_is_unsuitable(errno) ? missing : DIAG_IO, where,
		         "cannot read the filter file '%.*s': %s", SLICE_ARG(path),
		         strerror(errno));
		return;
	}
	note_needed(c, path);
	if (read > 0)
		scorep_check_filter(&c->diags, path, strbuf_slice(&text));
}

void project_find_needed(struct compilation *c)
{
	/* `python -m scorep` looks in the notebook's folder first. */
	struct slice path = path_join(c->arena, compile_folder(c), SLICE("scorep.py"));
	if (c->tree.limit == TREE_CLOSED ? tree_find(&c->tree, c->arena, path, S_IFREG) > 0
	                                 : os_check_readable(arena_cstr(c->arena, path)) == 0) {
		diag_add(&c->diags, DIAG_SHADOW, (struct location){0},
		         "'scorep.py' beside the notebook is what Python takes for Score-P's "
		         "bindings, so that nothing can be measured");
		diag_hint(&c->diags, DIAG_SHADOW, "move or rename it");
	}
	for (size_t i = 0; i < c->ir.programs.count; i++)
		check_filter(c, &c->ir.programs.items[i]);
}

/* ---- files that options name ---- */

int project_read(struct compilation *c, struct slice option, struct slice path, size_t limit,
                 struct slice *out)
{
	struct strbuf text = {.arena = c->arena};
	struct tree_file file;
	int status;
	if (name_set_has(&c->set_by_notebook, option)) {
		name_set_add(c->diags.hidden, path);
		status = tree_read(&c->tree, path, &text, limit, &file);
	} else {
		status = os_read_file(arena_cstr(c->arena, path), &text, limit);
	}
	if (status < 0 && !tree_is_refusal(errno))
		return compile_fail(c, "read", path);
	if (status < 0)
		return diag_add(&c->diags, DIAG_OUTSIDE, project_place(c, option),
		                "'%.*s' is not read: %s", SLICE_ARG(path),
		                tree_problem(&c->tree, errno));
	note_needed(c, path);
	*out = strbuf_slice(&text);
	return 0;
}

int project_read_regions(struct compilation *c, region_list *out)
{
	struct slice path =
	        slice_from(c->options.build.regions == NULL ? "" : c->options.build.regions);
	struct slice rest = slice_make("", 0), line;
	unsigned number = 0;
	int status = 0;
	if (slice_eq(path, SLICE("defs")))
		vec_push(c->arena, out, path);
	if (c->options.build.regions == NULL || out->count > 0)
		return 0;
	if (path_is_stdin(path)) /* would be standard input */
		path = SLICE("./-");
	if (project_read(c, SLICE("regions"), path, REGIONS_MAX, &rest) < 0)
		return -1;
	if (utf8_check(rest) < rest.len)
		return diag_add(&c->diags, DIAG_REGIONS_FILE, (struct location){.file = path},
		                "the file is not UTF-8");
	(void)slice_cut_prefix(&rest, SLICE("\xEF\xBB\xBF"));
	while (slice_next_line(&rest, &line)) {
		struct slice name = slice_trim(slice_sub(line, 0, slice_find(line, '#', 0)));
		size_t fault = build_option_name_fault(name, "*?"), len;
		number++;
		if (fault == name.len) {
			if (name.len > 0)
				vec_push(c->arena, out, name);
			continue;
		}
		utf8_decode(slice_tail(name, fault), &len);
		size_t at = (size_t)(name.ptr - line.ptr) + fault;
		struct location where = location_in_line(0, number, line, at, len);
		where.file = path;
		status = diag_add(
		        &c->diags, DIAG_REGIONS_FILE, where,
		        "a line holds the name of a function or class, such as 'Solver.step' or "
		        "'read_*'");
	}
	if (status == 0 && out->count == 0)
		return diag_add(&c->diags, DIAG_REGIONS_FILE, (struct location){.file = path},
		                "the file names no function");
	return status;
}
