#include "cli/cli.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "cli/command_completion.h"
#include "cli/command_help.h"
#include "diag/diag_report.h"
#include "diag/message.h"
#include "driver/compile.h"
#include "scorep/args.h"
#include "version.h"

/* ---- the command line ---- */

enum command_id command_find(struct arena *arena, const char *name)
{
	struct slice names[COMMAND_COUNT];
	for (int i = 0; i < COMMAND_COUNT; i++) {
		names[i] = slice_from(command_rows[i].name);
		if (slice_eq(names[i], slice_from(name)))
			return (enum command_id)i;
	}
	struct slice near = suggest(slice_from(name), names, COMMAND_COUNT);
	if (slice_ends_with(slice_from(name), SLICE(".ipynb")))
		near = arena_printf(arena, "run %s", name);
	(void)message_usage(arena, "unknown command '%s'%s%.*s%s", name,
	                    near.len > 0 ? "; did you mean '" : "", SLICE_ARG(near),
	                    near.len > 0 ? "'?" : "");
	return COMMAND_COUNT;
}

struct parser {
	struct arena *arena;
	enum command_id command;
	char **next; /* word; NULL ends them */
	struct options *out;
};

static bool takes_text(const struct option_row *row)
{
	return row->type != SETTING_FLAG && !option_has_optional_text(row);
}

static int set_option(struct parser *parser, const struct option_row *row, const char *text)
{
	struct arena *arena = parser->arena;
	struct parameter_option parameter = {.kind = row->short_name, .first = text};
	/* NAME=TEXT, or NAME and the next word. */
	if (row->type == SETTING_PARAMETER && text != NULL && strchr(text, '=') == NULL) {
		if (*parser->next == NULL)
			return message_usage(
			        arena, "'--%s %s' requires a value: NAME=VALUE, or NAME VALUE",
			        row->name, text);
		parameter.second = *parser->next++;
	}
	if (option_is_of(row, COMMAND_BUILD) && row->is_recorded) {
		const char *second = parameter.second;
		struct slice *recorded = &parser->out->build.recorded;
		struct strbuf quoted = {.arena = arena};
		struct slice word =
		        arena_printf(arena, "--%s%s%s%s%s", row->name, text == NULL ? "" : "=",
		                     text == NULL ? "" : text, second == NULL ? "" : "=",
		                     second == NULL ? "" : second);
		strbuf_printf(&quoted, "%.*s%s", SLICE_ARG(*recorded),
		              recorded->len > 0 ? " " : "");
		bash_word(&quoted, word);
		*recorded = strbuf_slice(&quoted);
	}
	if (row->type == SETTING_PARAMETER || row->type == SETTING_PARAMETERS) {
		vec_push(arena, &parser->out->build.parameters, parameter);
		return EXIT_DONE;
	}
	/* As of a variable that is not set. */
	if ((row->type == SETTING_TEXT || option_has_optional_text(row)) && text != NULL &&
	    text[0] == '\0')
		return message_usage(arena, "'--%s=' has no value", row->name);
	struct strbuf problem = {.arena = arena};
	if (setting_set(arena, row, text, parser->out, &problem) == 0)
		return EXIT_DONE;
	return message_usage(arena, "'--%s' %.*s", row->name, SLICE_ARG(strbuf_slice(&problem)));
}

/* The text of an option that requires one: the next word; NULL: none, with a message. */
static const char *next_word(struct parser *parser, const char *spelling)
{
	if (*parser->next != NULL)
		return *parser->next++;
	(void)message_usage(parser->arena, "'%s' requires an argument", spelling);
	return NULL;
}

static int unknown_option(struct parser *parser, const char *word)
{
	size_t count = 0;
	struct slice *names = arena_calloc(parser->arena, option_row_count, sizeof *names);
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (option_is_of(row, parser->command) && row->name != NULL)
			names[count++] = slice_from(row->name);
	}
	struct slice name = slice_from(word + strspn(word, "-"));
	name = slice_sub(name, 0, slice_find(name, '=', 0));
	struct slice near = suggest(name, names, count);
	const struct option_row *row = near.len > 0 ? option_find(parser->command, near) : NULL;
	struct slice hint = slice_make("", 0);
	if (row != NULL)
		hint = arena_printf(parser->arena, "; did you mean '%s%s'?", option_dashes(row),
		                    row->name);
	else if (parser->out->operands.count > 0 &&
	         (parser->command == COMMAND_MONITOR || parser->command == COMMAND_RECORD))
		hint = SLICE("; '--' comes before the command");
	return message_usage(parser->arena, "unknown option '%s' of '%s'%.*s", word,
	                     command_rows[parser->command].name, SLICE_ARG(hint));
}

static int parse_long(struct parser *parser, const char *word)
{
	struct slice all = slice_from(word + 2);
	size_t equals = slice_find(all, '=', 0);
	const struct option_row *row = option_find(parser->command, slice_sub(all, 0, equals));
	const char *text = equals < all.len ? all.ptr + equals + 1 : NULL;
	if (row == NULL || strcmp(option_dashes(row), "--") != 0)
		return unknown_option(parser, word);
	if (text != NULL && row->argument == NULL)
		return message_usage(parser->arena, "'--%s' takes no argument", row->name);
	if (text == NULL && takes_text(row) && (text = next_word(parser, word)) == NULL)
		return EXIT_USAGE;
	if (text == NULL && row->type == SETTING_OPTIONAL_FILE) {
		/* The next word where it can be the file that the option may name. */
		const char *next = *parser->next != NULL ? *parser->next : "-";
		if (next[0] != '-' && !slice_ends_with(slice_from(next), SLICE(".ipynb")))
			text = *parser->next++;
	}
	return set_option(parser, row, text);
}

/* -x, -xyz, -oFILE, -o FILE, -MD. */
static int parse_short(struct parser *parser, const char *word)
{
	const struct option_row *row = option_find(parser->command, slice_from(word + 1));
	const char *text = NULL;
	if (row != NULL && strcmp(option_dashes(row), "-") == 0) {
		if (takes_text(row) && (text = next_word(parser, word)) == NULL)
			return EXIT_USAGE;
		return set_option(parser, row, text);
	}
	for (const char *at = word + 1; *at != '\0'; at++) {
		row = option_find_short(parser->command, *at);
		if (row == NULL)
			return unknown_option(parser, word);
		if (takes_text(row)) {
			text = at[1] != '\0' ? at + 1 : next_word(parser, word);
			return text == NULL ? EXIT_USAGE : set_option(parser, row, text);
		}
		int status = set_option(parser, row, NULL);
		if (status != EXIT_DONE)
			return status;
	}
	return EXIT_DONE;
}

/* Reads WORDS, which end with NULL, for COMMAND into OUT. Operands and options may be mixed; "--" ends the
 * options; for run, submit, monitor and record it begins the arguments. Returns EXIT_DONE, or EXIT_USAGE with a
 * message. */
static int options_parse(struct arena *arena, enum command_id command, char **words,
                         struct options *out)
{
	*out = (struct options){0};
	struct parser parser = {arena, command, words, out};
	text_list *after_mark =
	        command == COMMAND_RUN || command == COMMAND_SUBMIT       ? &out->run.arguments
	        : command == COMMAND_MONITOR || command == COMMAND_RECORD ? &out->command
	                                                                  : &out->operands;
	bool only_operands = false;
	int status = EXIT_DONE;
	while (status == EXIT_DONE && *parser.next != NULL) {
		const char *word = *parser.next++;
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
	}
	vec_push(arena, &out->command, NULL); /* as execvp() takes it */
	out->command.count--;
	return status;
}

/* ---- the options of the last build ---- */

enum { FRONT_MAX = 1 << 16 };

/* The run script that `build` writes for a whole notebook, if its folder is not configured. */
static const char *run_script_of(struct arena *arena, const struct options *options)
{
	struct slice notebook = slice_from(options->operands.items[0]);
	struct slice stem = compile_program_name(notebook);
	if (options->build.output != NULL) {
		stem = slice_from(options->build.output);
		if (slice_ends_with(stem, SLICE(".py")))
			stem.len -= 3;
		return arena_printf(arena, "%.*s_run.sh", SLICE_ARG(stem)).ptr;
	}
	struct slice folder = options->build.output_dir != NULL
	                              ? slice_from(options->build.output_dir)
	                              : path_folder(notebook);
	return arena_printf(arena, "%.*s/%.*s_run.sh", SLICE_ARG(folder), SLICE_ARG(stem)).ptr;
}

static void split_recorded(struct arena *arena, struct slice text, text_list *out)
{
	struct scorep_words words = {0};
	struct diags diags;
	diags_init(&diags, arena);
	struct scorep_arg_text all = {.text = text};
	if (scorep_split_args(&diags, &all, &words) < 0)
		return;
	for (size_t i = 0; i < words.list.count; i++)
		vec_push(arena, out, arena_cstr(arena, words.list.items[i].text));
}

/* OPTIONS are those of WORDS for COMMAND. If none of them is an option of a build, adds those that the
 * notebook's run script records, and prints what it adds. Otherwise adds nothing, and prints the
 * recorded options that WORDS leave out. Returns EXIT_DONE, or EXIT_USAGE with a message. */
static int recorded_use(struct arena *arena, enum command_id command, char **words,
                        struct options *options)
{
	static const struct slice mark = SLICE_INIT("# nbscorep build ");
	text_list before = {0}, now = {0};
	VECTOR(char *) all = {0};
	if (options->version || options->help || options->operands.count != 1 ||
	    path_is_stdin(slice_from(options->operands.items[0])))
		return 0;
	/* The words after "# nbscorep build ID: " at the beginning of the run script. */
	char *text = arena_alloc(arena, FRONT_MAX);
	long size = os_read_front(run_script_of(arena, options), text, FRONT_MAX);
	struct slice rest = slice_make(text, size < 0 ? 0 : (size_t)size), line;
	while (slice_next_line(&rest, &line) && slice_starts_with(line, SLICE("#"))) {
		size_t colon = slice_find(line, ':', 0);
		if (slice_starts_with(line, mark) && colon < line.len)
			split_recorded(arena, slice_tail(line, colon + 1), &before);
	}
	split_recorded(arena, options->build.recorded, &now);
	bool has_own = now.count > 0;
	struct strbuf shown = {.arena = arena};
	for (size_t i = 0; i < before.count; i++) {
		size_t k = 0;
		vec_push(arena, &all, arena_cstr(arena, slice_from(before.items[i])));
		while (k < now.count && strcmp(now.items[k], before.items[i]) != 0)
			k++;
		if (k == now.count) {
			strbuf_addc(&shown, ' ');
			bash_word(&shown, slice_from(before.items[i]));
		}
	}
	if (shown.len == 0)
		return 0;
	if (!options->build.quiet)
		message_fail(arena, 0, "",
		             has_own ? "note: no longer set, as other options of the build are "
		                       "given:%.*s"
		                     : "with the options of the last build:%.*s",
		             SLICE_ARG(strbuf_slice(&shown)));
	if (has_own)
		return 0;
	do {
		vec_push(arena, &all, *words);
	} while (*words++ != NULL);
	return options_parse(arena, command, all.items, options);
}

/* ---- commands after "--" ---- */

int cli_command_failed(struct arena *arena, const text_list *command, int error)
{
	enum { EXIT_CANNOT_START = 126, EXIT_NOT_FOUND = 127 };
	return message_fail(arena, error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_START, "",
	                    "cannot start '%s': %s", command->items[0], strerror(error));
}

int cli_command_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- commands ---- */

/* After a usage error: the help of COMMAND, or of nbscorep itself with COMMAND_COUNT. */
static int end_usage(struct arena *arena, enum command_id command)
{
	bool is_command = command != COMMAND_COUNT;
	(void)os_write_all(STDERR_FILENO,
	                   arena_printf(arena, "try 'nbscorep%s%s --help'\n", is_command ? " " : "",
	                                is_command ? command_rows[command].name : ""));
	return EXIT_USAGE & 0xff;
}

/* https://no-color.org: set and not empty means no colour. */
bool cli_wants_color(const struct options *options, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	if (options->color == COLOR_ALWAYS || options->color == COLOR_NEVER)
		return options->color == COLOR_ALWAYS;
	return isatty(fd) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

/* The list of diagnostics for -Whelp. */
static struct slice list_switches(struct arena *arena)
{
	struct strbuf out = {.arena = arena};
	for (enum diag_kind kind = 0; kind < DIAG_KIND_COUNT; kind++) {
		const struct diag_row *row = diag_row(kind);
		strbuf_printf(&out, "%-18s %-8s %s\n", row->name, diag_severity_name(row->severity),
		              row->doc);
	}
	return strbuf_slice(&out);
}

static int run_command(struct arena *arena, enum command_id command, char **words)
{
	static int (*const run[COMMAND_COUNT])(struct arena *, struct options *) = {
#define COMMAND(id, name, operands, summary) [COMMAND_##id] = command_##name,
#include "settings/settings.def"
	};
	struct options options;
	int status = options_parse(arena, command, words, &options);
	if (status == EXIT_DONE && options.help)
		return message_print(arena, help_text(arena, command));
	if (status == EXIT_DONE && (command == COMMAND_RUN || command == COMMAND_SUBMIT))
		status = recorded_use(arena, command, words, &options);
	if (status == EXIT_DONE && options.version)
		return message_print(arena, SLICE("nbscorep " NBSCOREP_VERSION "\n"));
	for (size_t i = 0; status == EXIT_DONE && i < options.warnings.count; i++) {
		if (strcmp(options.warnings.items[i], "help") == 0)
			return message_print(arena, list_switches(arena));
	}
	if (status == EXIT_DONE)
		status = run[command](arena, &options);
	return status == EXIT_USAGE ? end_usage(arena, command) : status;
}

static int run_words(struct arena *arena, int argc, char **argv)
{
	if (argc < 2) {
		(void)os_write_all(STDERR_FILENO, help_text(arena, COMMAND_COUNT));
		return EXIT_USAGE & 0xff;
	}
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return message_print(arena, help_text(arena, COMMAND_COUNT));
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return message_print(arena, SLICE("nbscorep " NBSCOREP_VERSION "\n"));
	if (strcmp(word, "__complete") == 0)
		return completion_print(arena, (size_t)argc - 2, argv + 2);
	enum command_id command = command_find(arena, word);
	return command == COMMAND_COUNT ? end_usage(arena, COMMAND_COUNT)
	                                : run_command(arena, command, argv + 2);
}

int cli_main(int argc, char **argv)
{
	struct arena arena;
	jmp_buf out_of_memory;
	volatile int status = EXIT_SYSTEM;
	os_keep_standard_descriptors();
	os_survive_size_limit();
	arena_keep_memory();
	arena_init(&arena, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
		status = run_words(&arena, argc, argv);
	else
		(void)os_write_all(STDERR_FILENO, slice_from("nbscorep: out of memory\n"));
	arena_release(&arena);
	return status;
}
