/* The package is written to a temporary folder beside its place and renamed, so that no process sees a
 * part of it, also on other computers. rename() replaces no folder that has files, so the first of
 * several processes wins. */
#include "driver/package.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "base/vector.h"
#include "emit/template.h"
#include "process/scratch.h"

static const struct slice prefix = SLICE_INIT("scorep_notebook/");

struct slice package_path(struct arena *arena, struct slice folder)
{
	return path_join(arena, folder, slice_from(runtime_package_name));
}

/* Makes the folder of the file PATH, and those above it up to FOLDER, which exists. */
static int make_folders(struct arena *arena, struct slice folder, struct slice path)
{
	for (size_t at = folder.len + 1; (at = slice_find(path, '/', at)) < path.len; at++) {
		if (mkdir(arena_cstr(arena, slice_sub(path, 0, at)), 0777) < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int write_files(struct arena *arena, struct slice folder)
{
	VECTOR(struct os_file) files = {0};
	const struct os_file *failed;
	for (size_t i = 0; i < template_file_count; i++) {
		struct slice name = template_files[i].name;
		if (!slice_starts_with(name, prefix))
			continue;
		name = slice_sub(name, prefix.len, name.len);
		struct os_file file = {
		        .path = arena_cstr(arena, path_join(arena, folder, name)),
		        .text = template_files[i].text,
		        .mode = 0666,
		};
		if (make_folders(arena, folder, slice_from(file.path)) < 0)
			return -1;
		vec_push(arena, &files, file);
	}
	return os_put_files(arena, files.items, files.count, &failed);
}

int package_write(struct arena *arena, struct slice path)
{
	const char *place = arena_cstr(arena, path);
	if (os_is_directory(place))
		return 0;
	/* mkdtemp() makes a folder that others cannot enter, so the package is made inside it. */
	const char *outer = mkdtemp(arena_cstr(arena, arena_printf(arena, "%.*s/.%s.XXXXXX",
	                                                           SLICE_ARG(path_folder(path)),
	                                                           runtime_package_name)));
	if (outer == NULL)
		return -1;
	struct slice part = path_join(arena, slice_from(outer), slice_from(runtime_package_name));
	const char *folder = arena_cstr(arena, part);
	int status = mkdir(folder, 0777);
	if (status == 0 && (status = write_files(arena, part)) == 0)
		status = rename(folder, place);
	int error = errno;
	(void)scratch_remove(outer);
	if (status < 0 && os_is_directory(place)) /* another process has written it */
		return 0;
	errno = error;
	return status;
}
