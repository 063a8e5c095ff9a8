#include "driver/project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"
#include "driver/config_files.h"

static bool has(struct arena *arena, struct slice folder, struct slice name)
{
	struct slice path = path_join(arena, folder, name);
	return os_is_there(arena_cstr(arena, path)) && os_is_trusted(arena, path);
}

/* True if HOME is FOLDER, or below it. */
static bool contains(struct slice folder, struct slice home)
{
	return slice_eq(folder, SLICE("/")) ||
	       (slice_starts_with(home, folder) &&
	        (home.len == folder.len || home.ptr[folder.len] == '/'));
}

/* FOLDER is absolute. */
static struct slice find_top(struct arena *arena, struct slice folder)
{
	const char *variable = getenv("HOME");
	struct slice home = os_real_path(arena, slice_from(variable != NULL ? variable : ""));
	struct slice top = folder;
	bool has_file = false;
	for (; !contains(folder, home); folder = path_folder(folder)) {
		if (has(arena, folder, SLICE(".git")))
			return folder;
		if (!has_file && has(arena, folder, SLICE(CONFIG_FILE_NAME))) {
			has_file = true;
			top = folder;
		}
	}
	return top;
}

/* The folder that --untrusted names, or that the notebook was found in, or its own. */
static struct slice closed_top(const struct compilation *c, const struct build_settings *settings)
{
	if (settings->untrusted.text != NULL)
		return slice_from(settings->untrusted.text);
	return c->found_in.len > 0 ? c->found_in : compile_folder(c);
}

static int init_tree(struct compilation *c, const struct build_settings *settings)
{
	enum tree_limit limit = settings->allow_outside ? TREE_ANY : TREE_PROJECT;
	if (settings->untrusted.given)
		return tree_init(&c->tree, c->arena, TREE_CLOSED, closed_top(c, settings));
	struct slice folder = os_real_path(c->arena, compile_folder(c));
	return folder.len == 0 ? -1
	                       : tree_init(&c->tree, c->arena, limit, find_top(c->arena, folder));
}

int project_init(struct compilation *c, const struct build_settings *settings)
{
	c->hidden = ARENA_NEW(c->arena, struct name_set);
	name_set_init(c->hidden, c->arena);
	c->diags.hidden = c->hidden;
	name_set_init(&c->set_by_notebook, c->arena);
	if (init_tree(c, settings) == 0)
		return 0;
	bool is_given = settings->untrusted.text != NULL;
	struct slice folder = is_given ? slice_from(settings->untrusted.text) : compile_folder(c);
	/* Nothing is found below a folder without a name, nor is the notebook: that is reported. */
	c->tree = (struct tree){.limit = TREE_CLOSED, .top_path = ""};
	if (os_is_missing(errno) && !is_given)
		return 0;
	return compile_fail(c, "find the folder", folder);
}

struct location project_place(const struct compilation *c, struct slice option)
{
	const struct config_pair *pair = config_find(&c->config.build, option);
	bool is_notebooks = name_set_has(&c->set_by_notebook, option);
	return is_notebooks ? pair->value.value->where : (struct location){0};
}

int project_read(struct compilation *c, struct slice option, struct slice path, size_t limit,
                 struct strbuf *out)
{
	struct tree_file file;
	if (!name_set_has(&c->set_by_notebook, option))
		return os_read_file(arena_cstr(c->arena, path), out, limit);
	name_set_add(c->hidden, path);
	return tree_read(&c->tree, path, out, limit, &file);
}

int project_list_folder(struct compilation *c, struct slice option, struct slice path,
                        struct os_names *names)
{
	struct tree_file folder;
	if (!name_set_has(&c->set_by_notebook, option))
		return os_list_folder(c->arena, arena_cstr(c->arena, path), names);
	return tree_open_folder(&c->tree, c->arena, path, &folder) < 0
	               ? -1
	               : os_list_descriptor(c->arena, folder.fd, names);
}

void project_report_unread(struct compilation *c, struct slice option, struct slice path, int error)
{
	if (!tree_is_refusal(error)) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot read '%.*s': %s",
		         SLICE_ARG(path), strerror(error));
		return;
	}
	diag_add(&c->diags, DIAG_OUTSIDE, project_place(c, option), "'%.*s' is not read: %s",
	         SLICE_ARG(path), tree_problem(&c->tree, error));
}

bool project_is_notebooks(const struct compilation *c, const struct location *where)
{
	if (where->cell > 0 || (where->file.len == 0 && where->line > 0))
		return true;
	for (size_t i = 0; i < c->included.files.count; i++) {
		if (slice_eq(c->included.files.items[i]->path, where->file))
			return true;
	}
	return false;
}

void project_hide(struct name_set *hidden, struct slice path, const struct tree_file *file)
{
	static const struct slice endings[] = {SLICE_INIT(".ipynb"), SLICE_INIT(".py"),
	                                       SLICE_INIT(".ipy")};
	struct slice name = slice_from(file->name);
	bool shown = false;
	for (size_t i = 0; file->inside && i < sizeof endings / sizeof *endings; i++)
		shown |= slice_ends_with(name, endings[i]);
	if (!shown)
		name_set_add(hidden, path);
}
