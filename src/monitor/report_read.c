#include <errno.h>

#include "base/os.h"
#include "base/paths.h"
#include "monitor/report.h"
#include "monitor/series_file.h"
#include "monitor/series_format.h"

static const size_t most = (size_t)1 << 30; /* bytes of a file */

static int read_one(struct arena *arena, struct slice path, struct report_run *run,
                    struct slice *failed)
{
	struct report_node node = {.file = path};
	struct strbuf text;
	struct slice problem;
	strbuf_init(&text, arena);
	if (os_read_file_that_begins(arena_cstr(arena, path), SLICE(SERIES_MAGIC), &text, most) !=
	    0) {
		*failed = path;
		return -1;
	}
	if (series_read(arena, strbuf_slice(&text), &node.series, &problem) == 0)
		vec_push(arena, &run->nodes, node);
	else
		vec_push(arena, &run->problems,
		         arena_printf(arena, "%.*s: %.*s", SLICE_ARG(path), SLICE_ARG(problem)));
	return 0;
}

static int compare_slices(struct slice a, struct slice b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_before(const struct report_node *a, const struct report_node *b)
{
	const struct series_head *x = &a->series.head, *y = &b->series.head;
	return x->node != y->node ? x->node < y->node : compare_slices(x->host, y->host) < 0;
}

/* They are in the order of their names. */
static void sort_nodes(struct report_run *run)
{
	for (size_t i = 1; i < run->nodes.count; i++) {
		struct report_node node = run->nodes.items[i];
		size_t at = i;
		for (; at > 0 && is_before(&node, &run->nodes.items[at - 1]); at--)
			run->nodes.items[at] = run->nodes.items[at - 1];
		run->nodes.items[at] = node;
	}
}

/* Such files cannot be of one run. */
static void check_nodes(struct arena *arena, struct report_run *run)
{
	for (size_t i = 1; i < run->nodes.count; i++) {
		const struct report_node *a = &run->nodes.items[i - 1], *b = &run->nodes.items[i];
		if (is_before(a, b))
			continue;
		vec_push(arena, &run->problems,
		         arena_printf(arena,
		                      "%.*s and %.*s are of the same node, so not of one run",
		                      SLICE_ARG(a->file), SLICE_ARG(b->file)));
	}
}

/* One of several: whatever it is, the others can be read. */
static void read_member(struct arena *arena, struct slice path, struct report_run *run)
{
	enum os_occupant occupant;
	struct slice failed;
	const char *name = arena_cstr(arena, path);
	if (os_is_directory(name))
		return;
	/* Opening a FIFO would wait for who writes into it. */
	if (os_occupant(name, SLICE(SERIES_MAGIC), &occupant) == 0 && occupant == OS_SPECIAL) {
		vec_push(arena, &run->problems,
		         arena_printf(arena, "%s: not a file of samples", name));
		return;
	}
	if (read_one(arena, path, run, &failed) == 0)
		return;
	run->is_unread = true;
	vec_push(arena, &run->problems,
	         arena_printf(arena, "cannot read '%s': %s", name, strerror(errno)));
}

static int read_folder(struct arena *arena, const char *path, struct report_run *run,
                       struct slice *failed)
{
	struct os_names names = {0};
	*failed = run->name;
	if (os_list_folder(arena, path, &names) != 0)
		return -1;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (slice_ends_with(name, SLICE(".samples")))
			read_member(arena, path_join(arena, run->name, name), run);
	}
	if (run->nodes.count + run->problems.count == 0)
		vec_push(arena, &run->problems,
		         arena_printf(arena, "%s: no file *.samples is in this folder", path));
	sort_nodes(run);
	check_nodes(arena, run);
	return 0;
}

int report_run_read(struct arena *arena, const char *path, struct report_run *run,
                    struct slice *failed)
{
	*run = (struct report_run){.name = slice_from(path)};
	while (run->name.len > 1 && slice_ends_with(run->name, SLICE("/")))
		run->name.len--;
	int is_folder = os_find_folder(path);
	*failed = run->name;
	if (is_folder != 0)
		return is_folder < 0 ? -1 : read_folder(arena, path, run, failed);
	return read_one(arena, slice_from(path), run, failed);
}

/* Reads a number at *AT, which moves behind it; EMPTY where there is none. */
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
