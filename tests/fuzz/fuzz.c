#include "fuzz.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "base/utf8.h"
#include "diag/diag_report.h"

enum { JSON_READ_MAX = 64 * 1024 }; /* reading longer ones would take most of the time */

static struct {
	struct os_calls calls;
	const char *folder;
	bool short_reads;
	unsigned reads;
} system_of;

/* libFuzzer has threads of its own: one of them would take the signal of a child's end from the thread that waits. */
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
	(void)count;
	(void)arguments;
	sigset_t ended;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	return sigprocmask(SIG_BLOCK, &ended, NULL);
}

void fuzz_require(bool holds, const char *property)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: violated: %s\n", property);
	abort();
}

void fuzz_require_equal(struct slice a, struct slice b, const char *property)
{
	if (slice_eq(a, b))
		return;
	fprintf(stderr, "fuzz: violated: %s:\n--- one\n%.*s\n--- other\n%.*s\n", property,
	        SLICE_ARG(a), SLICE_ARG(b));
	abort();
}

int fuzz_file(struct slice text)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	fuzz_require(fd >= 0 && os_write_all(fd, text) == 0 && lseek(fd, 0, SEEK_SET) == 0,
	             "the machine has memory for an input");
	return fd;
}

static int open_below(const char *path, int flags, unsigned mode)
{
	struct slice name = slice_from(path);
	if (slice_starts_with(name, slice_from(system_of.folder)) &&
	    slice_find_slice(name, SLICE(".."), 0) == name.len)
		return os_system_calls.open(path, flags, mode);
	errno = EACCES;
	return -1;
}

void fuzz_read_only_below(const char *folder)
{
	if (system_of.folder == NULL)
		system_of.calls = os_system_calls;
	system_of.folder = folder;
	system_of.calls.open = open_below;
	os_set_calls(&system_of.calls);
}

static ssize_t read_little(int fd, void *buffer, size_t size)
{
	static const size_t sizes[] = {1, 2, 3, 5, 1, 17, 64, 1, 4096};
	size_t most = sizes[system_of.reads++ % (sizeof sizes / sizeof *sizes)];
	return read(fd, buffer, size < most ? size : most);
}

void fuzz_short_reads(bool wanted)
{
	if (system_of.folder == NULL)
		system_of.calls = os_system_calls;
	system_of.reads = 0;
	system_of.calls.read = wanted ? read_little : os_system_calls.read;
	os_set_calls(&system_of.calls);
}

/* Line NUMBER of TEXT; behind a final line end there is an empty one. */
static struct slice line_of(struct slice text, unsigned number)
{
	struct slice rest = text, line = slice_sub(text, 0, 0);
	unsigned count = 0;
	while (count < number && slice_next_line(&rest, &line))
		count++;
	if (count < number) {
		fuzz_require(count + 1 == number, "a place lies in the lines of its cell");
		line = slice_sub(text, text.len, text.len);
	}
	return line;
}

/* The source of cell NUMBER; empty where that one is none that can be read. */
static struct slice source_of(const struct notebook *notebook, unsigned number)
{
	for (size_t i = 0; i < notebook->cells.count; i++) {
		if (notebook->cells.items[i].number == number)
			return notebook->cells.items[i].source;
	}
	return slice_make("", 0);
}

static void check_place(const struct location *where, const struct notebook *notebook)
{
	if (where->text.len > 0) {
		size_t before = where->column - 1;
		fuzz_require(where->column > where->skipped, "a place lies in what is shown of it");
		fuzz_require(before - where->skipped <= utf8_length(where->text),
		             "a place lies in the line that is shown");
	}
	if (where->cell == 0 || where->line == 0 || where->file.len > 0)
		return;
	struct slice line = line_of(source_of(notebook, where->cell), where->line);
	size_t length = utf8_length(line);
	fuzz_require(where->column >= 1 && where->column - 1 <= length, "a place lies in its line");
	fuzz_require(where->column - 1 + where->length <= length, "a place ends in its line");
}

void fuzz_check_places(const struct diags *diags, const struct notebook *notebook)
{
	for (size_t i = 0; i < diags->list.count; i++) {
		const struct diag *diag = &diags->list.items[i];
		check_place(&diag->where, notebook);
		fuzz_require(diag->message.len > 0, "a diagnostic has a message");
	}
}

void fuzz_check_terminal(struct slice text)
{
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t c = utf8_decode(slice_sub(text, at, text.len), &len);
		fuzz_require(c != UTF8_INVALID, "a report is UTF-8");
		fuzz_require(c == '\n' || c == '\t' || !utf8_acts(c),
		             "a report does nothing to a terminal");
	}
}

static void report_as(struct strbuf *out, enum diag_report_format format,
                      const struct diag_report_file *file, const struct diags *diags)
{
	struct diag_report report;
	struct diag_report_options options = {.format = format, .version = "0"};
	size_t before = out->len;
	diag_report_begin(&report, &options, out);
	diag_report_add(&report, file, diags);
	diag_report_end(&report);
	struct slice text = slice_sub(strbuf_slice(out), before, out->len);
	if (format == DIAG_REPORT_TEXT)
		fuzz_check_terminal(text);
	else
		fuzz_check_json(text, "a report in JSON is JSON");
}

void fuzz_report(struct strbuf *out, const struct notebook *notebook, struct diags *diags,
                 bool all_formats)
{
	size_t count = notebook_last_cell(notebook);
	struct diag_report_cell *cells = arena_calloc(out->arena, count, sizeof *cells);
	for (size_t i = 0; i < notebook->cells.count; i++) {
		const struct cell *cell = &notebook->cells.items[i];
		cells[cell->number - 1] =
		        (struct diag_report_cell){cell->file_line, cell->lines_from};
	}
	struct diag_report_file file = {
	        .name = SLICE("a.ipynb"), .cells = cells, .cell_count = count};
	diags_sort(diags);
	report_as(out, DIAG_REPORT_TEXT, &file, diags);
	struct strbuf others = {.arena = out->arena};
	if (!all_formats)
		return;
	report_as(&others, DIAG_REPORT_JSON, &file, diags);
	report_as(&others, DIAG_REPORT_SARIF, &file, diags);
}

void fuzz_check_text(struct slice text, const char *what)
{
	fuzz_require(text.len > 0 && text.ptr[text.len - 1] == '\n', what);
	fuzz_require(utf8_check(text) == text.len, what);
}

void fuzz_check_json(struct slice text, const char *what)
{
	/* The integers of JSON have no limit, but those of jansson have. */
	const size_t flags =
	        JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
	if (text.len > JSON_READ_MAX)
		return;
	json_error_t error;
	json_t *json = json_loadb(text.ptr, text.len, flags, &error);
	if (json == NULL)
		fprintf(stderr, "%.*s\nfuzz: %s\n", SLICE_ARG(text), error.text);
	fuzz_require(json != NULL, what);
	json_decref(json);
}
