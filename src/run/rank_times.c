#include "run/rank_times.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/strbuf.h"

enum { FILE_MAX = 1 << 26 };

#define PREFIX SLICE("rank-")

static void read_rank(struct arena *arena, const char *path, struct slice name,
                      const struct progress *of, bool well, rank_list *out)
{
	struct progress rank = {.reads = -1};
	struct strbuf text;
	strbuf_init(&text, arena);
	if (os_read_file(path, &text, FILE_MAX) != 0)
		return;
	for (size_t i = 0; i < of->cells.count; i++) {
		struct progress_cell cell = of->cells.items[i];
		cell.state = CELL_NOT_REACHED;
		cell.begin = cell.end = 0;
		vec_push(arena, &rank.cells, cell);
	}
	progress_replay(&rank, strbuf_slice(&text), well);
	vec_push(arena, out, (struct rank_times){arena_dup(arena, name), rank.cells.items});
}

/* By number, then by name. */
static int compare(const void *left, const void *right)
{
	const struct rank_times *a = left, *b = right;
	long first = strtol(a->name.ptr, NULL, 10), second = strtol(b->name.ptr, NULL, 10);
	if (first != second)
		return first < second ? -1 : 1;
	return strcmp(a->name.ptr, b->name.ptr);
}

static bool is_timed(const struct progress *progress)
{
	for (size_t i = 0; i < progress->cells.count; i++) {
		if (cell_state_is_timed(progress->cells.items[i].state))
			return true;
	}
	return false;
}

void rank_times_read(struct arena *arena, const char *folder, const struct progress *progress,
                     bool well, rank_list *out)
{
	DIR *files = opendir(folder);
	if (files == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
		struct slice name = slice_from(entry->d_name);
		if (!slice_starts_with(name, PREFIX))
			continue;
		const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name).ptr;
		read_rank(arena, path, slice_sub(name, PREFIX.len, name.len), progress, well, out);
	}
	closedir(files);
	if (out->count == 1 && is_timed(progress))
		out->count = 0;
	else if (out->count > 1)
		qsort(out->items, out->count, sizeof *out->items, compare);
}

bool rank_times_has(const struct progress_cell *cell)
{
	return cell_state_is_timed(cell->state) && cell->state != CELL_RUNS;
}

struct rank_spread rank_times_spread(const rank_list *ranks, size_t index)
{
	struct rank_spread spread = {0};
	for (size_t i = 0; i < ranks->count; i++) {
		const struct progress_cell *cell = &ranks->items[i].cells[index];
		int64_t time = cell->end - cell->begin;
		spread.states[cell->state]++;
		if (!rank_times_has(cell))
			continue;
		if (spread.timed == 0 || time < spread.minimum)
			spread.minimum = time;
		if (spread.timed == 0 || time > spread.maximum) {
			spread.maximum = time;
			spread.slowest = ranks->items[i].name;
		}
		spread.timed++;
		spread.mean += ((double)time - spread.mean) / (double)spread.timed;
	}
	return spread;
}
