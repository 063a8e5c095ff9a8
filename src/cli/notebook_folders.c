#include "cli/notebook_folders.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"
#include "diag/message.h"

struct finder {
	struct arena *arena;
	struct options *out;
	const char *operand; /* the folder that is looked through */
};

static int add_folder(struct finder *finder, struct slice folder);

static void add(struct finder *finder, const char *name, const char *found_in)
{
	vec_push(finder->arena, &finder->out->operands, name);
	vec_push(finder->arena, &finder->out->found_in, found_in);
}

static int fail(struct arena *arena, const char *name)
{
	return message_fail(arena, EXIT_SYSTEM, "", "cannot look at '%s': %s", name,
	                    strerror(errno));
}

static int add_entry(struct finder *finder, struct slice path)
{
	struct arena *arena = finder->arena;
	const char *name = arena_cstr(arena, path);
	bool is_notebook = slice_ends_with(path, SLICE(".ipynb"));
	if (path.len >= PATH_MAX) { /* it exists, but every call would take it for missing */
		errno = ENAMETOOLONG;
		return fail(arena, name);
	}
	bool is_link = os_is_link(name);
	if (is_link && finder->out->build.untrusted.given) { /* where it leads is not looked at */
		if (is_notebook)
			add(finder, name, finder->operand);
		return EXIT_DONE;
	}
	int is_folder = os_find_folder(name);
	if (is_folder > 0)
		return is_link ? EXIT_DONE : add_folder(finder, path);
	if (is_folder == 0 && !is_notebook)
		return EXIT_DONE;
	int is_file = is_folder < 0 ? -1 : os_find_file(name);
	if (is_file < 0)
		return fail(arena, name);
	/* A dangling symlink is reported when it is read. */
	if (is_file > 0 || os_is_lost_link(name))
		add(finder, name, finder->operand);
	return EXIT_DONE;
}

static int add_folder(struct finder *finder, struct slice folder)
{
	struct arena *arena = finder->arena;
	struct os_names names = {0};
	if (os_list_folder(arena, arena_cstr(arena, folder), &names) < 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot read folder '%.*s': %s",
		                    SLICE_ARG(folder), strerror(errno));
	int status = EXIT_DONE;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (name.ptr[0] != '.')
			status = exit_worse(status,
			                    add_entry(finder, path_join(arena, folder, name)));
	}
	return status;
}

/* Without the slashes that completion adds after a folder. */
static struct slice folder_name(const char *operand)
{
	struct slice name = slice_from(operand);
	while (name.len > 1 && slice_ends_with(name, SLICE("/")))
		name = slice_sub(name, 0, name.len - 1);
	return name;
}

static int add_operand(struct finder *finder, const char *operand)
{
	size_t before = finder->out->operands.count;
	int is_folder = os_find_folder(operand);
	if (is_folder < 0)
		return fail(finder->arena, operand);
	if (is_folder == 0) {
		add(finder, operand, NULL);
		return EXIT_DONE;
	}
	finder->operand = operand;
	int status = add_folder(finder, folder_name(operand));
	if (status == EXIT_DONE && finder->out->operands.count == before)
		return message_usage(finder->arena, "the folder '%s' has no notebook", operand);
	return status;
}

int notebook_folders_expand(struct arena *arena, const struct options *options, struct options *out)
{
	struct finder finder = {.arena = arena, .out = out};
	int status = EXIT_DONE;
	*out = *options;
	out->operands = out->found_in = (text_list){0};
	for (size_t i = 0; i < options->operands.count; i++)
		status = exit_worse(status, add_operand(&finder, options->operands.items[i]));
	return status;
}
