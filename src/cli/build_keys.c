#include "cli/build_keys.h"

#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "cli/selective.h"
#include "settings/keys.h"

enum text_is {
	TEXT_IS_PLAIN,
	TEXT_IS_PATH,
	TEXT_IS_FOLDER,
	TEXT_IS_BELOW, /* a path below the file's folder */
	TEXT_IS_MODULE,
	TEXT_IS_SECONDS,
};

static const struct build_key {
	struct slice name;
	enum text_is text;
} keys[] = {
#define BUILD_KEY(name, text) {SLICE_INIT(name), TEXT_IS_##text},
#include "cli/build_keys.def"
#undef BUILD_KEY
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static const struct build_key *find_key(struct slice name)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (slice_eq(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

static const struct option_row *find_row(struct slice name)
{
	size_t count;
	const struct option_row *rows = option_rows(&count);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].long_name != NULL && (rows[i].commands & (1u << COMMAND_BUILD)) != 0 &&
		    slice_eq(slice_from(rows[i].long_name), name))
			return &rows[i];
	}
	return NULL;
}

const struct option_row *const *build_keys(struct arena *arena, size_t *count)
{
	const struct option_row **rows = arena_calloc(arena, KEY_COUNT, sizeof(void *));
	for (size_t i = 0; i < KEY_COUNT; i++)
		rows[i] = find_row(keys[i].name);
	*count = KEY_COUNT;
	return rows;
}

/* ---- checking ---- */

static void unknown_option(struct diags *diags, const struct value_entry *entry)
{
	struct slice names[KEY_COUNT], name = entry->name;
	for (size_t i = 0; i < KEY_COUNT; i++)
		names[i] = keys[i].name;
	struct slice near = suggest(name, names, KEY_COUNT);
	if (config_key_find(name) != NULL) {
		diag_add(diags, DIAG_CONFIG_KEY, entry->where,
		         "'%.*s' is a key of its own, not one of 'build'", SLICE_ARG(name));
	} else if (find_row(name) != NULL) {
		diag_add(diags, DIAG_CONFIG_KEY, entry->where,
		         "'%.*s' is given on the command line only", SLICE_ARG(name));
	} else {
		diag_add(diags, DIAG_CONFIG_KEY, entry->where, "build has no option '%.*s'",
		         SLICE_ARG(name));
		if (near.len > 0)
			diag_hint(diags, DIAG_CONFIG_KEY, "did you mean '%.*s'?", SLICE_ARG(near));
		else
			diag_hint(diags, DIAG_CONFIG_KEY, "nbscorep.yaml(5) lists them");
	}
}

static bool is_flag(const struct option_row *row)
{
	return row->type == OPTION_FLAG || row->type == OPTION_FLAG_DASH ||
	       row->type == OPTION_OPTIONAL_TEXT;
}

static const char *wanted_by(const struct option_row *row)
{
	if (is_flag(row))
		return "true or false";
	return row->type == OPTION_LIST ? "a text or a list of texts" : "a text";
}

static bool is_below(struct slice path)
{
	for (size_t at = 0; at <= path.len;) {
		size_t end = slice_find(path, '/', at);
		if (slice_eq(slice_sub(path, at, end), SLICE("..")))
			return false;
		at = end + 1;
	}
	return path.len > 0 && path.ptr[0] != '/';
}

static void check_text(struct diags *diags, const struct build_key *key,
                       const struct option_row *row, const struct value *value)
{
	struct options dummy = {0};
	struct strbuf error;
	double seconds;
	strbuf_init(&error, diags->arena);
	const char *text = arena_cstr(diags->arena, value->text);
	if (value->text.len == 0)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' is empty", row->long_name);
	else if (option_set(diags->arena, row, text, &dummy, &error) < 0)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' is one of %s, not '%s'",
		         row->long_name, row->argument, text);
	else if (key->text == TEXT_IS_BELOW && !is_below(value->text))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where,
		         "'%s' is a folder below the configuration's own, not '%s'", row->long_name,
		         text);
	else if (key->text == TEXT_IS_MODULE && !selective_is_module(value->text))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where,
		         "'%s' wants a module's name, not '%s'", row->long_name, text);
	else if (key->text == TEXT_IS_SECONDS && !option_read_seconds(text, &seconds))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' expects seconds, not '%s'",
		         row->long_name, text);
}

static bool fits(const struct option_row *row, const struct value *value)
{
	if (is_flag(row))
		return value->kind == VALUE_BOOL;
	return value_is_scalar(value) && value->kind != VALUE_NULL;
}

static void check_one(struct diags *diags, const struct build_key *key,
                      const struct option_row *row, const struct value *value)
{
	if (!fits(row, value))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' wants %s, not %s",
		         row->long_name, wanted_by(row), value_kind_name(value->kind));
	else if (!is_flag(row))
		check_text(diags, key, row, value);
}

void build_keys_check(struct diags *diags, const struct value_entry *entry)
{
	const struct build_key *key = find_key(entry->name);
	const struct option_row *row = key == NULL ? NULL : find_row(key->name);
	const struct value *value = entry->value;
	if (row == NULL) {
		unknown_option(diags, entry);
		return;
	}
	if (value->kind == VALUE_NULL)
		return;
	if (row->type != OPTION_LIST || value->kind != VALUE_LIST) {
		check_one(diags, key, row, value);
		return;
	}
	for (size_t i = 0; i < value->items.count; i++)
		check_one(diags, key, row, value->items.items[i]);
}

/* ---- applying ---- */

struct slice config_folder_of(struct compilation *c, const struct location *where)
{
	/* The notebook's own values have no file, the command line's no line. */
	bool is_notebooks = where->file.len == 0 && where->line > 0;
	return path_folder(is_notebooks ? c->path : where->file);
}

static const char *text_of(struct compilation *c, const struct build_key *key,
                           const struct value *value)
{
	bool is_word =
	        slice_eq(key->name, SLICE("regions")) && slice_eq(value->text, SLICE("defs"));
	bool names_path = key->text == TEXT_IS_PATH || key->text == TEXT_IS_FOLDER ||
	                  key->text == TEXT_IS_BELOW;
	if (!names_path || is_word)
		return arena_cstr(c->arena, value->text);
	struct slice folder = config_folder_of(c, &value->where);
	return arena_cstr(c->arena, path_join(c->arena, folder, value->text));
}

/* What is not there is said when it is read. */
static const char *problem_of(const struct build_key *key, const char *path)
{
	bool names_file = key->text == TEXT_IS_PATH, names_folder = key->text == TEXT_IS_FOLDER;
	if ((!names_file && !names_folder) || os_is_directory(path) || access(path, F_OK) != 0)
		return NULL;
	if (names_file)
		return os_is_file(path) ? NULL : "is not a regular file";
	return "is not a folder";
}

/* A configuration may be a stranger's, with FIFOs beside it. */
static int check_path(struct compilation *c, const struct build_key *key, const struct value *value,
                      const char *path)
{
	const char *problem = problem_of(key, path);
	if (problem == NULL)
		return 0;
	diag_add(&c->diags, DIAG_CONFIG_VALUE, value->where, "'%.*s' %s", SLICE_ARG(value->text),
	         problem);
	return -1;
}

static int apply(struct compilation *c, const struct config_pair *pair, struct options *options)
{
	const struct build_key *key = find_key(pair->name);
	const struct option_row *row = find_row(pair->name);
	const struct value *value = pair->value.value;
	struct strbuf error;
	if (key == NULL || row == NULL) /* which build_keys_check() has reported */
		return 0;
	strbuf_init(&error, c->arena);
	if (pair->value.source == CONFIG_NOTEBOOK)
		name_set_add(&c->set_by_notebook, pair->name);
	if (is_flag(row)) {
		if (value->boolean)
			(void)option_set(c->arena, row, NULL, options, &error);
		return 0;
	}
	for (size_t i = 0; i < value->items.count; i++)
		(void)option_set(c->arena, row, text_of(c, key, value->items.items[i]), options,
		                 &error);
	if (!value_is_scalar(value))
		return 0;
	const char *text = text_of(c, key, value);
	(void)option_set(c->arena, row, text, options, &error);
	if (key->text == TEXT_IS_BELOW)
		c->output_folder = value;
	return check_path(c, key, value, text);
}

int build_keys_apply(struct compilation *c, const struct options *given, struct options *options)
{
	const config_pair_list *build = &c->config.build;
	int status = 0;
	for (size_t i = 0; i < build->count; i++) {
		const struct config_pair *pair = &build->items[i];
		bool names_folder = slice_eq(pair->name, SLICE("output-dir"));
		if (!option_is_given(given, find_row(pair->name)) &&
		    !(names_folder && given->output != NULL))
			status |= apply(c, pair, options);
	}
	return status;
}

/* A configuration may be a stranger's, with links beside it. */
int build_keys_check_folder(struct compilation *c, const struct options *options)
{
	const struct value *value = c->output_folder;
	if (value == NULL || options->output != NULL || options->temporary ||
	    options->allow_outside ||
	    os_is_inside(c->arena, slice_from(options->output_dir),
	                 config_folder_of(c, &value->where)))
		return 0;
	diag_add(&c->diags, DIAG_CONFIG_VALUE, value->where,
	         "'%.*s' leads out of the configuration's folder through a link",
	         SLICE_ARG(value->text));
	diag_hint(&c->diags, DIAG_CONFIG_VALUE, "--allow-outside lifts that");
	return -1;
}
