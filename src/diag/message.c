#include "diag/message.h"

#include <unistd.h>

#include "base/os_put.h"
#include "base/quote.h"

/* Failures are ignored: standard error may be closed. */
static void print(struct arena *arena, struct slice message, const char *after)
{
	struct strbuf line = {.arena = arena};
	strbuf_puts(&line, "nbscorep: ");
	terminal_text(&line, message);
	strbuf_printf(&line, "\n%s", after);
	(void)os_write_all(STDERR_FILENO, strbuf_slice(&line));
}

int message_usage(struct arena *arena, const char *format, ...)
{
	char message[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	print(arena, slice_from(message), "");
	return EXIT_USAGE;
}

int message_fail(struct arena *arena, int status, const char *hint, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print(arena, arena_vprintf(arena, format, args), hint);
	va_end(args);
	return status;
}

int message_print(struct arena *arena, struct slice text)
{
	if (os_write_all(STDOUT_FILENO, text) == 0)
		return EXIT_DONE;
	return message_fail(arena, EXIT_SYSTEM, "", "cannot write standard output: %s",
	                    strerror(errno));
}

int message_write(struct arena *arena, const char *path, struct slice text)
{
	const struct os_file file = {.path = path, .text = text, .mode = 0666}, *failed;
	if (os_put_files(arena, &file, 1, &failed) == 0)
		return EXIT_DONE;
	return message_fail(arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path, strerror(errno));
}

int message_kept(struct arena *arena, const char *path, const char *reason, bool forcible)
{
	const char *hint = forcible ? "--force overwrites it\n" : "";
	if (reason == os_keep_unknown)
		return message_fail(arena, EXIT_SYSTEM, hint, "cannot look at '%s': %s", path,
		                    strerror(errno));
	return message_fail(arena, EXIT_SYSTEM, hint, "'%s' %s; it is left as it is", path, reason);
}
