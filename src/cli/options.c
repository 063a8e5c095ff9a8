#include "cli/options.h"

#include <stddef.h>

#include "base/quote.h"
#include "base/suggest.h"

static const struct command_row commands[] = {
#define COMMAND(id, name, operands, summary) {#name, operands, summary},
#include "cli/commands.def"
#undef COMMAND
};

#define ON(command) (1u << COMMAND_##command)
#define ON_ALL ((1u << COMMAND_COUNT) - 1)
/* run and submit build first; but NOT_RUN. */
#define NOT_RUN (1u << COMMAND_COUNT)
/* Not recorded in the outputs: where they go, and what a build may do to make them. */
#define NOT_RECORDED (1u << (COMMAND_COUNT + 1))
#define WITH_RUN(commands)                                                                         \
	(((commands) & ~NOT_RUN) |                                                                 \
	 ((commands)&ON(BUILD) && !((commands)&NOT_RUN) ? ON(RUN) | ON(SUBMIT) : 0))

#define TYPE_FLAG SETTING_FLAG
#define TYPE_FLAG_DASH SETTING_FLAG
#define TYPE_TEXT SETTING_TEXT
#define TYPE_TEXT_DASH SETTING_TEXT
#define TYPE_OPTIONAL SETTING_OPTIONAL
#define TYPE_OPTIONAL_FILE SETTING_OPTIONAL
#define TYPE_CHOICE SETTING_CHOICE
#define TYPE_LIST SETTING_LIST
#define TYPE_SIZE SETTING_SIZE
#define TYPE_COUNT SETTING_COUNT
#define TYPE_SECONDS SETTING_SECONDS
#define TYPE_PARAMETER SETTING_PARAMETERS
#define TYPE_PARAMETERS SETTING_PARAMETERS
#define SYNTAX_OF_FLAG SYNTAX_PLAIN
#define SYNTAX_OF_FLAG_DASH SYNTAX_DASH
#define SYNTAX_OF_TEXT SYNTAX_PLAIN
#define SYNTAX_OF_TEXT_DASH SYNTAX_DASH
#define SYNTAX_OF_OPTIONAL SYNTAX_PLAIN
#define SYNTAX_OF_OPTIONAL_FILE SYNTAX_FILE
#define SYNTAX_OF_CHOICE SYNTAX_PLAIN
#define SYNTAX_OF_LIST SYNTAX_PLAIN
#define SYNTAX_OF_SIZE SYNTAX_PLAIN
#define SYNTAX_OF_COUNT SYNTAX_PLAIN
#define SYNTAX_OF_SECONDS SYNTAX_PLAIN
#define SYNTAX_OF_PARAMETER SYNTAX_PAIR
#define SYNTAX_OF_PARAMETERS SYNTAX_PLAIN
#define OPTION(short_name, name, type, field, argument, group, commands, help)                     \
	{{name, argument, help, offsetof(struct options, field), TYPE_##type},                     \
	 SYNTAX_OF_##type,                                                                         \
	 OPTION_GROUP_##group,                                                                     \
	 WITH_RUN(commands),                                                                       \
	 short_name},
#define BUILD_OPTION(short_name, name, type, field, argument, group, commands, text, help)         \
	OPTION(short_name, name, type, build.field, argument, group, commands, help)
static const struct option_row rows[] = {
#include "cli/options.def"
#include "settings/build_options.def"
};
#undef BUILD_OPTION
#undef OPTION
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const char *const titles[] = {
#define OPTION_GROUP(id, title) title,
#include "cli/option_groups.def"
#undef OPTION_GROUP
};

const char *option_group_title(enum option_group group)
{
	return titles[group];
}

const struct command_row *command_rows(void)
{
	return commands;
}

const struct option_row *option_rows(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

enum command_id command_find(const char *name, struct strbuf *error)
{
	struct slice names[COMMAND_COUNT];
	for (int i = 0; i < COMMAND_COUNT; i++) {
		names[i] = slice_from(commands[i].name);
		if (slice_eq(names[i], slice_from(name)))
			return (enum command_id)i;
	}
	struct slice near = suggest(slice_from(name), names, COMMAND_COUNT);
	strbuf_printf(error, "unknown command '%s'", name);
	if (slice_ends_with(slice_from(name), SLICE(".ipynb")))
		strbuf_printf(error, "; did you mean 'run %s'?", name);
	else if (near.len > 0)
		strbuf_printf(error, "; did you mean '%.*s'?", SLICE_ARG(near));
	return COMMAND_COUNT;
}

struct parser {
	struct arena *arena;
	enum command_id command;
	int argc, at;
	char **argv;
	struct options *out;
	struct strbuf *error;
};

static bool applies(const struct parser *parser, const struct option_row *row)
{
	return (row->commands & (1u << parser->command)) != 0;
}

static bool takes_text(const struct option_row *row)
{
	return row->setting.type != SETTING_FLAG && !option_is_optional(row);
}

/* Adds the option to those that the outputs record. */
static void record(struct parser *parser, const struct option_row *row, const char *text,
                   const char *second)
{
	struct slice *recorded = &parser->out->build.recorded;
	struct strbuf word, quoted;
	if ((row->commands & ON(BUILD)) == 0 || (row->commands & NOT_RECORDED) != 0 ||
	    row->group == OPTION_GROUP_DIAGNOSTICS || row->group == OPTION_GROUP_LIMITS ||
	    row->group == OPTION_GROUP_GENERAL)
		return;
	strbuf_init(&word, parser->arena);
	strbuf_init(&quoted, parser->arena);
	strbuf_printf(&word, "--%s%s%s", row->setting.name, text == NULL ? "" : "=",
	              text == NULL ? "" : text);
	if (second != NULL)
		strbuf_printf(&word, "=%s", second);
	strbuf_printf(&quoted, "%.*s%s", SLICE_ARG(*recorded), recorded->len > 0 ? " " : "");
	bash_word(&quoted, strbuf_slice(&word));
	*recorded = strbuf_slice(&quoted);
}

/* NAME=TEXT, or NAME and the next word. */
static int add_parameter(struct parser *parser, const struct option_row *row, const char *text)
{
	struct parameter_option parameter = {.kind = row->short_name, .first = text};
	if (strchr(text, '=') == NULL) {
		if (parser->at >= parser->argc) {
			strbuf_printf(parser->error,
			              "'--%s %s' requires a value: NAME=VALUE, or NAME VALUE",
			              row->setting.name, text);
			return -1;
		}
		parameter.second = parser->argv[parser->at++];
	}
	record(parser, row, parameter.first, parameter.second);
	vec_push(parser->arena, &parser->out->build.parameters, parameter);
	return 0;
}

static int set_option(struct parser *parser, const struct option_row *row, const char *text)
{
	if (row->syntax == SYNTAX_PAIR && text != NULL)
		return add_parameter(parser, row, text);
	record(parser, row, text, NULL);
	if (row->setting.type == SETTING_PARAMETERS) {
		struct parameter_option parameter = {.kind = row->short_name, .first = text};
		vec_push(parser->arena, &parser->out->build.parameters, parameter);
		return 0;
	}
	/* As of a variable that is not set. */
	if (option_is_optional(row) && text != NULL && text[0] == '\0') {
		strbuf_printf(parser->error, "'--%s=' has no value", row->setting.name);
		return -1;
	}
	struct strbuf problem;
	strbuf_init(&problem, parser->arena);
	if (setting_set(parser->arena, &row->setting, text, parser->out, &problem) == 0)
		return 0;
	strbuf_printf(parser->error, "'--%s' %.*s", row->setting.name,
	              SLICE_ARG(strbuf_slice(&problem)));
	return -1;
}

/* The text of an option that requires one: the next word. */
static const char *next_word(struct parser *parser, const char *spelling)
{
	if (parser->at >= parser->argc) {
		strbuf_printf(parser->error, "'%s' requires an argument", spelling);
		return NULL;
	}
	return parser->argv[parser->at++];
}

/* The next word where it can be the file that an option may name, else NULL. */
static const char *next_file(struct parser *parser)
{
	const char *word = parser->at < parser->argc ? parser->argv[parser->at] : "-";
	if (word[0] == '-' || slice_ends_with(slice_from(word), SLICE(".ipynb")))
		return NULL;
	return parser->argv[parser->at++];
}

/* The command's option with the long form NAME, whatever its dashes, or NULL. */
static const struct option_row *find_long(const struct parser *parser, struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (applies(parser, &rows[i]) && rows[i].setting.name != NULL &&
		    slice_eq(slice_from(rows[i].setting.name), name))
			return &rows[i];
	}
	return NULL;
}

static int unknown_option(struct parser *parser, const char *word)
{
	struct slice names[ROW_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (applies(parser, &rows[i]) && rows[i].setting.name != NULL)
			names[count++] = slice_from(rows[i].setting.name);
	}
	struct slice name = slice_from(word + strspn(word, "-"));
	name = slice_sub(name, 0, slice_find(name, '=', 0));
	struct slice near = suggest(name, names, count);
	strbuf_printf(parser->error, "unknown option '%s' of '%s'", word,
	              commands[parser->command].name);
	const struct option_row *row = near.len > 0 ? find_long(parser, near) : NULL;
	if (row != NULL)
		strbuf_printf(parser->error, "; did you mean '%s%s'?",
		              option_is_dashed(row) ? "-" : "--", row->setting.name);
	else if (parser->out->operands.count > 0 &&
	         (parser->command == COMMAND_MONITOR || parser->command == COMMAND_RECORD))
		strbuf_puts(parser->error, "; '--' comes before the command");
	return -1;
}

static int parse_long(struct parser *parser, const char *word)
{
	struct slice all = slice_from(word + 2);
	size_t equals = slice_find(all, '=', 0);
	const struct option_row *row = find_long(parser, slice_sub(all, 0, equals));
	const char *text = equals < all.len ? all.ptr + equals + 1 : NULL;
	if (row == NULL || option_is_dashed(row))
		return unknown_option(parser, word);
	if (text != NULL && row->setting.argument == NULL) {
		strbuf_printf(parser->error, "'--%s' takes no argument", row->setting.name);
		return -1;
	}
	if (text == NULL && takes_text(row) && (text = next_word(parser, word)) == NULL)
		return -1;
	if (text == NULL && row->syntax == SYNTAX_FILE)
		text = next_file(parser);
	return set_option(parser, row, text);
}

static const struct option_row *find_short(const struct parser *parser, char name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (rows[i].short_name == name && name != '\0' && applies(parser, &rows[i]))
			return &rows[i];
	}
	return NULL;
}

/* -x, -xyz, -oFILE, -o FILE, -MD. */
static int parse_short(struct parser *parser, const char *word)
{
	const struct option_row *row = find_long(parser, slice_from(word + 1));
	if (row != NULL && option_is_dashed(row)) {
		const char *text = NULL;
		if (takes_text(row) && (text = next_word(parser, word)) == NULL)
			return -1;
		return set_option(parser, row, text);
	}
	for (const char *at = word + 1; *at != '\0'; at++) {
		row = find_short(parser, *at);
		if (row == NULL)
			return unknown_option(parser, word);
		const char *text = NULL;
		if (takes_text(row)) {
			text = at[1] != '\0' ? at + 1 : next_word(parser, word);
			return text == NULL ? -1 : set_option(parser, row, text);
		}
		if (set_option(parser, row, NULL) < 0)
			return -1;
	}
	return 0;
}

int options_parse(struct arena *arena, enum command_id command, int argc, char **argv,
                  struct options *out, struct strbuf *error)
{
	*out = (struct options){0};
	struct parser parser = {arena, command, argc, 0, argv, out, error};
	text_list *after_mark =
	        command == COMMAND_RUN || command == COMMAND_SUBMIT       ? &out->run.arguments
	        : command == COMMAND_MONITOR || command == COMMAND_RECORD ? &out->command
	                                                                  : &out->operands;
	bool only_operands = false;
	while (parser.at < argc) {
		const char *word = argv[parser.at++];
		int status = 0;
		if (only_operands)
			vec_push(arena, after_mark, word);
		else if (word[0] != '-' || word[1] == '\0')
			vec_push(arena, &out->operands, word);
		else if (strcmp(word, "--") == 0)
			only_operands = true;
		else if (word[1] == '-')
			status = parse_long(&parser, word);
		else
			status = parse_short(&parser, word);
		if (status < 0)
			return -1;
	}
	return 0;
}
