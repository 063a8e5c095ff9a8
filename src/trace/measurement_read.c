#include "trace/measurement_read.h"

#include "base/os.h"
#include "base/paths.h"
#include "trace/cubex_read.h"
#include "trace/otf2_read.h"

static const char *file_in(struct arena *arena, struct slice directory, const char *name)
{
	return arena_cstr(arena, path_join(arena, directory, slice_from(name)));
}

bool measurement_exists(struct arena *arena, struct slice directory)
{
	return os_is_file(file_in(arena, directory, "traces.otf2")) ||
	       os_is_file(file_in(arena, directory, "profile.cubex"));
}

const char *measurement_read(struct measurement *out, struct arena *arena, struct slice directory,
                             struct slice *failed)
{
	const char *profile = file_in(arena, directory, "profile.cubex");
	if (os_is_file(file_in(arena, directory, "traces.otf2")))
		return otf2_read(out, arena, directory, failed);
	*failed = slice_from(profile);
	return cubex_read(out, arena, profile);
}
