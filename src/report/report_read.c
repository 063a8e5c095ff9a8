#include "report/report_read.h"

#include "base/os.h"
#include "base/paths.h"
#include "report/report.h"
#include "sample/series_write.h"
#include "trace/series_read.h"
#include <errno.h>
#include <sys/stat.h>

static const size_t most = (size_t)1 << 30; /* bytes that are held of a file */
static const struct slice ending = SLICE_INIT(".samples");

typedef VECTOR(struct report_node) node_list;

struct reading {
	struct arena *arena;
	struct report_files *files;
	node_list nodes;
	/* The file being read: */
	struct report_node node;
	struct slice problem;
};

/* ---- one file ---- */

static int read_input(int fd, void *data)
{
	struct reading *r = data;
	struct series_input input;
	series_input_of_file(&input, r->arena, fd);
	return series_read_input(r->arena, &input, &r->node.series, &r->problem);
}

/* Reads PATH into R->NODE. Returns 0 also where it is not a file of samples, which is R->PROBLEM then;
 * -1 with errno where it cannot be read. */
static int read_file(struct reading *r, struct slice path)
{
	const char *name = arena_cstr(r->arena, path);
	struct stat status;
	r->node = (struct report_node){.file = path};
	r->problem = SLICE("");
	if (stat(name, &status) == 0 && S_ISREG(status.st_mode) &&
	    (uintmax_t)status.st_size > most) {
		errno = EFBIG;
		return -1;
	}
	int fd = os_open_input(name);
	int result = fd < 0 ? -1 : os_use_descriptor(r->arena, fd, read_input, r);
	return result != 0 && r->problem.len == 0 ? -1 : 0;
}

static int read_one(struct reading *r, struct slice path)
{
	if (read_file(r, path) != 0)
		return -1;
	if (r->problem.len == 0)
		vec_push(r->arena, &r->nodes, r->node);
	else
		vec_push(r->arena, &r->files->problems,
		         arena_printf(r->arena, "%.*s: %.*s", SLICE_ARG(path),
		                      SLICE_ARG(r->problem)));
	return 0;
}

/* ---- runs ---- */

static bool is_before(const struct report_node *a, const struct report_node *b)
{
	const struct series_head *x = &a->series.head, *y = &b->series.head;
	return x->node != y->node ? x->node < y->node : slice_compare(x->host, y->host) < 0;
}

/* They are in the order of their names. */
static void sort_nodes(node_list *nodes)
{
	for (size_t i = 1; i < nodes->count; i++) {
		struct report_node node = nodes->items[i];
		size_t at = i;
		for (; at > 0 && is_before(&node, &nodes->items[at - 1]); at--)
			nodes->items[at] = nodes->items[at - 1];
		nodes->items[at] = node;
	}
}

/* The wall clock at a moment of the node. */
static int64_t wall_at(const struct series *series, int64_t moment)
{
	return (int64_t)((uint64_t)moment + series_wall_offset(series));
}

/* As far as clocks of nodes agree. */
static bool do_overlap(const struct series *a, const struct series *b)
{
	const double agree = -1e9; /* nanoseconds */
	return series_since(a->head.start_wall, wall_at(b, series_last(b))) > agree &&
	       series_since(b->head.start_wall, wall_at(a, series_last(a))) > agree;
}

static bool is_of_run(const struct report_node *node, const struct report_run *run)
{
	for (size_t i = 0; i < run->nodes.count; i++) {
		const struct report_node *other = &run->nodes.items[i];
		const struct series_head *a = &node->series.head, *b = &other->series.head;
		bool is_same_node = !is_before(node, other) && !is_before(other, node);
		if (is_same_node || !slice_eq(a->command, b->command) ||
		    !slice_eq(a->job, b->job) || !do_overlap(&node->series, &other->series))
			return false;
	}
	return true;
}

static int64_t start_of(const struct report_run *run)
{
	return run->nodes.items[0].series.head.start_wall;
}

static void sort_runs(struct report_files *files)
{
	for (size_t i = 1; i < files->runs.count; i++) {
		struct report_run run = files->runs.items[i];
		size_t at = i;
		for (; at > 0 && start_of(&run) < start_of(&files->runs.items[at - 1]); at--)
			files->runs.items[at] = files->runs.items[at - 1];
		files->runs.items[at] = run;
	}
}

/* "a.samples, b.samples and 6 more" */
static struct slice name_of(struct arena *arena, const struct report_run *run)
{
	enum { NAMED = 2 };
	struct strbuf out;
	strbuf_init(&out, arena);
	for (size_t i = 0; i < run->nodes.count && i < NAMED; i++)
		strbuf_printf(&out, "%s%.*s", i > 0 ? ", " : "",
		              SLICE_ARG(run->nodes.items[i].file));
	if (run->nodes.count > NAMED)
		strbuf_printf(&out, " and %zu more", run->nodes.count - NAMED);
	return strbuf_slice(&out);
}

static void make_runs(struct reading *r)
{
	struct report_files *files = r->files;
	sort_nodes(&r->nodes);
	for (size_t i = 0; i < r->nodes.count; i++) {
		const struct report_node *node = &r->nodes.items[i];
		size_t at = 0;
		while (at < files->runs.count && !is_of_run(node, &files->runs.items[at]))
			at++;
		if (at == files->runs.count)
			vec_push(r->arena, &files->runs, (struct report_run){.count = 0});
		vec_push(r->arena, &files->runs.items[at].nodes, *node);
	}
	sort_runs(files);
	for (size_t i = 0; i < files->runs.count; i++) {
		struct report_run *run = &files->runs.items[i];
		run->number = i + 1;
		run->count = files->runs.count;
		run->name = run->count == 1 ? files->name : name_of(r->arena, run);
	}
}

/* ---- several files ---- */

/* One of several: whatever it is, the others can be read. */
static void read_member(struct reading *r, struct slice path)
{
	const char *name = arena_cstr(r->arena, path);
	if (os_is_directory(name))
		return;
	/* Opening a FIFO would wait for a writer. */
	struct stat status;
	if (stat(name, &status) == 0 && !S_ISREG(status.st_mode)) {
		vec_push(r->arena, &r->files->problems,
		         arena_printf(r->arena, "%s: not a file of samples", name));
		return;
	}
	if (read_one(r, path) == 0)
		return;
	r->files->is_unread = true;
	vec_push(r->arena, &r->files->problems,
	         arena_printf(r->arena, "cannot read '%s': %s", name, strerror(errno)));
}

/* The files in FOLDER whose names begin with FRONT and end in .samples; the result is how many
 * there are, or -1 with errno. */
static long read_members(struct reading *r, struct slice folder, struct slice front)
{
	struct os_names names = {0};
	long count = 0;
	const char *path = folder.len == 0 ? "." : arena_cstr(r->arena, folder);
	if (os_list_folder(r->arena, path, &names) != 0)
		return -1;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (!slice_ends_with(name, ending) || !slice_starts_with(name, front))
			continue;
		read_member(r, path_join(r->arena, folder, name));
		count++;
	}
	return count;
}

static int read_folder(struct reading *r)
{
	struct report_files *files = r->files;
	if (read_members(r, files->name, SLICE("")) < 0)
		return -1;
	if (r->nodes.count + files->problems.count == 0)
		vec_push(r->arena, &files->problems,
		         arena_printf(r->arena, "%.*s: no file *.samples is in this folder",
		                      SLICE_ARG(files->name)));
	return 0;
}

static int read_all(struct reading *r, const char *path)
{
	int is_folder = os_find_folder(path);
	if (is_folder < 0)
		return -1;
	if (is_folder > 0)
		return read_folder(r);
	if (strcmp(path, "-") != 0 && !os_is_there(path) && errno == ENOENT) {
		struct slice front =
		        arena_printf(r->arena, "%.*s.", SLICE_ARG(path_file(r->files->name)));
		if (read_members(r, path_folder(r->files->name), front) > 0)
			return 0;
		errno = ENOENT;
		return -1;
	}
	return read_one(r, slice_from(path));
}

int report_read(struct arena *arena, const char *path, struct report_files *files,
                struct slice *failed)
{
	struct reading r = {.arena = arena, .files = files};
	*files = (struct report_files){.name = slice_from(path)};
	while (files->name.len > 1 && slice_ends_with(files->name, SLICE("/")))
		files->name.len--;
	*failed = files->name;
	if (read_all(&r, path) != 0)
		return -1;
	make_runs(&r);
	return 0;
}

/* ---- ranges of cells ---- */

/* Reads a number at *AT and moves *AT after it; *OUT is EMPTY without a number. */
static int read_end(struct slice text, size_t *at, unsigned empty, unsigned *out)
{
	enum { MOST = 100000000 };
	size_t begin = *at;
	unsigned number = 0;
	for (; *at < text.len && ascii_is_digit(text.ptr[*at]); ++*at) {
		if (number >= MOST)
			return -1;
		number = number * 10 + (unsigned)(text.ptr[*at] - '0');
	}
	*out = *at > begin ? number : empty;
	return 0;
}

int report_range_parse(struct slice text, struct report_range *out, size_t *at)
{
	*at = 0;
	*out = REPORT_RANGE_ALL;
	if (text.len == 0 || read_end(text, at, 0, &out->first) != 0)
		return -1;
	if (*at == text.len) {
		out->last = out->first;
		return 0;
	}
	if (text.ptr[*at] != ':')
		return -1;
	size_t second = ++*at;
	if (read_end(text, at, UINT32_MAX, &out->last) != 0 || *at < text.len)
		return -1;
	*at = second;
	return out->last < out->first ? -1 : 0;
}
