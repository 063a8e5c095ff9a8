/* The package writes the metadata of a cell on one line, and there `"nbscorep": {"cell": 7` at first
 * (templates/scorep_notebook/executed_notebook.py). So the figures are put after this text, and nothing else is read. */
#include "report/report_notebook.h"

#include <math.h>
#include <sys/stat.h>

#include "base/os_put.h"

#define MARKER SLICE("\"nbscorep_run\": {") /* in the metadata of the notebook, at its end */
#define METADATA SLICE("   \"metadata\": {")
#define BEGINNING SLICE("\"nbscorep\": {\"cell\": ")

enum { LIMIT = 1 << 30, TAIL = 1 << 12 };

static void put_number(struct strbuf *out, const char **between, struct slice name, double value,
                       int decimals)
{
	if (!isfinite(value))
		return;
	strbuf_printf(out, "%s\"%.*s\": %.*f", *between, SLICE_ARG(name), decimals, value);
	*between = ", ";
}

static void put_figures(struct strbuf *out, const struct figures *figures)
{
	enum { TIME_DECIMALS = 6 };
	const char *between = ", ";
	put_number(out, &between, SLICE("core_seconds"), figures->core_seconds, TIME_DECIMALS);
	put_number(out, &between, SLICE("cpu_percent"), figures->cpu.mean, 1);
	put_number(out, &between, SLICE("memory_peak"), figures->memory_peak, 0);
	put_number(out, &between, SLICE("memory_change"), figures->memory_change, 0);
	strbuf_puts(out, ", \"counters\": {");
	between = "";
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		put_number(out, &between, metric_row(i)->name, figures->grown[i], 0);
	strbuf_puts(out, "}, \"gauges\": {");
	between = "";
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		put_number(out, &between, metric_row(i)->name, figures->gauges[i].mean, 3);
	strbuf_puts(out, "}");
}

/* Appends LINE of the notebook, with figures if it has the metadata of a cell of REPORT. */
static void put_line(struct strbuf *out, const struct report *report, struct slice line)
{
	size_t at =
	        slice_starts_with(line, METADATA) ? slice_find_slice(line, BEGINNING, 0) : line.len;
	if (at < line.len) {
		at += BEGINNING.len;
		unsigned number = 0;
		while (at < line.len && ascii_is_digit(line.ptr[at]))
			number = 10 * number + (unsigned)(line.ptr[at++] - '0');
		strbuf_add(out, slice_sub(line, 0, at));
		line = slice_sub(line, at, line.len);
		vec_each(const struct report_row, row, &report->rows) {
			if (row->number == number && row->repeat == 0)
				put_figures(out, &row->figures);
		}
	}
	strbuf_add(out, line);
	strbuf_addc(out, '\n');
}

int report_add_to_notebook(const struct report *report, const char *path)
{
	struct stat about;
	const struct os_file *failed;
	struct strbuf text = {.arena = report->arena}, out = {.arena = report->arena};
	if (stat(path, &about) != 0 || os_read_file(path, &text, LIMIT) != 0)
		return -1;
	struct slice rest = strbuf_slice(&text), line;
	if (slice_find_slice(rest, MARKER, rest.len > TAIL ? rest.len - TAIL : 0) == rest.len)
		return os_fail(EINVAL);
	while (slice_next_line(&rest, &line))
		put_line(&out, report, line);
	const struct os_file file = {
	        .path = path, .text = strbuf_slice(&out), .mode = about.st_mode & 0777};
	return os_put_files(report->arena, &file, 1, &failed);
}
