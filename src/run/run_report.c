#include "run/run_report.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "diag/message.h"
#include "driver/compile.h"
#include "emit/emit.h"
#include "emit/told_cells.h"
#include "process/scratch.h"
#include "run/cell_times.h"
#include "run/summary.h"

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
	*report = (struct run_report){.arena = arena, .force = build->force};
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
	emit_list_cells(c->arena, &c->ir.programs.items[0], &cells);
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
	report->measured = experiment_read(report->arena, report->folder, &report->experiment);
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
