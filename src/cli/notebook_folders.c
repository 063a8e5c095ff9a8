#include "cli/notebook_folders.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"

static int add_folder(struct arena *arena, struct slice folder, text_list *found);

static int fail(struct arena *arena, const char *name)
{
	return cli_fail(arena, EXIT_SYSTEM, "", "cannot look at '%s': %s", name, strerror(errno));
}

static int add_entry(struct arena *arena, struct slice path, text_list *found)
{
	const char *name = arena_cstr(arena, path);
	int is_folder = os_find_folder(name);
	if (is_folder > 0)
		return os_is_link(name) ? EXIT_DONE : add_folder(arena, path, found);
	int is_file = slice_ends_with(path, SLICE(".ipynb")) ? os_find_file(name) : 0;
	if (is_folder < 0 || is_file < 0)
		return fail(arena, name);
	if (is_file > 0)
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
	for (size_t i = 0; i < names.list.count && status == EXIT_DONE; i++) {
		struct slice name = names.list.items[i];
		if (name.ptr[0] != '.')
			status = add_entry(arena, path_join(arena, folder, name), found);
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

int notebook_folders_expand(struct arena *arena, const text_list *operands, text_list *found)
{
	*found = (text_list){0};
	for (size_t i = 0; i < operands->count; i++) {
		const char *operand = operands->items[i];
		size_t before = found->count;
		int is_folder = os_find_folder(operand);
		if (is_folder < 0)
			return fail(arena, operand);
		if (is_folder == 0) {
			vec_push(arena, found, operand);
			continue;
		}
		int status = add_folder(arena, folder_name(operand), found);
		if (status != EXIT_DONE)
			return status;
		if (found->count == before)
			return cli_usage_error(arena, "there is no notebook in the folder '%s'",
			                       operand);
	}
	return EXIT_DONE;
}
