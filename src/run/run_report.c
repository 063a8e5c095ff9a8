#include "run/run_report.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "diag/message.h"
#include "driver/compile.h"
#include "emit/emit.h"
#include "ir/ir.h"
#include "process/scratch.h"
#include "run/summary.h"

/* ---- cells ---- */

/* Lists the cells of a program for its progress and its summary. */

enum { TITLE_MAX = 72 };

static struct slice first_line(struct slice text)
{
	struct slice line = slice_make("", 0);
	while (slice_trim(line).len == 0 && slice_next_line(&text, &line))
		;
	return slice_trim(line);
}

/* Returns the first line below the cell's magics that is not blank, or else its first line. */
static struct slice title_of(struct arena *arena, const struct block *block)
{
	struct slice line = first_line(block->code.text);
	struct strbuf out;
	strbuf_init(&out, arena);
	line = line.len > 0 ? line : first_line(block->source);
	size_t at = 0, len = 0;
	for (size_t i = 0; at < line.len && i < TITLE_MAX; i++, at += len)
		utf8_decode(slice_sub(line, at, line.len), &len);
	terminal_text(&out, slice_sub(line, 0, at));
	strbuf_puts(&out, at < line.len ? "..." : "");
	return strbuf_slice(&out);
}

/* A cell that runs, as it is reported to the user. */
struct told_cell {
	unsigned number;
	bool instrumented;
	struct slice title;  /* its first line, safe for a terminal */
	struct slice source; /* its source, as in the notebook */
};
typedef VECTOR(struct told_cell) cell_list;

static void list_cell(struct arena *arena, const struct block *block, cell_list *out)
{
	bool runs = (block_is_code(block) || block_is_called(block)) &&
	            (block->frame != FRAME_NONE || block->has_statement);
	struct told_cell cell = {
	        .number = block->cell,
	        .instrumented = block_is_instrumented(block),
	        .source = block->source,
	};
	if (!runs || slice_trim(block->source).len == 0)
		return;
	cell.title = title_of(arena, block);
	vec_push(arena, out, cell);
}

/* ---- their times ---- */

/* Writes the times of cells as JSON and CSV. */

enum { NS = 1000000000 };

/* Nine digits can hold nanoseconds, a double cannot. */
static struct slice seconds(struct arena *arena, int64_t time)
{
	return arena_printf(arena, "%lld.%09lld", (long long)(time / NS), (long long)(time % NS));
}

static void add_field(struct strbuf *out, struct slice text)
{
	strbuf_addc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		strbuf_puts(out, text.ptr[i] == '"' ? "\"" : "");
		strbuf_addc(out, text.ptr[i]);
	}
	strbuf_addc(out, '"');
}

static void add_rank_csv(struct strbuf *out, const struct rank_times *rank, size_t cells)
{
	for (size_t i = 0; i < cells; i++) {
		const struct progress_cell *cell = &rank->cells[i];
		struct slice time = seconds(out->arena, cell->end - cell->begin);
		strbuf_printf(out, "%.*s,%u,%s,%s,%.*s,", SLICE_ARG(rank->name), cell->number,
		              cell->instrumented ? "true" : "false", cell_state_name(cell->state),
		              rank_times_has(cell) ? (int)time.len : 0, time.ptr);
		add_field(out, cell->title);
		strbuf_addc(out, '\n');
	}
}

static void cell_times_csv(struct strbuf *out, const struct summary *summary)
{
	if (summary->ranks.count > 0) {
		strbuf_puts(out, CELL_TIMES_RANKS_MARKER);
		for (size_t i = 0; i < summary->ranks.count; i++)
			add_rank_csv(out, &summary->ranks.items[i], summary->progress->cells.count);
		return;
	}
	strbuf_puts(out, CELL_TIMES_CSV_MARKER);
	for (size_t i = 0; i < summary->progress->cells.count; i++) {
		const struct progress_cell *cell = &summary->progress->cells.items[i];
		bool timed = cell_state_is_timed(cell->state);
		struct slice begin = seconds(out->arena, cell->begin);
		struct slice time = seconds(out->arena, cell->end - cell->begin);
		strbuf_printf(out, "%u,%s,%s,%.*s,%.*s,", cell->number,
		              cell->instrumented ? "true" : "false", cell_state_name(cell->state),
		              timed ? (int)begin.len : 0, begin.ptr, timed ? (int)time.len : 0,
		              time.ptr);
		add_field(out, cell->title);
		strbuf_addc(out, '\n');
	}
}

static void add_seconds(struct json_writer *json, const char *key, int64_t time)
{
	json_put_key(json, key);
	json_put_decimal(json, seconds(json->out->arena, time));
}

static void add_ranks(struct json_writer *json, const rank_list *ranks, size_t index)
{
	const struct rank_spread spread = rank_times_spread(ranks, index);
	if (spread.timed > 0) {
		add_seconds(json, "minimum", spread.minimum);
		add_seconds(json, "mean", (int64_t)spread.mean);
		add_seconds(json, "maximum", spread.maximum);
	}
	json_put_source(json, "'ranks': [");
	for (size_t i = 0; i < ranks->count; i++) {
		const struct progress_cell *cell = &ranks->items[i].cells[index];
		json_put_source(json, "{");
		json_put_key(json, "rank");
		if (slice_find_slice(ranks->items[i].name, SLICE("-"), 0) <
		    ranks->items[i].name.len)
			json_put_string(json, ranks->items[i].name);
		else
			json_put_decimal(json, ranks->items[i].name);
		json_member_string(json, "state", slice_from(cell_state_name(cell->state)));
		if (rank_times_has(cell))
			add_seconds(json, "seconds", cell->end - cell->begin);
		json_put_source(json, "}");
	}
	json_put_source(json, "]");
}

static void add_cell(struct json_writer *json, const struct summary *summary, size_t index)
{
	const struct progress_cell *cell = &summary->progress->cells.items[index];
	json_put_source(json, "{");
	json_member_number(json, "cell", cell->number);
	json_member_string(json, "first_line", cell->title);
	json_put_key(json, "instrumented");
	json_put_bool(json, cell->instrumented);
	if (summary->ranks.count > 0) {
		add_ranks(json, &summary->ranks, index);
		json_put_source(json, "}");
		return;
	}
	json_member_string(json, "state", slice_from(cell_state_name(cell->state)));
	if (cell_state_is_timed(cell->state)) {
		add_seconds(json, "begin", cell->begin);
		add_seconds(json, "seconds", cell->end - cell->begin);
	}
	json_put_source(json, "}");
}

/* For programs (nbscorep-run(1), --cell-times). */
static void cell_times_json(struct strbuf *out, const struct summary *summary)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_put_source(&json, "{");
	json_member_string(&json, "generator", SLICE("nbscorep run"));
	json_member_number(&json, "version", 1);
	json_member_string(&json, "notebook", summary->notebook);
	json_put_key(&json, "measured");
	json_put_bool(&json, summary->measured);
	json_member_number(&json, "status", summary->status);
	add_seconds(&json, "seconds", summary->progress->end - summary->progress->start);
	if (summary->experiment != NULL) {
		json_member_string(&json, "experiment_directory", summary->experiment->path);
	}
	json_put_source(&json, "'cells': [");
	for (size_t i = 0; i < summary->progress->cells.count; i++)
		add_cell(&json, summary, i);
	json_put_source(&json, "]}");
	strbuf_addc(out, '\n');
}

/* ---- the summary ---- */

static bool is_json(const char *path)
{
	return slice_ends_with(slice_from(path), SLICE(".json"));
}

/* The program starts in another folder. */
static const char *absolute_path(struct arena *arena, const char *path)
{
	char folder[4096];
	if (path[0] == '/' || getcwd(folder, sizeof folder) == NULL)
		return path;
	return arena_printf(arena, "%s/%s", folder, path).ptr;
}

int run_report_init(struct run_report *report, struct arena *arena,
                    const struct build_settings *build, const struct run_settings *settings)
{
	const char *file = settings->cell_times;
	*report = (struct run_report){.arena = arena, .force = build->force, .quiet = build->quiet};
	if (file != NULL && !is_json(file) && !slice_ends_with(slice_from(file), SLICE(".csv")))
		return message_usage(arena,
		                     "'--cell-times' requires a file that ends in .json or .csv, "
		                     "not '%s'",
		                     file);
	report->cell_times = file == NULL ? NULL : absolute_path(arena, file);
	report->progress.reads = -1;
	report->progress.shows = !build->quiet && status_line_fits(getenv("TERM"));
	report->lines =
	        !build->quiet && !report->progress.shows && (build->verbose || build->progress);
	report->table =
	        !build->quiet && (settings->summary || build->verbose || isatty(STDERR_FILENO));
	report->tells = report->table || file != NULL || report->progress.shows || report->lines;
	return EXIT_DONE;
}

void run_report_take(struct run_report *report, const struct compilation *c)
{
	cell_list cells = {0};
	bool is_stdin = path_is_stdin(c->path);
	report->notebook =
	        is_stdin ? SLICE("standard input") : arena_dup(report->arena, path_file(c->path));
	const struct program *program = &c->ir.programs.items[0];
	for (size_t i = 0; i < program->blocks.count; i++) {
		const struct block *block = &program->blocks.items[i];
		list_cell(c->arena, block, &cells);
		for (size_t k = 0; k < block->blocks.count; k++)
			list_cell(c->arena, &block->blocks.items[k], &cells);
	}
	for (size_t i = 0; i < cells.count; i++) {
		struct progress_cell cell = {
		        .number = cells.items[i].number,
		        .instrumented = cells.items[i].instrumented,
		        .title = arena_dup(report->arena, cells.items[i].title),
		        .source = arena_dup(report->arena, cells.items[i].source),
		};
		vec_push(report->arena, &report->progress.cells, cell);
	}
}

static int file_error(struct run_report *report, const char *what)
{
	return message_fail(report->arena, EXIT_SYSTEM, "", "cannot %s '%s': %s", what,
	                    report->cell_times, strerror(errno));
}

/* Now, not when the program has run for hours. */
static int check_place(struct run_report *report)
{
	static const struct slice json[] = {SLICE_INIT(CELL_TIMES_JSON_MARKER), {0}};
	static const struct slice csv[] = {
	        SLICE_INIT(CELL_TIMES_CSV_MARKER), SLICE_INIT(CELL_TIMES_RANKS_MARKER), {0}};
	bool forcible;
	if (os_real_path(report->arena, slice_from(report->cell_times)).len == 0)
		return file_error(report, "write");
	const char *reason =
	        os_keep_reason(report->cell_times, is_json(report->cell_times) ? json : csv,
	                       report->force, &forcible);
	return reason == NULL ? EXIT_DONE
	                      : message_kept(report->arena, report->cell_times, reason, forcible);
}

int run_report_begin(struct run_report *report)
{
	struct arena *arena = report->arena;
	if (report->cell_times != NULL && check_place(report) != EXIT_DONE)
		return EXIT_SYSTEM;
	report->folder = scratch_make(arena);
	const char *live = arena_printf(arena, "%s/live", report->folder).ptr;
	if (report->folder != NULL &&
	    (!report->tells || progress_open(&report->progress, live) == 0))
		return EXIT_DONE;
	return message_fail(arena, EXIT_SYSTEM, "",
	                    "cannot make a temporary folder for the times of cells: %s",
	                    strerror(errno));
}

static int write_times(struct run_report *report, const struct summary *summary)
{
	const struct os_file *failed;
	struct strbuf out;
	strbuf_init(&out, report->arena);
	if (is_json(report->cell_times))
		cell_times_json(&out, summary);
	else
		cell_times_csv(&out, summary);
	struct os_file file = {
	        .path = report->cell_times, .text = strbuf_slice(&out), .mode = 0666};
	if (os_put_files(report->arena, &file, 1, &failed) != 0)
		return file_error(report, "write");
	return EXIT_DONE;
}

int run_report_finish(struct run_report *report, int status)
{
	struct strbuf out;
	rank_list ranks = {0};
	report->measured =
	        experiment_read(report->arena, report->folder, report->quiet, &report->experiment);
	rank_times_read(report->arena, report->folder, &report->progress, status == EXIT_DONE,
	                &ranks);
	struct summary summary = {
	        .progress = &report->progress,
	        .ranks = ranks,
	        .measured = report->measured,
	        .experiment = report->experiment.path.len > 0 ? &report->experiment : NULL,
	        .status = status,
	        .notebook = report->notebook,
	};
	strbuf_init(&out, report->arena);
	if (report->table) {
		summary_text(&out, &summary);
		(void)os_write_all(STDERR_FILENO, strbuf_slice(&out));
	}
	if (report->cell_times != NULL && write_times(report, &summary) != EXIT_DONE &&
	    status == EXIT_DONE)
		return EXIT_SYSTEM;
	return status;
}

void run_report_close(const struct run_report *report)
{
	progress_close(&report->progress);
	if (report->folder != NULL && scratch_remove(report->folder) != 0)
		message_fail(report->arena, 0, "", "cannot remove folder '%s': %s", report->folder,
		             strerror(errno));
}
