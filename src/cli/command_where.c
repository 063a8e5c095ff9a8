#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "emit/template.h"
#include "run/experiment.h"
#include "version.h"

/* The installed file, found relative to the program, since a tree can be moved. */
static int print_place(struct arena *arena, struct slice name)
{
	struct slice program = os_program_path(arena);
	if (program.len == 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot find myself: %s",
		                    strerror(errno));
	struct slice data =
	        path_join(arena, path_folder(program), SLICE(NBSCOREP_DATA_FROM_PROGRAM));
	struct slice path = path_join(arena, data, name);
	struct slice real = os_real_path(arena, path);
	const char *file = arena_cstr(arena, real);
	if (real.len == 0 || (!os_is_file(file) && !os_is_directory(file)))
		return message_fail(arena, EXIT_SYSTEM, "'cmake --install' puts it in place\n",
		                    "there is no '%.*s'", SLICE_ARG(path));
	return message_print(arena, arena_printf(arena, "%.*s\n", SLICE_ARG(real)));
}

int command_where(struct invocation *invocation)
{
	static const struct {
		const char *word;
		struct slice name; /* below the data folder */
	} places[] = {{"make", SLICE_INIT("nbscorep/nbscorep.mk")},
	              {"cmake", SLICE_INIT("cmake/nbscorep")}};
	const struct options *options = invocation->options;
	if (options->operands.count == 1 && strcmp(options->operands.items[0], "package") == 0)
		return message_print(invocation->arena,
		                     arena_printf(invocation->arena, "%s\n", runtime_package_name));
	if (options->operands.count == 1 && strcmp(options->operands.items[0], "recorder") == 0) {
		struct slice folder = recorder_folder(invocation->arena);
		if (folder.len == 0)
			return message_fail(invocation->arena, EXIT_SYSTEM,
			                    "'cmake --install' puts it in place\n",
			                    "the recorder is missing beside this nbscorep");
		return message_print(
		        invocation->arena,
		        arena_printf(invocation->arena, "%.*s\n",
		                     SLICE_ARG(recorder_object(invocation->arena, folder))));
	}
	for (size_t i = 0; options->operands.count == 1 && i < sizeof places / sizeof *places;
	     i++) {
		if (strcmp(options->operands.items[0], places[i].word) == 0)
			return print_place(invocation->arena, places[i].name);
	}
	return message_usage(invocation->arena,
	                     "'where' requires 'make', 'cmake', 'package' or 'recorder'");
}
