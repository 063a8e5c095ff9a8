/* The files of a recording, as a killed process may leave them: reading them, their events, the profile and the table
 * that are made of them. An input is a list of files: a byte for the name, four for the size, the bytes. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "fuzz.h"
#include "report/report_profile.h"
#include "trace/cubex_write.h"
#include "trace/recording_read.h"

#include <sys/stat.h>

static const char *const names[] = {"process",  "regions",  "0.location", "0.nodes",
                                    "0.latest", "0.events", "lines"};
enum { NAME_COUNT = sizeof names / sizeof *names };

static void write_file(struct arena *arena, struct slice folder, size_t name, struct slice content)
{
	const struct os_file *failed;
	const struct os_file file = {
	        .path = arena_cstr(arena, path_join(arena, folder, slice_from(names[name]))),
	        .text = content,
	        .mode = 0600};
	(void)os_put_files(arena, &file, 1, &failed);
}

static void write_files(struct arena *arena, struct slice folder, struct slice input)
{
	enum { HEAD = 5 };
	while (input.len >= HEAD) {
		uint32_t size;
		memcpy(&size, input.ptr + 1, sizeof size);
		size_t name = (unsigned char)input.ptr[0] % NAME_COUNT;
		write_file(arena, folder, name, slice_sub(input, HEAD, HEAD + (size_t)size));
		input = slice_sub(input, HEAD + (size_t)size, input.len);
	}
}

struct checked {
	uint64_t last;
	size_t depth;
};

static int check_event(void *data, enum recording_event kind, uint32_t region, uint64_t time)
{
	struct checked *checked = data;
	(void)region;
	fuzz_require(time >= checked->last, "times do not go back");
	fuzz_require(kind == RECORDING_ENTER || checked->depth > 0, "each leave has its enter");
	checked->last = time;
	checked->depth += kind == RECORDING_ENTER ? 1 : (size_t)-1;
	return 0;
}

static void check(struct arena *arena, const char *directory)
{
	struct recording recording;
	const struct measurement *m = &recording.measurement;
	if (recording_read(&recording, arena, slice_from(directory)) != 0)
		return;
	for (size_t i = 0; i < m->locations.count; i++) {
		struct checked checked = {0};
		if (recording_events(&recording, i, check_event, &checked) == 0)
			fuzz_require(checked.depth == 0, "each enter has its leave");
		else
			fuzz_require(errno == ENOENT,
			             "only events without a file are not read to their end");
	}
	if (m->locations.count == 0)
		return;
	struct strbuf table = {.arena = arena};
	report_slow_cells(&table, m);
	fuzz_check_terminal(strbuf_slice(&table));
	fuzz_require(cubex_write(arena, m).len > 0, "a profile is written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	arena_init(&arena, NULL);
	const char *directory = scratch_make(&arena);
	if (directory == NULL)
		return 0;
	struct slice top = path_join(&arena, slice_from(directory), SLICE(RECORDING_FOLDER));
	struct slice folder = path_join(&arena, top, SLICE("1"));
	(void)mkdir(arena_cstr(&arena, top), 0700);
	(void)mkdir(arena_cstr(&arena, folder), 0700);
	write_files(&arena, folder, fuzz_input(data, size));
	check(&arena, directory);
	(void)scratch_remove(directory);
	arena_release(&arena);
	return 0;
}
