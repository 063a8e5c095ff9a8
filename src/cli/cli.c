#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "base/quote.h"
#include "cli/command_help.h"
#include "version.h"

static void print_error(struct arena *arena, struct slice message, const char *after)
{
	struct strbuf line;
	strbuf_init(&line, arena);
	strbuf_puts(&line, "nbscorep: ");
	terminal_text(&line, message);
	strbuf_printf(&line, "\n%s", after);
	/* Where standard error is closed there is nobody left to tell. */
	(void)os_write_all(STDERR_FILENO, strbuf_slice(&line));
}

int cli_usage_error(struct arena *arena, const char *format, ...)
{
	char message[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	print_error(arena, slice_from(message), "try 'nbscorep --help'\n");
	return EXIT_USAGE;
}

int cli_fail(struct arena *arena, int status, const char *hint, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_error(arena, arena_vprintf(arena, format, args), hint);
	va_end(args);
	return status;
}

int cli_system_error(struct arena *arena, struct slice message)
{
	print_error(arena, message, "");
	return EXIT_SYSTEM;
}

int cli_print(struct arena *arena, struct slice text)
{
	if (os_write_all(STDOUT_FILENO, text) == 0)
		return EXIT_DONE;
	return cli_system_error(
	        arena, arena_printf(arena, "cannot write standard output: %s", strerror(errno)));
}

/* https://no-color.org: set and not empty means no colour. */
bool cli_wants_color(const struct options *options, int fd)
{
	enum { AUTO = 1, ALWAYS }; /* as options.def lists them */
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	if (options->color != 0 && options->color != AUTO)
		return options->color == ALWAYS;
	return isatty(fd) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

static int print_help(struct arena *arena, enum command_id command)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	help_text(&text, command);
	return cli_print(arena, strbuf_slice(&text));
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
		return cli_usage_error(arena, "%.*s", SLICE_ARG(strbuf_slice(&error)));
	if (options.help)
		return print_help(arena, command);
	if (options.version)
		return cli_print(arena, SLICE("nbscorep " NBSCOREP_VERSION "\n"));
	struct invocation invocation = {arena, command, &options};
	return run[command](&invocation);
}

static int dispatch(struct arena *arena, int argc, char **argv)
{
	if (argc < 2)
		return cli_usage_error(arena, "which command?");
	const char *word = argv[1];
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return print_help(arena, COMMAND_COUNT);
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return cli_print(arena, SLICE("nbscorep " NBSCOREP_VERSION "\n"));
	struct strbuf error;
	strbuf_init(&error, arena);
	enum command_id command = command_find(word, &error);
	if (command == COMMAND_COUNT)
		return cli_usage_error(arena, "%.*s", SLICE_ARG(strbuf_slice(&error)));
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
