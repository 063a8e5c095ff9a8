#include "settings/build_settings.h"

#include <stddef.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "settings/config.h"

enum text_is {
	TEXT_IS_PLAIN,
	TEXT_IS_PATH,
	TEXT_IS_FOLDER,
	TEXT_IS_BELOW, /* a path below the file's folder */
	TEXT_IS_MODULE,
};

/* The types of build_options.def; some also define how the option is written. */
#define TYPE_FLAG SETTING_FLAG
#define TYPE_FLAG_DASH SETTING_FLAG
#define TYPE_TEXT SETTING_TEXT
#define TYPE_OPTIONAL SETTING_OPTIONAL
#define TYPE_CHOICE SETTING_CHOICE
#define TYPE_LIST SETTING_LIST
#define TYPE_SECONDS SETTING_SECONDS

static const struct setting_row rows[] = {
#define BUILD_OPTION(short_name, name, type, field, argument, group, commands, text, help)         \
	{name, argument, help, offsetof(struct build_settings, field), TYPE_##type},
#include "settings/build_options.def"
#undef BUILD_OPTION
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const enum text_is texts[] = {
#define BUILD_OPTION(short_name, name, type, field, argument, group, commands, text, help)         \
	TEXT_IS_##text,
#include "settings/build_options.def"
#undef BUILD_OPTION
};

const struct setting_row *build_option_rows(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

static const struct setting_row *find_row(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(slice_from(rows[i].name), name))
			return &rows[i];
	}
	return NULL;
}

static enum text_is text_is(const struct setting_row *row)
{
	return texts[row - rows];
}

/* ---- checking ---- */

static void unknown_option(struct diags *diags, const struct value_entry *entry)
{
	struct slice names[ROW_COUNT], name = entry->name;
	for (size_t i = 0; i < ROW_COUNT; i++)
		names[i] = slice_from(rows[i].name);
	struct slice near = suggest(name, names, ROW_COUNT);
	if (config_key_find(name) != NULL) {
		diag_add(diags, DIAG_CONFIG_KEY, entry->where,
		         "'%.*s' is a key of its own, not one of 'build'", SLICE_ARG(name));
		return;
	}
	diag_add(diags, DIAG_CONFIG_KEY, entry->where, "'build' cannot set '%.*s'",
	         SLICE_ARG(name));
	if (near.len > 0)
		diag_hint(diags, DIAG_CONFIG_KEY, "did you mean '%.*s'?", SLICE_ARG(near));
	else
		diag_hint(diags, DIAG_CONFIG_KEY,
		          "see nbscorep.yaml(5) for the options that it can set");
}

static bool is_flag(const struct setting_row *row)
{
	return row->type == SETTING_FLAG || row->type == SETTING_OPTIONAL;
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

bool build_option_is_module(struct slice text)
{
	bool begins = true;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_dot = c == '.' && !begins && i + 1 < text.len;
		if (!is_dot && (!is_name_byte(c) || (begins && ascii_is_digit(c))))
			return false;
		begins = is_dot;
	}
	return text.len > 0;
}

static void check_text(struct diags *diags, const struct setting_row *row,
                       const struct value *value)
{
	struct build_settings trial = {0};
	struct strbuf error;
	strbuf_init(&error, diags->arena);
	const char *text = arena_cstr(diags->arena, value->text);
	if (value->text.len == 0)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' is empty", row->name);
	else if (setting_set(diags->arena, row, text, &trial, &error) < 0)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' %.*s", row->name,
		         SLICE_ARG(strbuf_slice(&error)));
	else if (text_is(row) == TEXT_IS_BELOW && !is_below(value->text))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where,
		         "'%s' must be a folder below the configuration's own, not '%s'", row->name,
		         text);
	else if (text_is(row) == TEXT_IS_MODULE && !build_option_is_module(value->text))
		diag_add(diags, DIAG_CONFIG_VALUE, value->where,
		         "'%s' requires a module's name, not '%s'", row->name, text);
}

static void check_one(struct diags *diags, const struct setting_row *row, const struct value *value)
{
	bool fits = is_flag(row) ? value->kind == VALUE_BOOL
	                         : value_is_scalar(value) && value->kind != VALUE_NULL;
	const char *wanted = is_flag(row)                ? "true or false"
	                     : row->type == SETTING_LIST ? "a text or a list of texts"
	                                                 : "a text";
	if (!fits)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' requires %s, not %s",
		         row->name, wanted, value_kind_name(value->kind));
	else if (!is_flag(row))
		check_text(diags, row, value);
}

void build_option_check(struct diags *diags, const struct value_entry *entry)
{
	const struct setting_row *row = find_row(entry->name);
	const struct value *value = entry->value;
	if (row == NULL) {
		unknown_option(diags, entry);
		return;
	}
	if (value->kind == VALUE_NULL)
		return;
	if (row->type != SETTING_LIST || value->kind != VALUE_LIST) {
		check_one(diags, row, value);
		return;
	}
	for (size_t i = 0; i < value->items.count; i++)
		check_one(diags, row, value->items.items[i]);
}

/* ---- applying ---- */

struct applier {
	struct arena *arena;
	struct diags *diags;
	struct slice notebook;
	struct build_settings *out;
	struct build_option_report *report;
};

struct slice build_option_folder(struct slice notebook, const struct location *where)
{
	/* Values of the notebook have no file, those of the command line have no line. */
	bool is_notebooks = where->file.len == 0 && where->line > 0;
	return path_folder(is_notebooks ? notebook : where->file);
}

static const char *text_of(const struct applier *applier, const struct setting_row *row,
                           const struct value *value)
{
	struct arena *arena = applier->arena;
	enum text_is kind = text_is(row);
	bool is_word = row->offset == offsetof(struct build_settings, regions) &&
	               slice_eq(value->text, SLICE("defs"));
	if ((kind != TEXT_IS_PATH && kind != TEXT_IS_FOLDER && kind != TEXT_IS_BELOW) || is_word)
		return arena_cstr(arena, value->text);
	struct slice folder = build_option_folder(applier->notebook, &value->where);
	return arena_cstr(arena, path_join(arena, folder, value->text));
}

/* The configuration may be untrusted, with FIFOs beside it. A missing file is reported when it is
 * read. */
static int check_path(const struct applier *applier, const struct setting_row *row,
                      const struct value *value, const char *path)
{
	bool names_file = text_is(row) == TEXT_IS_PATH,
	     names_folder = text_is(row) == TEXT_IS_FOLDER;
	if ((!names_file && !names_folder) || os_is_directory(path) || access(path, F_OK) != 0 ||
	    (names_file && os_is_file(path)))
		return 0;
	diag_add(applier->diags, DIAG_CONFIG_VALUE, value->where, "'%.*s' %s",
	         SLICE_ARG(value->text), names_file ? "is not a regular file" : "is not a folder");
	return -1;
}

/* build_option_check() has accepted the values. */
static int apply(struct applier *applier, const struct setting_row *row,
                 const struct config_pair *pair)
{
	const struct value *value = pair->value.value;
	struct strbuf error;
	strbuf_init(&error, applier->arena);
	if (pair->value.source == CONFIG_NOTEBOOK)
		name_set_add(applier->report->set_by_notebook, pair->name);
	if (is_flag(row)) {
		if (value->boolean)
			(void)setting_set(applier->arena, row, NULL, applier->out, &error);
		return 0;
	}
	for (size_t i = 0; i < value->items.count; i++)
		(void)setting_set(applier->arena, row, text_of(applier, row, value->items.items[i]),
		                  applier->out, &error);
	if (!value_is_scalar(value))
		return 0;
	const char *text = text_of(applier, row, value);
	(void)setting_set(applier->arena, row, text, applier->out, &error);
	if (text_is(row) == TEXT_IS_BELOW)
		applier->report->output_folder = value;
	return check_path(applier, row, value, text);
}

int build_options_apply(struct arena *arena, struct diags *diags, const struct config *config,
                        struct slice notebook, const struct build_settings *given,
                        struct build_settings *out, struct build_option_report *report)
{
	struct applier applier = {arena, diags, notebook, out, report};
	int status = 0;
	for (size_t i = 0; i < config->build.count; i++) {
		const struct config_pair *pair = &config->build.items[i];
		const struct setting_row *row = find_row(pair->name);
		bool names_folder = row != NULL && text_is(row) == TEXT_IS_BELOW;
		if (row != NULL && !setting_is_given(given, row) &&
		    !(names_folder && given->output != NULL))
			status |= apply(&applier, row, pair);
	}
	return status;
}
