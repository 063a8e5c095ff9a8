#include "process/environment.h"

#include <sys/stat.h>
#include <unistd.h>

void environment_init(struct environment *environment, struct arena *arena)
{
	*environment = (struct environment){.arena = arena};
	for (char **entry = environ; *entry != NULL; entry++)
		vec_push(arena, &environment->entries, arena_cstr(arena, slice_from(*entry)));
}

/* The index of NAME, or the number of entries if it is not set. */
static size_t entry_index(const struct environment *environment, struct slice name)
{
	size_t i = 0;
	for (; i < environment->entries.count; i++) {
		struct slice entry = slice_from(environment->entries.items[i]);
		if (slice_starts_with(entry, name) && entry.len > name.len &&
		    entry.ptr[name.len] == '=')
			break;
	}
	return i;
}

const char *environment_get(const struct environment *environment, struct slice name)
{
	size_t at = entry_index(environment, name);
	return at == environment->entries.count ? NULL
	                                        : environment->entries.items[at] + name.len + 1;
}

void environment_set(struct environment *environment, struct slice name, struct slice value)
{
	struct arena *arena = environment->arena;
	size_t at = entry_index(environment, name);
	struct slice entry = arena_printf(arena, "%.*s=%.*s", SLICE_ARG(name), SLICE_ARG(value));
	char *text = arena_cstr(arena, entry);
	if (at < environment->entries.count)
		environment->entries.items[at] = text;
	else
		vec_push(arena, &environment->entries, text);
}

char **environment_list(struct environment *environment)
{
	vec_push(environment->arena, &environment->entries, NULL);
	environment->entries.count--;
	return environment->entries.items;
}

/* True if PATH is a program; otherwise sets errno as execve() does. */
static bool is_program(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode))
		return access(path, X_OK) == 0;
	errno = EACCES;
	return false;
}

const char *environment_find_program(const struct environment *environment, const char *name)
{
	const char *variable = environment_get(environment, SLICE("PATH"));
	struct slice path = slice_from(variable == NULL ? "/bin:/usr/bin" : variable);
	if (strchr(name, '/') != NULL)
		return is_program(name) ? name : NULL;
	for (size_t at = 0, end; at <= path.len && name[0] != '\0'; at = end + 1) {
		end = slice_find(path, ':', at);
		/* An empty entry is the current folder. */
		struct slice folder = end == at ? SLICE(".") : slice_sub(path, at, end);
		struct slice file =
		        arena_printf(environment->arena, "%.*s/%s", SLICE_ARG(folder), name);
		if (is_program(file.ptr))
			return file.ptr;
	}
	return NULL;
}
