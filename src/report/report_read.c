#include "report/report_read.h"

#include <sys/stat.h>

#include "base/os.h"
#include "base/paths.h"
#include "sample/series_write.h"
#include "trace/series_read.h"

static const size_t most = (size_t)1 << 30; /* bytes that are held of a file */

struct reading {
	struct arena *arena;
	struct report_files *files;
	VECTOR(struct report_node) nodes;
};

/* ---- one file ---- */

static void add_problem(struct reading *r, struct slice file, struct slice problem)
{
	vec_push(r->arena, &r->files->problems,
	         arena_printf(r->arena, "%.*s: %.*s", SLICE_ARG(file), SLICE_ARG(problem)));
}

/* Adds PATH to the nodes, or where it is not a file of samples to the problems. Returns -1 with errno where it cannot be
 * read. */
static int read_one(struct reading *r, struct slice path)
{
	struct report_node node = {.file = path};
	struct slice problem;
	struct strbuf text = {.arena = r->arena};
	int fd = os_open_input(arena_cstr(r->arena, path));
	if (fd < 0)
		return -1;
	struct arena_guard guard;
	os_guard_descriptor(r->arena, &guard, &fd);
	/* A file of another kind may never end. */
	bool is_read = os_read_rest(fd, &text, strlen(SERIES_MAGIC)) == 0 || errno == EFBIG;
	if (is_read && slice_starts_with(strbuf_slice(&text), SLICE(SERIES_MAGIC)))
		is_read = os_read_rest(fd, &text, most) == 0;
	arena_unguard(r->arena);
	if (!is_read)
		return -1;
	if (series_read(r->arena, strbuf_slice(&text), &node.series, &problem) == 0)
		vec_push(r->arena, &r->nodes, node);
	else
		add_problem(r, path, problem);
	return 0;
}

/* ---- runs ---- */

/* By number of the node, host, and name of the file. */
static int compare_nodes(const void *left, const void *right)
{
	const struct report_node *a = left, *b = right;
	const struct series_head *x = &a->series.head, *y = &b->series.head;
	int order = slice_compare(x->host, y->host);
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return order != 0 ? order : slice_compare(a->file, b->file);
}

/* The wall clock at a moment of the node. */
static int64_t wall_at(const struct series *series, int64_t moment)
{
	return (int64_t)((uint64_t)moment + series_wall_offset(series));
}

/* True if NODE may be another node of RUN: its times overlap those of the others, as far as clocks of nodes agree. */
static bool is_of_run(const struct report_node *node, const struct report_run *run)
{
	const double agree = -1e9; /* nanoseconds */
	const struct series *own = &node->series;
	const struct series_head *a = &own->head;
	for (size_t i = 0; i < run->nodes.count; i++) {
		const struct series *other = &run->nodes.items[i].series;
		const struct series_head *b = &other->head;
		bool is_same_node = a->node == b->node && slice_eq(a->host, b->host);
		if (is_same_node || !slice_eq(a->command, b->command) ||
		    !slice_eq(a->job, b->job) ||
		    series_since(a->start_wall, wall_at(other, series_last(other))) <= agree ||
		    series_since(b->start_wall, wall_at(own, series_last(own))) <= agree)
			return false;
	}
	return true;
}

/* ---- several files ---- */

/* The files in FOLDER whose names begin with FRONT and end in .samples. Returns 0, or -1 with errno, to ENOENT if there
 * are none. */
static int read_members(struct reading *r, struct slice folder, struct slice front)
{
	struct os_names names = {0};
	const char *path = folder.len == 0 ? "." : arena_cstr(r->arena, folder);
	if (os_list_folder(r->arena, path, &names) != 0)
		return -1;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		struct stat status;
		if (!slice_ends_with(name, SLICE(".samples")) || !slice_starts_with(name, front))
			continue;
		struct slice member = path_join(r->arena, folder, name);
		path = arena_cstr(r->arena, member);
		bool is_there = stat(path, &status) == 0;
		if (is_there && S_ISDIR(status.st_mode))
			continue;
		/* Whatever it is, the others can be read; opening a FIFO would wait for a writer. */
		if (is_there && !S_ISREG(status.st_mode)) {
			add_problem(r, member, SLICE("not a file of samples"));
		} else if (read_one(r, member) != 0) {
			r->files->is_unread = true;
			vec_push(r->arena, &r->files->problems,
			         arena_printf(r->arena, "cannot read '%s': %s", path,
			                      strerror(errno)));
		}
	}
	errno = ENOENT;
	return r->nodes.count + r->files->problems.count > 0 ? 0 : -1;
}

static int read_all(struct reading *r, const char *path)
{
	struct slice name = r->files->name;
	int is_folder = os_find(path, S_IFDIR);
	if (is_folder < 0)
		return -1;
	if (is_folder > 0) {
		if (read_members(r, name, SLICE("")) != 0 && errno != ENOENT)
			return -1;
		if (r->nodes.count + r->files->problems.count == 0)
			add_problem(r, name,
			            SLICE("no file *.samples, traces.otf2 or profile.cubex is "
			                  "in this folder"));
		return 0;
	}
	if (strcmp(path, "-") == 0 || os_is_there(path) || errno != ENOENT)
		return read_one(r, slice_from(path));
	struct slice front = arena_printf(r->arena, "%.*s.", SLICE_ARG(path_file(name)));
	if (read_members(r, path_folder(name), front) == 0)
		return 0;
	return os_fail(ENOENT);
}

int report_read(struct arena *arena, const char *path, struct report_files *files)
{
	struct reading r = {.arena = arena, .files = files};
	*files = (struct report_files){.name = slice_from(path)};
	while (files->name.len > 1 && slice_ends_with(files->name, SLICE("/")))
		files->name.len--;
	if (read_all(&r, path) != 0)
		return -1;
	vec_sort(&r.nodes, compare_nodes);
	vec_each(const struct report_node, node, &r.nodes) {
		size_t at = 0;
		while (at < files->runs.count && !is_of_run(node, &files->runs.items[at]))
			at++;
		if (at == files->runs.count)
			vec_push(arena, &files->runs, (struct report_run){.name = files->name});
		vec_push(arena, &files->runs.items[at].nodes, *node);
	}
	return 0;
}

/* ---- ranges of cells ---- */

int report_range_parse(struct slice text, struct report_range *out)
{
	size_t colon = slice_find(text, ':', 0);
	struct slice from = slice_sub(text, 0, colon), to = slice_tail(text, colon + 1);
	uint64_t first = 0, last = UINT32_MAX;
	if (text.len == 0 || (from.len > 0 && !slice_read_number(from, UINT32_MAX, &first)) ||
	    (to.len > 0 && !slice_read_number(to, UINT32_MAX, &last)))
		return -1;
	if (colon == text.len)
		last = first;
	*out = (struct report_range){(unsigned)first, (unsigned)last};
	return last < first ? -1 : 0;
}
