#include "cli/notebook_folders.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"

static int add_folder(struct arena *arena, struct slice folder, text_list *found);

static int worse(int status, int other)
{
	return status > other ? status : other;
}

static int fail(struct arena *arena, const char *name)
{
	return cli_fail(arena, EXIT_SYSTEM, "", "cannot look at '%s': %s", name, strerror(errno));
}

static int add_entry(struct arena *arena, struct slice path, text_list *found)
{
	const char *name = arena_cstr(arena, path);
	if (path.len >= PATH_MAX) { /* it exists, but every call would take it for missing */
		errno = ENAMETOOLONG;
		return fail(arena, name);
	}
	int is_folder = os_find_folder(name);
	if (is_folder > 0)
		return os_is_link(name) ? EXIT_DONE : add_folder(arena, path, found);
	if (is_folder == 0 && !slice_ends_with(path, SLICE(".ipynb")))
		return EXIT_DONE;
	int is_file = is_folder < 0 ? -1 : os_find_file(name);
	if (is_file < 0)
		return fail(arena, name);
	/* That a link leads nowhere is told when it is read. */
	if (is_file > 0 || os_is_lost_link(name))
		vec_push(arena, found, name);
	return EXIT_DONE;
}

static int add_folder(struct arena *arena, struct slice folder, text_list *found)
{
	struct os_names names = {0};
	if (os_list_folder(arena, arena_cstr(arena, folder), &names) < 0)
		return cli_fail(arena, EXIT_SYSTEM, "", "cannot read folder '%.*s': %s",
		                SLICE_ARG(folder), strerror(errno));
	int status = EXIT_DONE;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (name.ptr[0] != '.')
			status = worse(status,
			               add_entry(arena, path_join(arena, folder, name), found));
	}
	return status;
}

/* Without the slashes that completion puts behind a folder. */
static struct slice folder_name(const char *operand)
{
	struct slice name = slice_from(operand);
	while (name.len > 1 && slice_ends_with(name, SLICE("/")))
		name = slice_sub(name, 0, name.len - 1);
	return name;
}

static int add_operand(struct arena *arena, const char *operand, text_list *found)
{
	size_t before = found->count;
	int is_folder = os_find_folder(operand);
	if (is_folder < 0)
		return fail(arena, operand);
	if (is_folder == 0) {
		vec_push(arena, found, operand);
		return EXIT_DONE;
	}
	int status = add_folder(arena, folder_name(operand), found);
	if (status == EXIT_DONE && found->count == before)
		return cli_usage_error(arena, "there is no notebook in the folder '%s'", operand);
	return status;
}

int notebook_folders_expand(struct arena *arena, const text_list *operands, text_list *found)
{
	int status = EXIT_DONE;
	*found = (text_list){0};
	for (size_t i = 0; i < operands->count; i++)
		status = worse(status, add_operand(arena, operands->items[i], found));
	return status;
}
