#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "cli/command_help.h"
#include "cli/recorded.h"
#include "version.h"

/* After a usage error: the help of COMMAND, or of nbscorep itself with COMMAND_COUNT. */
static int end_usage(struct arena *arena, enum command_id command)
{
	bool is_command = command != COMMAND_COUNT;
	(void)os_write_all(STDERR_FILENO,
	                   arena_printf(arena, "try 'nbscorep%s%s --help'\n", is_command ? " " : "",
	                                is_command ? command_rows()[command].name : ""));
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

static int print_help(struct arena *arena, enum command_id command)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	help_text(&text, command);
	return message_print(arena, strbuf_slice(&text));
}

static int refuse_no_command(struct arena *arena)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	help_text(&text, COMMAND_COUNT);
	(void)os_write_all(STDERR_FILENO, strbuf_slice(&text));
	return EXIT_USAGE & 0xff;
}

static int end_usage_with(struct arena *arena, enum command_id command, const struct strbuf *error)
{
	(void)message_usage(arena, "%.*s", SLICE_ARG(strbuf_slice(error)));
	return end_usage(arena, command);
}

static int run_command(struct arena *arena, enum command_id command, int argc, char **argv)
{
	static int (*const run[COMMAND_COUNT])(struct invocation *) = {
#define COMMAND(id, name, operands, summary) [COMMAND_##id] = command_##name,
#include "cli/commands.def"
#undef COMMAND
	};
	struct options options;
	struct strbuf error;
	strbuf_init(&error, arena);
	if (options_parse(arena, command, argc, argv, &options, &error) < 0)
		return end_usage_with(arena, command, &error);
	if (options.help)
		return print_help(arena, command);
	if ((command == COMMAND_RUN || command == COMMAND_SUBMIT) &&
	    recorded_use(arena, command, argc, argv, &options, &error) < 0)
		return end_usage_with(arena, command, &error);
	if (options.version)
		return message_print(arena, SLICE("nbscorep " NBSCOREP_VERSION "\n"));
	struct invocation invocation = {arena, command, &options};
	int status = run[command](&invocation);
	return status == EXIT_USAGE ? end_usage(arena, command) : status;
}

static int dispatch(struct arena *arena, int argc, char **argv)
{
	if (argc < 2)
		return refuse_no_command(arena);
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return print_help(arena, COMMAND_COUNT);
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return message_print(arena, SLICE("nbscorep " NBSCOREP_VERSION "\n"));
	struct strbuf error;
	strbuf_init(&error, arena);
	enum command_id command = command_find(word, &error);
	if (command == COMMAND_COUNT)
		return end_usage_with(arena, COMMAND_COUNT, &error);
	return run_command(arena, command, argc - 2, argv + 2);
}

static void report_out_of_memory(void)
{
	(void)os_write_all(STDERR_FILENO, SLICE("nbscorep: out of memory\n"));
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
		status = dispatch(&arena, argc, argv);
	else
		report_out_of_memory();
	arena_release(&arena);
	return status;
}
