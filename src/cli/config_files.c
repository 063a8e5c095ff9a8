#include "cli/config_files.h"

#include <stdlib.h>

#include "base/os.h"
#include "base/paths.h"
#include "config/yaml_reader.h"

static int read_file(struct compilation *c, struct slice path, enum config_source source,
                     config_layer_list *layers)
{
	vec_push(c->arena, &c->config.files, path);
	const struct value *value = yaml_read_file(c->arena, path, &c->diags);
	if (value == NULL) {
		c->system_failed |= c->diags.list.items[c->diags.list.count - 1].kind == DIAG_IO;
		return -1;
	}
	vec_push(c->arena, layers, (struct config_layer){source, value});
	return 0;
}

static int read_if_there(struct compilation *c, struct slice path, enum config_source source,
                         config_layer_list *layers)
{
	if (path.len == 0 || !os_is_file(arena_cstr(c->arena, path)))
		return 0;
	return read_file(c, path, source, layers);
}

static bool is_absolute(const char *path)
{
	return path != NULL && path[0] == '/';
}

/* https://specifications.freedesktop.org/basedir-spec/: a path that is not absolute does not
 * count. */
static struct slice user_path(struct arena *arena)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (is_absolute(config))
		return arena_printf(arena, "%s/nbscorep/config.yaml", config);
	if (is_absolute(home))
		return arena_printf(arena, "%s/.config/nbscorep/config.yaml", home);
	return slice_make("", 0);
}

/* The file in FOLDER, an absolute path, as somebody in the folder FROM names it. */
static struct slice file_in(struct arena *arena, struct slice folder, struct slice from)
{
	if (from.len > 0)
		folder = path_relative(arena, from, folder);
	return path_join(arena, folder, SLICE(CONFIG_FILE_NAME));
}

static bool may_be_used(struct compilation *c, struct slice path)
{
	if (os_is_trusted(c->arena, path))
		return true;
	diag_add(&c->diags, DIAG_CONFIG_IGNORED, (struct location){.file = path},
	         "the file is not read: it is another user's, in a folder that everybody can "
	         "write to");
	diag_hint(&c->diags, DIAG_CONFIG_IGNORED, "--config reads it, --no-config is silent");
	return false;
}

/* The nearest file from the notebook's folder upwards, by a path as relative as the notebook's. */
static struct slice find_project_file(struct compilation *c)
{
	bool is_stdin = slice_eq(c->path, SLICE("-"));
	struct slice from = slice_make("", 0);
	struct slice folder = os_real_path(c->arena, is_stdin ? SLICE(".") : path_folder(c->path));
	if (is_stdin || c->path.ptr[0] != '/')
		from = os_real_path(c->arena, SLICE("."));
	while (folder.len > 0) {
		struct slice path = file_in(c->arena, folder, from);
		if (os_is_file(arena_cstr(c->arena, path)) && may_be_used(c, path))
			return path;
		if (folder.len == 1)
			break;
		folder = path_folder(folder);
	}
	return slice_make("", 0);
}

int config_files_read(struct compilation *c, const struct options *options,
                      config_layer_list *layers)
{
	int status = 0;
	if (options->no_config)
		return 0;
	status |= read_if_there(c, slice_from(config_system_path()), CONFIG_SYSTEM, layers);
	status |= read_if_there(c, user_path(c->arena), CONFIG_USER, layers);
	if (options->config_path != NULL)
		status |= read_file(c, slice_from(options->config_path), CONFIG_PROJECT, layers);
	else
		status |= read_if_there(c, find_project_file(c), CONFIG_PROJECT, layers);
	return status;
}
