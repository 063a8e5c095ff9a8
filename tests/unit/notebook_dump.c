/* Prints notebooks as the reader sees them, one JSON object a line: for each FILE a line with what
 * notebook_read() returned and its diagnostics, then a line for each cell. For comparisons with
 * other readers (tests/corpus/compare_reader.py). With --bytewise as the first argument, each read
 * gives one byte only. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/os.h"
#include "notebook/notebook.h"
#include "value_helpers.h"

static void add_text(struct strbuf *out, const char *key, struct slice text)
{
	strbuf_printf(out, "\"%s\": ", key);
	json_quote(out, text);
}

static void add_diag(struct strbuf *out, const struct diag *diag)
{
	const struct location *where = &diag->where;
	strbuf_addc(out, '{');
	add_text(out, "kind", slice_from(diag_row(diag->kind)->name));
	strbuf_printf(out, ", \"severity\": %d, \"cell\": %u, \"line\": %u, \"column\": %u, ",
	              (int)diag->severity, where->cell, where->line, where->column);
	add_text(out, "message", diag->message);
	strbuf_puts(out, ", ");
	add_text(out, "hint", diag->hint);
	strbuf_puts(out, ", ");
	add_text(out, "text", where->text);
	strbuf_addc(out, '}');
}

static void add_cell(struct strbuf *out, const struct cell *cell)
{
	static const char *const types[] = {
	        [CELL_CODE] = "code", [CELL_MARKDOWN] = "markdown", [CELL_RAW] = "raw"};
	strbuf_printf(out, "{\"type\": \"%s\", \"number\": %u, \"file_line\": %u, ",
	              types[cell->type], cell->number, cell->file_line);
	add_text(out, "id", cell->id);
	strbuf_puts(out, ", ");
	add_text(out, "source", cell->source);
	strbuf_puts(out, ", \"tags\": [");
	for (size_t i = 0; i < cell->tags.count; i++) {
		strbuf_puts(out, i == 0 ? "" : ", ");
		json_quote(out, cell->tags.items[i]);
	}
	strbuf_puts(out, "]}\n");
}

static void dump(struct arena *arena, const char *path, struct strbuf *out)
{
	struct diags diags;
	struct notebook notebook;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	diags_init(&diags, arena);
	int result = notebook_read(arena, fd, slice_from(path), &notebook_default_limits, &diags,
	                           &notebook);
	close(fd);
	strbuf_addc(out, '{');
	add_text(out, "file", slice_from(path));
	strbuf_printf(out, ", \"result\": %d, \"nbformat\": %u, ", result, notebook.nbformat);
	struct strbuf config = {.arena = arena};
	if (notebook.config != NULL)
		show_value(&config, notebook.config);
	add_text(out, "config", strbuf_slice(&config));
	strbuf_puts(out, ", \"diagnostics\": [");
	for (size_t i = 0; i < diags.list.count; i++) {
		strbuf_puts(out, i == 0 ? "" : ", ");
		add_diag(out, &diags.list.items[i]);
	}
	strbuf_puts(out, "]}\n");
	for (size_t i = 0; result == 0 && i < notebook.cells.count; i++)
		add_cell(out, &notebook.cells.items[i]);
}

static int dump_file(const char *path)
{
	jmp_buf failed;
	struct arena arena;
	arena_init(&arena, &failed);
	if (setjmp(failed) != 0) {
		arena_release(&arena);
		fputs("out of memory\n", stderr);
		return 3;
	}
	struct strbuf out = {.arena = &arena};
	dump(&arena, path, &out);
	fwrite(out.ptr, 1, out.len, stdout);
	arena_release(&arena);
	return 0;
}

static ssize_t read_byte(int fd, void *buffer, size_t size)
{
	return read(fd, buffer, size > 0 ? 1 : 0);
}

int main(int argc, char **argv)
{
	struct os_calls calls = os_system_calls;
	calls.read = read_byte;
	int first = 1;
	if (argc > 1 && strcmp(argv[1], "--bytewise") == 0) {
		os_set_calls(&calls);
		first = 2;
	}
	for (int i = first; i < argc; i++) {
		if (dump_file(argv[i]) != 0)
			return 3;
	}
	return fflush(stdout) == 0 ? 0 : 3;
}
