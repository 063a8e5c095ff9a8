/* The bytes of a notebook. However they arrive, the same is read. */
#include <unistd.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "notebook/plain.h"

/* Some inputs are read with limits that they may reach. */
static const struct notebook_limits low = {
        .nesting = 6, .cells = 3, .cell_bytes = 200, .bytes = 500, .values = 20};

struct reading {
	struct arena arena;
	struct diags diags;
	struct notebook notebook;
	struct strbuf report;
	int status;
};

static void read_notebook(struct reading *r, struct slice text, bool short_reads)
{
	int fd = fuzz_file(text);
	arena_init(&r->arena, NULL);
	diags_init(&r->diags, &r->arena);
	r->notebook = (struct notebook){0};
	fuzz_short_reads(short_reads);
	r->status = notebook_read(&r->arena, fd, SLICE("a.ipynb"),
	                          text.len % 4 == 1 ? &low : &notebook_default_limits, &r->diags,
	                          &r->notebook);
	fuzz_require((r->status == 0) == (r->diags.errors == 0), "a failure is an error");
	r->report = (struct strbuf){.arena = &r->arena};
	fuzz_report(&r->report, &r->notebook, &r->diags, !short_reads && text.len % 8 == 0);
	close(fd);
}

/* Where in a value it is met, that does depend on the chunks. */
static bool meets_limit(const struct reading *r)
{
	for (size_t i = 0; i < r->diags.list.count; i++) {
		if (r->diags.list.items[i].kind == DIAG_LIMIT)
			return true;
	}
	return false;
}

static void check_cells(const struct notebook *notebook)
{
	unsigned last = 0;
	for (size_t i = 0; i < notebook->cells.count; i++) {
		const struct cell *cell = &notebook->cells.items[i];
		fuzz_require(cell->number > last, "cells are numbered");
		last = cell->number;
		fuzz_require(utf8_check(cell->source) == cell->source.len, "a source is UTF-8");
		fuzz_require(utf8_check(cell->id) == cell->id.len, "an id is UTF-8");
		for (size_t k = 0; k < cell->tags.count; k++)
			fuzz_require(utf8_check(cell->tags.items[k]) == cell->tags.items[k].len,
			             "a tag is UTF-8");
	}
}

/* All kernels find the characters that are not plain, which END is the first of. */
static void check_kernels(const char *at, const char *end)
{
	for (size_t i = 0; i < plain_kernel_count; i++) {
		if (plain_kernels[i].is_supported())
			fuzz_require(plain_kernels[i].end(at) == end,
			             "each kernel stops at what is not plain");
	}
}

static void check_plain(struct slice text)
{
	struct arena arena;
	arena_init(&arena, NULL);
	struct strbuf padded = {.arena = &arena};
	strbuf_add(&padded, text);
	for (size_t i = 0; i <= PLAIN_PAD; i++)
		strbuf_addc(&padded, '"');
	const char *end = padded.ptr + text.len;
	for (size_t i = text.len; i-- > 0;) {
		unsigned char c = (unsigned char)padded.ptr[i];
		if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80)
			end = padded.ptr + i;
		check_kernels(padded.ptr + i, end);
	}
	arena_release(&arena);
}

static void compare_cells(const struct cell *a, const struct cell *b)
{
	fuzz_require(a->type == b->type && a->file_line == b->file_line &&
	                     a->lines_from == b->lines_from && a->tags.count == b->tags.count,
	             "a cell does not depend on the chunks in which it is read");
	fuzz_require_equal(a->source, b->source, "nor does its source");
	fuzz_require_equal(a->id, b->id, "nor its id");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading one, other;
	check_plain(slice_sub(fuzz_input(data, size), 0, 256));
	read_notebook(&one, fuzz_input(data, size), false);
	read_notebook(&other, fuzz_input(data, size), true);
	fuzz_require(one.status == other.status, "the status does not depend on the chunks");
	if (!meets_limit(&one) || !meets_limit(&other))
		fuzz_require_equal(strbuf_slice(&one.report), strbuf_slice(&other.report),
		                   "reports do not depend on the chunks in which a file is read");
	check_cells(&one.notebook);
	if (one.status == 0) {
		fuzz_check_places(&one.diags, &one.notebook);
		fuzz_require(one.notebook.cells.count == other.notebook.cells.count,
		             "the number of cells does not depend on the chunks");
		for (size_t i = 0; i < one.notebook.cells.count; i++)
			compare_cells(&one.notebook.cells.items[i], &other.notebook.cells.items[i]);
	}
	arena_release(&one.arena);
	arena_release(&other.arena);
	return 0;
}
