#include "run/experiment.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/os.h"
#include "base/paths.h"
#include "run/complete.h"

#define PREFIX SLICE("scorep-")
#define RANK_PREFIX SLICE("rank-")

static bool was_there(const struct experiment_search *search, ino_t inode)
{
	for (size_t i = 0; i < search->before.count; i++) {
		if (search->before.items[i] == inode)
			return true;
	}
	return false;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

/* Calls VISIT with each directory that can be an experiment directory. */
static void visit_all(const struct experiment_search *search,
                      void (*visit)(const char *path, const struct stat *status, void *data),
                      void *data)
{
	struct stat status;
	if (search->named != NULL) {
		if (stat(search->named, &status) == 0 && S_ISDIR(status.st_mode))
			visit(search->named, &status, data);
		return;
	}
	DIR *folder = opendir(".");
	if (folder == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (slice_starts_with(slice_from(entry->d_name), PREFIX) &&
		    stat(entry->d_name, &status) == 0 && S_ISDIR(status.st_mode))
			visit(entry->d_name, &status, data);
	}
	closedir(folder);
}

static void note(const char *path, const struct stat *status, void *data)
{
	struct experiment_search *search = data;
	(void)path;
	vec_push(search->arena, &search->before, status->st_ino);
}

void experiment_prepare(struct experiment_search *search, struct arena *arena,
                        const struct environment *environment)
{
	const char *named = environment_get(environment, SLICE("SCOREP_EXPERIMENT_DIRECTORY"));
	*search = (struct experiment_search){
	        .arena = arena, .named = named != NULL && named[0] != '\0' ? named : NULL};
	visit_all(search, note, search);
}

struct growing {
	const struct experiment_search *search;
	long long size;
};

static void add_size(const char *path, const struct stat *status, void *data)
{
	struct growing *growing = data;
	long long size = was_there(growing->search, status->st_ino) ? -1 : os_tree_size(path, 0);
	growing->size += size > 0 ? size : 0;
}

long long experiment_growth(void *data)
{
	struct growing growing = {.search = data};
	visit_all(growing.search, add_size, &growing);
	return growing.size;
}

/* The youngest new directory. */
struct found {
	const struct experiment_search *search;
	struct slice path;
	struct timespec changed;
};

static void choose(const char *path, const struct stat *status, void *data)
{
	struct found *found = data;
	if (was_there(found->search, status->st_ino) ||
	    (found->path.len > 0 && !is_later(status->st_mtim, found->changed)))
		return;
	found->path = arena_dup(found->search->arena, slice_from(path));
	found->changed = status->st_mtim;
}

static long long size_of(struct arena *arena, struct slice folder, const char *name)
{
	return os_tree_size(arena_printf(arena, "%.*s/%s", SLICE_ARG(folder), name).ptr, 0);
}

/* The size of a result of Score-P, or -1 if it is missing or incomplete. */
static long long size_of_result(struct arena *arena, struct experiment *out, const char *name,
                                bool (*is_complete)(const char *path))
{
	const char *path = arena_printf(arena, "%.*s/%s", SLICE_ARG(out->results), name).ptr;
	long long size = os_tree_size(path, 0);
	if (size < 0 || is_complete(path))
		return size;
	out->has_part = true;
	return -1;
}

/* Counts the directories of ranks in OUT, and finds that of the lowest rank. */
static void find_ranks(struct arena *arena, struct experiment *out)
{
	struct stat status;
	long lowest = LONG_MAX;
	DIR *folder = opendir(arena_cstr(arena, out->path));
	out->results = out->path;
	if (folder == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		struct slice name = slice_from(entry->d_name);
		if (!slice_starts_with(name, RANK_PREFIX) ||
		    fstatat(dirfd(folder), entry->d_name, &status, 0) != 0 ||
		    !S_ISDIR(status.st_mode))
			continue;
		long rank = strtol(entry->d_name + RANK_PREFIX.len, NULL, 10);
		if (out->ranks++ == 0 || rank < lowest) {
			lowest = rank;
			out->results = path_join(arena, out->path, arena_dup(arena, name));
		}
	}
	closedir(folder);
}

bool experiment_find(const struct experiment_search *search, struct experiment *out)
{
	static const char *const beside[] = {"traces.def", "traces"};
	struct arena *arena = search->arena;
	struct found found = {.search = search};
	visit_all(search, choose, &found);
	*out = (struct experiment){.path = os_real_path(arena, found.path)};
	if (found.path.len == 0)
		return false;
	find_ranks(arena, out);
	out->size = size_of(arena, out->path, ".");
	out->profile = size_of_result(arena, out, "profile.cubex", complete_profile);
	out->traces = size_of_result(arena, out, "traces.otf2", complete_traces);
	/* traces.otf2 only describes the files beside it. */
	for (size_t i = 0; out->traces >= 0 && i < sizeof beside / sizeof *beside; i++) {
		long long size = size_of(arena, out->results, beside[i]);
		out->traces += size > 0 ? size : 0;
	}
	return true;
}
