#include "run/recorder_files.h"

#include "base/os.h"
#include "base/paths.h"
#include "version.h"

#define OBJECT "scorep_recorder.so"

struct slice recorder_object(struct arena *arena, struct slice folder)
{
	return path_join(arena, folder, SLICE(OBJECT));
}

struct slice recorder_folder(struct arena *arena)
{
	static const struct slice places[] = {
	        SLICE_INIT(NBSCOREP_LIB_FROM_PROGRAM "/nbscorep/record"), SLICE_INIT("record")};
	struct slice program = os_program_path(arena);
	for (size_t i = 0; program.len > 0 && i < sizeof places / sizeof *places; i++) {
		struct slice folder = path_join(arena, path_folder(program), places[i]);
		if (os_is_file(arena_cstr(arena, recorder_object(arena, folder))))
			return os_real_path(arena, folder);
	}
	return slice_make("", 0);
}
