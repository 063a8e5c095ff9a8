#include "sample/cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/os.h"
#include "base/strbuf.h"
#include "sample/procfs.h"

enum { TEXT_MAX = 1 << 14 };

/* ---- text ---- */

/* The number at the front of TEXT, 0 if it has none, as "max" has not, or is as good as no limit. */
static int64_t first_number(struct slice text)
{
	enum { DIGITS = 18 };
	int64_t number = 0;
	size_t i = 0;
	for (; i < text.len && i < DIGITS && ascii_is_digit(text.ptr[i]); i++)
		number = number * 10 + (text.ptr[i] - '0');
	return i == DIGITS ? 0 : number;
}

/* Returns the number after NAME at the start of a line; -1 if TEXT has no such line. */
static int64_t number_of(struct slice text, struct slice name)
{
	for (struct slice rest = text, line; slice_next_line(&rest, &line);) {
		if (slice_eq(slice_next_word(&line), name))
			return first_number(slice_next_word(&line));
	}
	return -1;
}

static const char *file_in(struct arena *arena, struct slice folder, const char *name)
{
	return arena_printf(arena, "%.*s/%s", SLICE_ARG(folder), name).ptr;
}

static struct slice read_text(struct arena *arena, struct slice folder, const char *name)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	if (os_read_file(file_in(arena, folder, name), &text, TEXT_MAX) != 0)
		text.len = 0;
	return strbuf_slice(&text);
}

/* ---- where it is ---- */

/* Up to and with the part "job_7" of the path; empty if it has none. */
static struct slice path_of_job(struct slice path)
{
	size_t at = slice_find_slice(path, SLICE("/job_"), 0);
	if (at == path.len)
		return slice_make("", 0);
	return slice_sub(path, 0, slice_find(path, '/', at + 1));
}

static bool has_controller(struct slice controllers, struct slice name)
{
	while (controllers.len > 0) {
		size_t comma = slice_find(controllers, ',', 0);
		if (slice_eq(slice_sub(controllers, 0, comma), name))
			return true;
		controllers = slice_sub(controllers, comma + 1, controllers.len);
	}
	return false;
}

static bool has_file(struct arena *arena, struct slice folder, const char *name)
{
	return access(file_in(arena, folder, name), R_OK) == 0;
}

/* The folder of the group PATH. A container may see no more than its own group, as the base. */
static struct slice folder_of(struct arena *arena, const char *base, struct slice path)
{
	struct slice folder = arena_printf(arena, "%s%.*s", base,
	                                   SLICE_ARG(path.len == 1 ? slice_make("", 0) : path));
	return has_file(arena, folder, "memory.stat") ? folder : slice_from(base);
}

/* 0: none. */
static int64_t read_limit(const struct cgroup *cgroup, struct arena *arena)
{
	int64_t limit = 0;
	if (cgroup->is_v1) {
		limit = number_of(read_text(arena, cgroup->whole, "memory.stat"),
		                  SLICE("hierarchical_memory_limit"));
		return limit > 0 ? limit : 0;
	}
	for (struct slice at = cgroup->whole; at.len >= strlen(cgroup->base);) {
		int64_t here = first_number(read_text(arena, at, "memory.max"));
		if (here > 0 && (limit == 0 || here < limit))
			limit = here;
		while (at.len > 0 && at.ptr[--at.len] != '/')
			;
	}
	return limit;
}

/* True if this is the group of the whole node. In version 2 that group does not report its memory; in
 * version 1 it looks like the group of a container without a limit. */
static bool is_of_node(const struct cgroup *cgroup, struct arena *arena)
{
	if (!cgroup->is_v1)
		return !has_file(arena, cgroup->whole, "memory.current");
	return slice_eq(cgroup->whole, slice_from(cgroup->base)) && read_limit(cgroup, arena) == 0;
}

/* Version 1 counts what the kernel has killed in the process's own group only. */
static void open_files(struct cgroup *cgroup, struct arena *arena, struct slice path)
{
	struct slice job = path_of_job(path);
	cgroup->own = folder_of(arena, cgroup->base, path);
	cgroup->whole = job.len > 0 ? folder_of(arena, cgroup->base, job) : cgroup->own;
	cgroup->is_job = job.len > 0;
	cgroup->is_known =
	        has_file(arena, cgroup->whole, "memory.stat") && !is_of_node(cgroup, arena);
	if (!cgroup->is_known)
		return;
	cgroup->stat = open(file_in(arena, cgroup->whole, "memory.stat"), O_RDONLY | O_CLOEXEC);
	cgroup->events = cgroup->is_v1 ? open(file_in(arena, cgroup->own, "memory.oom_control"),
	                                      O_RDONLY | O_CLOEXEC)
	                               : open(file_in(arena, cgroup->whole, "memory.events"),
	                                      O_RDONLY | O_CLOEXEC);
}

/* A line is NUMBER:CONTROLLERS:PATH; of version 2 it has no controllers. Where both versions are
 * mounted, memory is of the first one unless that has none. */
void cgroup_open_at(struct cgroup *cgroup, struct arena *arena, struct slice groups,
                    const char *base)
{
	struct slice line, path = {0};
	*cgroup = (struct cgroup){.stat = -1, .events = -1, .base = base};
	while (!cgroup->is_v1 && slice_next_line(&groups, &line)) {
		size_t first = slice_find(line, ':', 0), second = slice_find(line, ':', first + 1);
		struct slice controllers = slice_sub(line, first + 1, second);
		cgroup->is_v1 = has_controller(controllers, SLICE("memory"));
		if (cgroup->is_v1 || controllers.len == 0)
			path = slice_sub(line, second + 1, line.len);
	}
	if (path.len == 0)
		return;
	if (cgroup->is_v1)
		cgroup->base = arena_cstr(arena, arena_printf(arena, "%s/memory", base));
	open_files(cgroup, arena, path);
}

void cgroup_open(struct cgroup *cgroup, struct arena *arena, pid_t pid)
{
	struct slice folder = arena_printf(arena, "/proc/%d", (int)pid);
	cgroup_open_at(cgroup, arena, read_text(arena, folder, "cgroup"), "/sys/fs/cgroup");
}

void cgroup_close(struct cgroup *cgroup)
{
	if (cgroup->stat >= 0)
		close(cgroup->stat);
	if (cgroup->events >= 0)
		close(cgroup->events);
	cgroup->stat = cgroup->events = -1;
}

/* ---- what it has ---- */

int64_t cgroup_limit(const struct cgroup *cgroup, struct arena *arena)
{
	return cgroup->is_known ? read_limit(cgroup, arena) : 0;
}

void cgroup_read(const struct cgroup *cgroup, struct cgroup_memory *out)
{
	char text[TEXT_MAX];
	out->shared = number_of(procfs_read(cgroup->stat, text, sizeof text),
	                        cgroup->is_v1 ? SLICE("total_shmem") : SLICE("shmem"));
	out->oom_kills =
	        number_of(procfs_read(cgroup->events, text, sizeof text), SLICE("oom_kill"));
}
