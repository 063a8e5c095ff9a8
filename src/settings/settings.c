#include "settings/settings.h"

#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"

/* ---- tables ---- */

const struct command_row command_rows[] = {
#define COMMAND(id, name, operands, summary) {#name, operands, summary},
#include "settings/settings.def"
};

const char *const option_group_titles[] = {
#define OPTION_GROUP(id, title) title,
#include "settings/settings.def"
};

#define ON(command) (1u << COMMAND_##command)
#define ON_ALL ((1u << COMMAND_COUNT) - 1)
/* run and submit build first; but NOT_RUN. */
#define NOT_RUN (1u << COMMAND_COUNT)
/* Not recorded in the outputs: where they go, and what a build may do to make them. The last groups are not, either. */
#define NOT_RECORDED (1u << (COMMAND_COUNT + 1))
#define WITH_RUN(commands)                                                                         \
	(((commands) & ~NOT_RUN) |                                                                 \
	 ((commands)&ON(BUILD) && !((commands)&NOT_RUN) ? ON(RUN) | ON(SUBMIT) : 0))

#define ROW(short_name, name, type, field, argument, group, commands, text, help)                  \
	{name,                                                                                     \
	 argument,                                                                                 \
	 help,                                                                                     \
	 offsetof(struct options, field),                                                          \
	 SETTING_##type,                                                                           \
	 OPTION_GROUP_##group,                                                                     \
	 BUILD_TEXT_##text,                                                                        \
	 WITH_RUN(commands),                                                                       \
	 ((commands)&NOT_RECORDED) == 0 && OPTION_GROUP_##group < OPTION_GROUP_DIAGNOSTICS,        \
	 short_name},
const struct option_row option_rows[] = {
#define OPTION(short_name, name, type, field, argument, group, commands, help)                     \
	ROW(short_name, name, type, field, argument, group, commands, NONE, help)
#define BUILD_OPTION(short_name, name, type, field, argument, group, commands, text, help)         \
	ROW(short_name, name, type, build.field, argument, group, commands, text, help)
#include "settings/settings.def"
};
enum { ROW_COUNT = sizeof option_rows / sizeof *option_rows };
const size_t option_row_count = ROW_COUNT;

_Static_assert(offsetof(struct options, build) == 0, "a row of build is set in both structs");

const struct option_row *option_find(enum command_id command, struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (option_is_of(&option_rows[i], command) && option_rows[i].name != NULL &&
		    slice_eq(slice_from(option_rows[i].name), name))
			return &option_rows[i];
	}
	return NULL;
}

const struct option_row *option_find_short(enum command_id command, char name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (option_rows[i].short_name == name && name != '\0' &&
		    option_is_of(&option_rows[i], command))
			return &option_rows[i];
	}
	return NULL;
}

/* ---- setting fields ---- */

static bool is_flag(const struct option_row *row)
{
	return row->type == SETTING_FLAG || option_has_optional_text(row);
}

/* True if the field of ROW in the struct at BASE was set: then its beginning is not 0. */
static bool setting_is_given(const void *base, const struct option_row *row)
{
	static const uint64_t zero;
	size_t size = row->type == SETTING_CHOICE ? sizeof(int) : sizeof(size_t); /* or a pointer */
	if (is_flag(row) || row->type == SETTING_SECONDS)
		size = sizeof(bool);
	return memcmp((const char *)base + row->offset, &zero, size) != 0;
}

bool setting_read_seconds(const char *text, double *out)
{
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	size_t len = strspn(text, "0123456789.");
	const char *unit = text[len] == '\0' ? units : strchr(units, text[len]);
	char *end;
	double number = strtod(text, &end);
	if (len == 0 || end != text + len || unit == NULL ||
	    (text[len] != '\0' && text[len + 1] != '\0') || number > 1e9)
		return false;
	*out = number * seconds[unit - units];
	return true;
}

bool setting_read_count(const char *text, size_t *out)
{
	size_t digits = strspn(text, "0123456789");
	*out = digits > 0 && digits < 8 && text[digits] == '\0' ? strtoul(text, NULL, 10) : 0;
	return *out > 0;
}

/* The 1-based position of TEXT among the words of "a|b|c", or 0. */
static int find_choice(const char *choices, struct slice text)
{
	struct slice rest = slice_from(choices), word;
	for (int number = 1; slice_next_part(&rest, '|', &word); number++) {
		if (slice_eq(word, text))
			return number;
	}
	return 0;
}

static bool read_size(const char *text, size_t *out)
{
	static const char units[] = "KMG";
	size_t len = strspn(text, "0123456789");
	const char *unit = text[len] == '\0' ? NULL : strchr(units, text[len]);
	bool is_size = text[len] == '\0' || (unit != NULL && text[len + 1] == '\0');
	unsigned shift = unit == NULL ? 0 : 10 * (unsigned)(unit - units + 1);
	uint64_t value;
	if (!is_size ||
	    !slice_read_number(slice_make(text, len), SETTING_SIZE_MAX >> shift, &value))
		return false;
	*out = (size_t)value << shift;
	return value > 0;
}

int setting_set(struct arena *arena, const struct option_row *row, const char *text, void *base,
                struct strbuf *error)
{
	void *field = (char *)base + row->offset;
	const char *given = text == NULL ? "" : text;
	struct optional_seconds *time = field;
	size_t before = error->len;
	switch (row->type) {
	case SETTING_FLAG:
		*(bool *)field = true;
		break;
	case SETTING_TEXT:
		*(const char **)field = given;
		break;
	case SETTING_OPTIONAL:
	case SETTING_OPTIONAL_FILE:
		*(struct optional_text *)field = (struct optional_text){true, text};
		break;
	case SETTING_LIST:
		vec_push(arena, (text_list *)field, given);
		break;
	case SETTING_CHOICE:
		*(int *)field = find_choice(row->argument, slice_from(given));
		if (*(int *)field == 0)
			strbuf_printf(error, "must be one of %s", row->argument);
		break;
	case SETTING_SIZE:
		if (!read_size(given, field))
			strbuf_printf(error, "requires a number from 1 to %dM, such as 5000 or 64M",
			              SETTING_SIZE_MAX_M);
		break;
	case SETTING_COUNT:
		if (!setting_read_count(given, field))
			strbuf_puts(error, "requires a whole number from 1 to 9999999");
		break;
	case SETTING_SECONDS:
		time->given = setting_read_seconds(given, &time->seconds);
		if (!time->given)
			strbuf_puts(error, "expects seconds");
		break;
	case SETTING_PARAMETER:
	case SETTING_PARAMETERS:
		break;
	}
	if (error->len == before)
		return 0;
	strbuf_printf(error, ", not '%s'", given);
	return -1;
}

/* ---- the configuration's `build` ---- */

static const struct option_row *find_build_row(struct slice name)
{
	const struct option_row *row = option_find(COMMAND_BUILD, name);
	return row != NULL && row->build_text != BUILD_TEXT_NONE ? row : NULL;
}

static bool is_below(struct slice path)
{
	struct slice rest = path, part;
	while (slice_next_part(&rest, '/', &part)) {
		if (slice_eq(part, SLICE("..")))
			return false;
	}
	return path.len > 0 && path.ptr[0] != '/';
}

size_t build_option_name_fault(struct slice text, const char *wild)
{
	bool begins = true;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_dot = c == '.' && !begins && i + 1 < text.len;
		bool is_in_name = is_name_byte(c) || slice_has(slice_from(wild), c);
		if (!is_dot && (!is_in_name || (begins && ascii_is_digit(c))))
			return i;
		begins = is_dot;
	}
	return text.len;
}

bool build_option_is_module(struct slice text)
{
	return text.len > 0 && build_option_name_fault(text, "") == text.len;
}

static void check_one(struct diags *diags, const struct option_row *row, const struct value *value)
{
	const char *wanted = is_flag(row)                ? "true or false"
	                     : row->type == SETTING_LIST ? "a text or a list of texts"
	                                                 : "a text";
	struct build_settings trial = {0};
	struct strbuf error = {.arena = diags->arena};
	const char *text = arena_cstr(diags->arena, value->text);
	if (!config_fits(diags, value, slice_from(row->name),
	                 is_flag(row) ? 1 << VALUE_BOOL : CONFIG_SET_SCALAR, wanted, 0, NULL) ||
	    is_flag(row))
		return;
	if (value->text.len == 0)
		strbuf_puts(&error, "is empty");
	else if (setting_set(diags->arena, row, text, &trial, &error) == 0 &&
	         row->build_text == BUILD_TEXT_BELOW && !is_below(value->text))
		strbuf_printf(&error, "must be a folder below the configuration's own, not '%s'",
		              text);
	else if (error.len == 0 && row->build_text == BUILD_TEXT_MODULE &&
	         !build_option_is_module(value->text))
		strbuf_printf(&error, "requires a module's name, not '%s'", text);
	if (error.len > 0)
		diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%s' %.*s", row->name,
		         SLICE_ARG(strbuf_slice(&error)));
}

void build_option_check(struct diags *diags, const struct value_entry *entry)
{
	const struct option_row *row = find_build_row(entry->name);
	const struct value *value = entry->value;
	if (row == NULL) {
		struct slice names[ROW_COUNT], name = entry->name;
		size_t count = 0;
		for (size_t i = 0; i < ROW_COUNT; i++) {
			if (option_rows[i].build_text != BUILD_TEXT_NONE)
				names[count++] = slice_from(option_rows[i].name);
		}
		if (config_key_find(name) != NULL) {
			diag_add(diags, DIAG_CONFIG_KEY, entry->where,
			         "'%.*s' is a key of its own, not one of 'build'", SLICE_ARG(name));
			return;
		}
		diag_add(diags, DIAG_CONFIG_KEY, entry->where, "'build' cannot set '%.*s'",
		         SLICE_ARG(name));
		if (!diag_suggest(diags, DIAG_CONFIG_KEY, name, names, count))
			diag_hint(diags, DIAG_CONFIG_KEY,
			          "see nbscorep.yaml(5) for the options that it can set");
		return;
	}
	if (value->kind == VALUE_NULL)
		return;
	const value_list one = {.items = &value, .count = 1};
	bool is_list = row->type == SETTING_LIST && value->kind == VALUE_LIST;
	value_list values = is_list ? value->items : one;
	for (size_t i = 0; i < values.count; i++)
		check_one(diags, row, values.items[i]);
}

struct slice build_option_folder(struct slice notebook, const struct location *where)
{
	/* Values of the notebook have no file, those of the command line have no line. */
	bool is_notebooks = where->file.len == 0 && where->line > 0;
	return path_folder(is_notebooks ? notebook : where->file);
}

int build_options_apply(struct diags *diags, const struct config *config, struct slice notebook,
                        const struct build_settings *given, struct build_settings *out,
                        struct name_set *set_by_notebook, const struct value **output_folder)
{
	struct arena *arena = diags->arena;
	struct strbuf error = {.arena = arena}; /* build_option_check() has accepted the values */
	int status = 0;
	*output_folder = NULL;
	vec_each(const struct config_pair, pair, &config->build) {
		const struct option_row *row = find_build_row(pair->name);
		const struct value *value = pair->value.value;
		bool is_output = row != NULL && row->build_text == BUILD_TEXT_BELOW;
		if (row == NULL || setting_is_given(given, row) ||
		    (is_output && given->output != NULL))
			continue;
		if (pair->value.source == CONFIG_NOTEBOOK)
			name_set_add(set_by_notebook, pair->name);
		if (is_flag(row) && !value->boolean)
			continue;
		const value_list one = {.items = &value, .count = 1};
		value_list values = value->kind == VALUE_LIST ? value->items : one;
		bool names_file = row->build_text == BUILD_TEXT_PATH;
		bool names_folder = row->build_text == BUILD_TEXT_FOLDER;
		const char *text = NULL;
		for (size_t k = 0; k < values.count; k++) {
			struct slice given_text = values.items[k]->text;
			struct slice folder =
			        build_option_folder(notebook, &values.items[k]->where);
			bool is_word = row->offset == offsetof(struct build_settings, regions) &&
			               slice_eq(given_text, SLICE("defs"));
			if ((names_file || names_folder || is_output) && !is_word)
				given_text = path_join(arena, folder, given_text);
			text = is_flag(row) ? NULL : arena_cstr(arena, given_text);
			(void)setting_set(arena, row, text, out, &error);
		}
		if (is_output)
			*output_folder = value;
		/* The configuration may be untrusted, with FIFOs beside it. A missing file is
		 * reported when it is read. */
		if (text != NULL && (names_file || names_folder) && !os_is_directory(text) &&
		    access(text, F_OK) == 0 && (names_folder || !os_is_file(text)))
			status = diag_add(diags, DIAG_CONFIG_VALUE, value->where, "'%.*s' %s",
			                  SLICE_ARG(value->text),
			                  names_file ? "is not a regular file" : "is not a folder");
	}
	return status;
}
