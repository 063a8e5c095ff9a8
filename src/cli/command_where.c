#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "emit/template.h"
#include "run/experiment.h"
#include "version.h"

/* The installed file NAME, below the data folder, found relative to the program, since a tree can be moved. */
static int print_place(struct arena *arena, struct slice name)
{
	struct slice folder = path_folder(os_program_path(arena));
	struct slice data = path_join(arena, folder, SLICE(NBSCOREP_DATA_FROM_PROGRAM));
	struct slice path = path_join(arena, data, name);
	struct slice real = os_real_path(arena, path);
	const char *file = arena_cstr(arena, real);
	if (real.len == 0 || (!os_is_file(file) && !os_is_directory(file)))
		return message_fail(arena, EXIT_SYSTEM, "'cmake --install' puts it in place\n",
		                    "there is no '%.*s'", SLICE_ARG(path));
	return message_print(arena, arena_printf(arena, "%.*s\n", SLICE_ARG(real)));
}

int command_where(struct arena *arena, struct options *options)
{
	const text_list *operands = &options->operands;
	struct slice word = slice_from(operands->count == 1 ? operands->items[0] : "");
	if (slice_eq(word, SLICE("make")))
		return print_place(arena, SLICE("nbscorep/nbscorep.mk"));
	if (slice_eq(word, SLICE("cmake")))
		return print_place(arena, SLICE("cmake/nbscorep"));
	if (slice_eq(word, SLICE("package")))
		return message_print(arena, arena_printf(arena, "%s\n", runtime_package_name));
	if (!slice_eq(word, SLICE("recorder")))
		return message_usage(arena,
		                     "'where' requires 'make', 'cmake', 'package' or 'recorder'");
	struct slice object = recorder_object(arena);
	if (object.len == 0)
		return message_fail(arena, EXIT_SYSTEM, "'cmake --install' puts it in place\n",
		                    "the recorder is missing beside this nbscorep");
	return message_print(arena, arena_printf(arena, "%.*s\n", SLICE_ARG(object)));
}
