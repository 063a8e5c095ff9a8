/* For the tests of the reader: reads a notebook from memory, and compares what came out. */
#pragma once

#include <errno.h>

#include "base/os.h"
#include "notebook/notebook.h"
#include "unit.h"
#include "value_helpers.h"

/* What the reader's system calls find in the "file". */
static struct {
	struct slice rest;
	size_t at_most; /* bytes one read gives */
	int error;      /* errno of the read after the last byte; 0: end of file */
} memory_file;

static inline ssize_t read_memory(int fd, void *buffer, size_t size)
{
	(void)fd;
	if (memory_file.rest.len == 0 && memory_file.error != 0) {
		errno = memory_file.error;
		return -1;
	}
	size_t len = size < memory_file.at_most ? size : memory_file.at_most;
	struct slice part = slice_sub(memory_file.rest, 0, len);
	if (part.len > 0)
		memcpy(buffer, part.ptr, part.len);
	memory_file.rest = slice_sub(memory_file.rest, part.len, memory_file.rest.len);
	return (ssize_t)part.len;
}

struct reading {
	struct arena arena;
	struct diags diags;
	struct notebook notebook;
	int result;
};

static inline int set_up(void **state)
{
	static struct os_calls calls;
	static struct reading reading;
	calls = os_system_calls;
	calls.read = read_memory;
	os_set_calls(&calls);
	memory_file.error = 0;
	arena_init(&reading.arena, NULL);
	*state = &reading;
	return 0;
}

static inline int tear_down(void **state)
{
	struct reading *r = *state;
	arena_release(&r->arena);
	os_set_calls(NULL);
	return 0;
}

static inline void read_pieces(struct reading *r, struct slice text, size_t at_most)
{
	memory_file.rest = text;
	memory_file.at_most = at_most;
	diags_init(&r->diags, &r->arena);
	r->result = notebook_read(&r->arena, 99, SLICE("a.ipynb"), &notebook_default_limits,
	                          &r->diags, &r->notebook);
}

static inline void assert_slices(struct slice got, struct slice expected)
{
	assert_int_equal(got.len, expected.len);
	if (expected.len > 0)
		assert_memory_equal(got.ptr, expected.ptr, expected.len);
}

/* Reads a text of any length, of which byte by byte would take too long. */
static inline void read_long(struct reading *r, struct slice text)
{
	read_pieces(r, text, SIZE_MAX);
}

/* In one piece, and byte by byte, which must not make a difference. */
static inline void read_slice(struct reading *r, struct slice text)
{
	read_pieces(r, text, 1);
	struct reading bytewise = *r;
	read_long(r, text);
	assert_int_equal(r->result, bytewise.result);
	assert_int_equal(r->diags.list.count, bytewise.diags.list.count);
	for (size_t i = 0; i < r->diags.list.count; i++) {
		struct diag *a = &r->diags.list.items[i], *b = &bytewise.diags.list.items[i];
		assert_int_equal(a->where.line, b->where.line);
		assert_int_equal(a->where.column, b->where.column);
		assert_slices(a->where.text, b->where.text);
		assert_slices(a->message, b->message);
	}
	assert_int_equal(r->notebook.cells.count, bytewise.notebook.cells.count);
}

static inline void read_text(struct reading *r, const char *text)
{
	read_slice(r, slice_from(text));
}

/* A notebook of one cell with the given members; nbformat 4 unless MORE says something else. */
static inline void read_cell(struct reading *r, const char *members, const char *more)
{
	struct slice text = arena_printf(
	        &r->arena, "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", %s}]%s}",
	        members, more);
	read_slice(r, text);
}

static inline struct cell *cell_at(struct reading *r, size_t i)
{
	assert_int_equal(r->result, 0);
	assert_true(i < r->notebook.cells.count);
	return &r->notebook.cells.items[i];
}

/* The one diagnostic there is. */
static inline struct diag *only_diag(struct reading *r, enum diag_kind kind)
{
	assert_int_equal(r->diags.list.count, 1);
	struct diag *diag = &r->diags.list.items[0];
	assert_string_equal(diag_row(diag->kind)->name, diag_row(kind)->name);
	return diag;
}

static inline struct diag *only_error(struct reading *r, enum diag_kind kind)
{
	assert_int_equal(r->result, -1);
	return only_diag(r, kind);
}

static inline void assert_silent(struct reading *r)
{
	assert_int_equal(r->result, 0);
	assert_int_equal(r->diags.list.count, 0);
}

static inline void assert_place(const struct diag *diag, unsigned cell, unsigned line,
                                unsigned column)
{
	assert_int_equal(diag->where.cell, cell);
	assert_int_equal(diag->where.line, line);
	assert_int_equal(diag->where.column, column);
}

static inline void assert_config(struct reading *r, const char *expected)
{
	struct strbuf out = {.arena = &r->arena};
	if (r->notebook.config != NULL)
		show_value(&out, r->notebook.config);
	assert_text(strbuf_slice(&out), expected);
}
