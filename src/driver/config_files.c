#include "driver/config_files.h"

#include "base/os.h"
#include "base/paths.h"
#include "settings/yaml_reader.h"
#include "version.h"

/* Of the whole machine; a test has another one. */
#ifndef SYSTEM_CONFIG
#define SYSTEM_CONFIG NBSCOREP_SYSCONFDIR "/" CONFIG_FILE_NAME
#endif

/* Reports that the file at PATH cannot be read or the like (WHAT) because of errno. Returns -1. */
static int fail_file(struct compilation *c, const char *what, struct slice path)
{
	return diag_add(&c->diags, DIAG_IO, (struct location){.file = path}, "cannot %s '%.*s': %s",
	                what, SLICE_ARG(path), strerror(errno));
}

/* Adds the content of the open file FD. FD is -1, with errno, if it could not be opened. */
static int read_open_file(struct compilation *c, int fd, struct slice path,
                          enum config_source source, config_layer_list *layers)
{
	struct strbuf text = {.arena = c->arena};
	vec_push(c->arena, &c->config.files, path);
	/* What was read of a file that is too large is too large for yaml_read(), too. */
	if (fd < 0 || (os_read_closing(fd, &text, YAML_MAX_BYTES) < 0 && errno != EFBIG))
		return fail_file(c, "read", path);
	const struct value *value = yaml_read(c->arena, path, strbuf_slice(&text), &c->diags);
	if (value == NULL)
		return -1;
	vec_push(c->arena, layers, (struct config_layer){source, value});
	return 0;
}

/* Returns 1 if PATH is a file to read, 0 if not, or -1 with a diagnostic. Anything else at PATH is
 * reported. */
static int find_config_file(struct compilation *c, struct slice path)
{
	const char *name = arena_cstr(c->arena, path);
	int found = os_find(name, S_IFREG);
	if (found < 0)
		return fail_file(c, "look at", path);
	if (found == 0 && os_is_there(name))
		diag_add(&c->diags, DIAG_CONFIG_IGNORED, (struct location){.file = path},
		         "it is not read: it is %s",
		         os_is_lost_link(name) ? "a link that leads nowhere"
		                               : "no regular file, or hidden from this user");
	return found;
}

static int read_if_there(struct compilation *c, struct slice path, enum config_source source,
                         config_layer_list *layers)
{
	int found = find_config_file(c, path);
	return found <= 0 ? found
	                  : read_open_file(c, os_open_input(arena_cstr(c->arena, path)), path,
	                                   source, layers);
}

static void report_ignored(struct compilation *c, struct slice path, const char *reason)
{
	diag_add(&c->diags, DIAG_CONFIG_IGNORED, (struct location){.file = path},
	         "the file is not read: %s", reason);
	diag_hint(&c->diags, DIAG_CONFIG_IGNORED, "--config reads it, --no-config is silent");
}

/* Reads the nearest file from the notebook's folder upwards. Its path is as relative as the notebook's. */
static int read_project_file(struct compilation *c, config_layer_list *layers)
{
	bool relative = path_is_stdin(c->path) || c->path.ptr[0] != '/';
	struct slice start = compile_folder(c), here = SLICE("."), path;
	struct slice from = relative ? os_real_path(c->arena, here) : slice_make("", 0);
	struct tree beside;
	struct tree_file file = {.fd = -1};
	if (relative && from.len == 0) /* a current folder that was removed has no file */
		return os_is_missing(errno) ? 0 : fail_file(c, "look at", here);
	struct slice folder = os_real_path(c->arena, start);
	if (folder.len == 0)
		return fail_file(c, "look at", start);
	for (;; folder = path_folder(folder)) {
		path = path_join(c->arena,
		                 relative ? path_relative(c->arena, from, folder) : folder,
		                 SLICE(CONFIG_FILE_NAME));
		int found = find_config_file(c, path);
		if (found < 0)
			return -1;
		if (found > 0 && os_is_trusted(c->arena, path))
			break;
		if (found > 0)
			report_ignored(
			        c, path,
			        "it is another user's, in a folder that everybody can write to");
		if (folder.len == 1)
			return 0;
	}
	/* A link may lead to another place of the project, or of its own folder. */
	if (tree_init(&beside, c->arena, TREE_PROJECT, path_folder(path)) < 0 ||
	    (tree_open(&beside, c->arena, path, &file) < 0 &&
	     (!tree_is_refusal(errno) || tree_open(&c->tree, c->arena, path, &file) < 0)))
		file.fd = -1;
	if (file.fd >= 0 || !tree_is_refusal(errno))
		return read_open_file(c, file.fd, path, CONFIG_PROJECT, layers);
	report_ignored(c, path, tree_problem(&c->tree, errno));
	return 0;
}

int config_files_read(struct compilation *c, const struct build_settings *settings,
                      config_layer_list *layers)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct slice user = {0};
	int status = 0;
	if (settings->no_config)
		return 0;
	status |= read_if_there(c, SLICE(SYSTEM_CONFIG), CONFIG_SYSTEM, layers);
	/* https://specifications.freedesktop.org/basedir-spec/: a path that is not absolute does not count. */
	if (config != NULL && config[0] == '/')
		user = arena_printf(c->arena, "%s/nbscorep/config.yaml", config);
	else if (home != NULL && home[0] == '/')
		user = arena_printf(c->arena, "%s/.config/nbscorep/config.yaml", home);
	if (user.len > 0)
		status |= read_if_there(c, user, CONFIG_USER, layers);
	if (settings->config_path != NULL)
		status |= read_open_file(c, os_open_input(settings->config_path),
		                         slice_from(settings->config_path), CONFIG_PROJECT, layers);
	else if (!settings->untrusted.given) /* else the notebook's author wrote the file, too */
		status |= read_project_file(c, layers);
	return status;
}
