#include "cli/options.h"

#include <stddef.h>

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
#define WITH_RUN(commands)                                                                         \
	(((commands) & ~NOT_RUN) |                                                                 \
	 ((commands)&ON(BUILD) && !((commands)&NOT_RUN) ? ON(RUN) | ON(SUBMIT) : 0))
static const struct option_row rows[] = {
#define OPTION(short_name, long_name, type, field, argument, commands, help)                       \
	{long_name,     argument,           help,      offsetof(struct options, field),            \
	 OPTION_##type, WITH_RUN(commands), short_name},
#include "cli/options.def"
#undef OPTION
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

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
	if (near.len > 0)
		strbuf_printf(error, "; did you mean '%.*s'?", SLICE_ARG(near));
	return COMMAND_COUNT;
}

bool option_is_given(const struct options *options, const struct option_row *row)
{
	const char *field = (const char *)options + row->offset;
	switch (row->type) {
	case OPTION_FLAG:
	case OPTION_FLAG_DASH:
		return *(const bool *)(const void *)field;
	case OPTION_CHOICE:
		return *(const int *)(const void *)field != 0;
	case OPTION_LIST:
		return ((const text_list *)(const void *)field)->count > 0;
	case OPTION_PARAMETER:
	case OPTION_PARAMETERS:
		return options->parameters.count > 0;
	case OPTION_NUMBER:
		return *(const size_t *)(const void *)field != 0;
	case OPTION_TEXT:
	case OPTION_TEXT_DASH:
	case OPTION_OPTIONAL_TEXT:
	case OPTION_OPTIONAL_FILE:
		break;
	}
	return *(const char *const *)(const void *)field != NULL;
}

bool option_read_seconds(const char *text, double *out)
{
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	double whole = 0, scale = 1;
	const char *at = text;
	bool digits = false, point = false;
	for (; ascii_is_digit(*at) || (*at == '.' && !point); at++) {
		point |= *at == '.';
		digits |= *at != '.';
		scale *= point && *at != '.' ? 10 : 1;
		if (*at != '.')
			whole = whole * 10 + (*at - '0');
	}
	const char *unit = *at == '\0' ? units : strchr(units, *at);
	if (!digits || unit == NULL || (at[0] != '\0' && at[1] != '\0') || whole / scale > 1e9)
		return false;
	*out = whole / scale * seconds[unit - units];
	return true;
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

static bool is_dashed(const struct option_row *row)
{
	return row->type == OPTION_FLAG_DASH || row->type == OPTION_TEXT_DASH;
}

static bool takes_text(const struct option_row *row)
{
	return row->type != OPTION_FLAG && row->type != OPTION_FLAG_DASH &&
	       !option_is_optional(row);
}

/* The 1-based position of TEXT among the words of "a|b|c", or 0. */
static int find_choice(const char *choices, struct slice text)
{
	struct slice all = slice_from(choices);
	int number = 1;
	for (size_t at = 0; at <= all.len; number++) {
		size_t end = slice_find(all, '|', at);
		if (slice_eq(slice_sub(all, at, end), text))
			return number;
		at = end + 1;
	}
	return 0;
}

/* How many times two a number is doubled by the letter behind it, or -1. */
static int doublings(struct slice unit)
{
	const struct slice letters = SLICE("KMG");
	if (unit.len == 0)
		return 0;
	size_t letter = unit.len == 1 ? slice_find(letters, unit.ptr[0], 0) : letters.len;
	return letter == letters.len ? -1 : 10 * ((int)letter + 1);
}

static int set_number(const struct option_row *row, const char *text, size_t *out,
                      struct strbuf *error)
{
	size_t value = 0, at = 0;
	bool fits = true;
	for (; ascii_is_digit(text[at]); at++)
		fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
		       !__builtin_add_overflow(value, (size_t)(text[at] - '0'), &value);
	int shift = doublings(slice_from(text + at));
	if (fits && value > 0 && shift >= 0 &&
	    !__builtin_mul_overflow(value, (size_t)1 << shift, out) && *out <= OPTION_NUMBER_MAX)
		return 0;
	strbuf_printf(error, "'--%s' is a number from 1 to %dM, such as 5000 or 64M, not '%s'",
	              row->long_name, OPTION_NUMBER_MAX_M, text);
	return -1;
}

int option_set(struct arena *arena, const struct option_row *row, const char *text,
               struct options *out, struct strbuf *error)
{
	char *field = (char *)out + row->offset;
	text = text == NULL ? "" : text;
	switch (row->type) {
	case OPTION_FLAG:
	case OPTION_FLAG_DASH:
		*(bool *)(void *)field = true;
		return 0;
	case OPTION_TEXT:
	case OPTION_TEXT_DASH:
	case OPTION_OPTIONAL_TEXT:
	case OPTION_OPTIONAL_FILE:
		*(const char **)(void *)field = text;
		return 0;
	case OPTION_LIST:
		vec_push(arena, (text_list *)(void *)field, text);
		return 0;
	case OPTION_PARAMETER:
	case OPTION_PARAMETERS:
		vec_push(arena, &out->parameters,
		         (struct parameter_option){.kind = row->short_name, .first = text});
		return 0;
	case OPTION_NUMBER:
		return set_number(row, text, (size_t *)(void *)field, error);
	case OPTION_CHOICE:
		break;
	}
	int choice = find_choice(row->argument, slice_from(text));
	if (choice == 0) {
		strbuf_printf(error, "'--%s' is one of %s, not '%s'", row->long_name, row->argument,
		              text);
		return -1;
	}
	*(int *)(void *)field = choice;
	return 0;
}

/* NAME=TEXT, or NAME and the next word. */
static int add_parameter(struct parser *parser, const struct option_row *row, const char *text)
{
	struct parameter_option parameter = {.kind = row->short_name, .first = text};
	if (strchr(text, '=') == NULL) {
		if (parser->at >= parser->argc) {
			strbuf_printf(parser->error,
			              "'--%s %s' wants a value: NAME=VALUE, or NAME VALUE",
			              row->long_name, text);
			return -1;
		}
		parameter.second = parser->argv[parser->at++];
	}
	vec_push(parser->arena, &parser->out->parameters, parameter);
	return 0;
}

static int set_option(struct parser *parser, const struct option_row *row, const char *text)
{
	if (row->type == OPTION_PARAMETER && text != NULL)
		return add_parameter(parser, row, text);
	/* As of a variable that is not set. */
	if (option_is_optional(row) && text != NULL && text[0] == '\0') {
		strbuf_printf(parser->error, "there is nothing behind '--%s='", row->long_name);
		return -1;
	}
	return option_set(parser->arena, row, text, parser->out, parser->error);
}

/* The text of an option that wants one: the next word. */
static const char *next_word(struct parser *parser, const char *spelling)
{
	if (parser->at >= parser->argc) {
		strbuf_printf(parser->error, "'%s' wants an argument", spelling);
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
		if (applies(parser, &rows[i]) && rows[i].long_name != NULL &&
		    slice_eq(slice_from(rows[i].long_name), name))
			return &rows[i];
	}
	return NULL;
}

static int unknown_option(struct parser *parser, const char *word)
{
	struct slice names[ROW_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (applies(parser, &rows[i]) && rows[i].long_name != NULL)
			names[count++] = slice_from(rows[i].long_name);
	}
	struct slice name = slice_from(word + strspn(word, "-"));
	name = slice_sub(name, 0, slice_find(name, '=', 0));
	struct slice near = suggest(name, names, count);
	strbuf_printf(parser->error, "unknown option '%s' of '%s'", word,
	              commands[parser->command].name);
	const struct option_row *row = near.len > 0 ? find_long(parser, near) : NULL;
	if (row != NULL)
		strbuf_printf(parser->error, "; did you mean '%s%s'?", is_dashed(row) ? "-" : "--",
		              row->long_name);
	return -1;
}

static int parse_long(struct parser *parser, const char *word)
{
	struct slice all = slice_from(word + 2);
	size_t equals = slice_find(all, '=', 0);
	const struct option_row *row = find_long(parser, slice_sub(all, 0, equals));
	const char *text = equals < all.len ? all.ptr + equals + 1 : NULL;
	if (row == NULL || is_dashed(row))
		return unknown_option(parser, word);
	if (text != NULL && row->argument == NULL) {
		strbuf_printf(parser->error, "'--%s' takes no argument", row->long_name);
		return -1;
	}
	if (text == NULL && takes_text(row) && (text = next_word(parser, word)) == NULL)
		return -1;
	if (text == NULL && row->type == OPTION_OPTIONAL_FILE)
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
	if (row != NULL && is_dashed(row)) {
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
	bool has_arguments =
	        command == COMMAND_RUN || command == COMMAND_SUBMIT || command == COMMAND_MONITOR;
	text_list *behind_mark = has_arguments ? &out->arguments : &out->operands;
	bool only_operands = false;
	while (parser.at < argc) {
		const char *word = argv[parser.at++];
		int status = 0;
		if (only_operands)
			vec_push(arena, behind_mark, word);
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
