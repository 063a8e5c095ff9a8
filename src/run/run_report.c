#include "run/run_report.h"

#include <unistd.h>

#include "base/json_writer.h"
#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "diag/message.h"
#include "driver/compile.h"
#include "ir/ir.h"
#include "report/report_csv.h"

enum { NS = 1000000000, NS_DIGITS = 9, TITLE_MAX = 72, RANK_FILE_MAX = 1 << 26, TIME_WIDTH = 12 };

/* The beginnings of files of cell times, by which files of nbscorep are recognised. */
#define JSON_MARKER "{\n  \"generator\": \"nbscorep run\""
#define CSV_MARKER "cell,instrumented,state,begin,seconds,first_line\n"
#define RANKS_MARKER "rank,cell,instrumented,state,seconds,first_line\n"

/* ---- cells ---- */

static struct slice first_line(struct slice text)
{
	struct slice line = slice_make("", 0);
	while (slice_trim(line).len == 0 && slice_next_line(&text, &line))
		;
	return slice_trim(line);
}

void run_report_take(struct run_report *report, const struct compilation *c)
{
	report->notebook = arena_dup(report->arena, compile_notebook_name(c));
	block_refs blocks = blocks_flatten(c->arena, &c->ir.programs.items[0].blocks);
	for (size_t i = 0; i < blocks.count; i++) {
		const struct block *block = blocks.items[i];
		bool runs = block->origin == NULL && block_runs(block) &&
		            (block->frame != FRAME_NONE || block->code->has_statement);
		if (!runs || slice_trim(block->source).len == 0)
			continue;
		/* The first line below the cell's magics that is not blank, or else its first line. */
		struct slice line = first_line(block->code->lexed->text);
		struct strbuf title = {.arena = report->arena};
		line = line.len > 0 ? line : first_line(block->source);
		size_t at = utf8_skip(line, 0, TITLE_MAX);
		terminal_text(&title, slice_sub(line, 0, at));
		strbuf_puts(&title, at < line.len ? "..." : "");
		struct progress_cell cell = {
		        .number = block->cell,
		        .instrumented = block_is_instrumented(block),
		        .title = strbuf_slice(&title),
		        .source = arena_dup(report->arena, block->source),
		};
		vec_push(report->arena, &report->progress.cells, cell);
	}
}

/* ---- times of ranks ---- */

/* The times of a cell over all ranks. */
struct rank_spread {
	size_t timed;             /* ranks with a time; 0: no times below */
	int64_t minimum, maximum; /* nanoseconds */
	double mean;
	struct slice slowest;       /* name of the rank with the maximum */
	size_t states[CELL_STATES]; /* ranks with each state */
};

/* By number, then by name. */
static int compare_ranks(const void *left, const void *right)
{
	const struct rank_times *a = left, *b = right;
	long first = strtol(a->name.ptr, NULL, 10), second = strtol(b->name.ptr, NULL, 10);
	if (first != second)
		return first < second ? -1 : 1;
	return strcmp(a->name.ptr, b->name.ptr);
}

/* Reads the files of ranks in the report's folder (templates/scorep_notebook/progress.py), by rank. None count if
 * PROGRESS has the times of the only rank. Files that cannot be read are left out. */
static void read_ranks(struct run_report *report, bool well)
{
	struct arena *arena = report->arena;
	const struct progress *progress = &report->progress;
	rank_list *ranks = &report->ranks;
	struct os_names names = {0};
	bool is_timed = false;
	(void)os_list_folder(arena, report->folder, &names);
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice file = names.list.items[i], name = file;
		struct progress rank = {.reads = -1};
		struct strbuf text = {.arena = arena};
		if (!slice_cut_prefix(&name, SLICE("rank-")))
			continue;
		file = arena_printf(arena, "%s/%.*s", report->folder, SLICE_ARG(file));
		if (os_read_file(file.ptr, &text, RANK_FILE_MAX) != 0)
			continue;
		for (size_t k = 0; k < progress->cells.count; k++) {
			struct progress_cell cell = progress->cells.items[k];
			cell.state = CELL_NOT_REACHED;
			cell.begin = cell.end = 0;
			vec_push(arena, &rank.cells, cell);
		}
		progress_replay(&rank, strbuf_slice(&text), well);
		vec_push(arena, ranks, (struct rank_times){name, rank.cells.items});
	}
	for (size_t i = 0; i < progress->cells.count; i++)
		is_timed |= cell_state_is_timed(progress->cells.items[i].state);
	if (ranks->count == 1 && is_timed)
		ranks->count = 0;
	vec_sort(ranks, compare_ranks);
}

/* True if CELL of a rank has a time: its begin and its end are known. */
static bool rank_has_time(const struct progress_cell *cell)
{
	return cell_state_is_timed(cell->state) && cell->state != CELL_RUNS;
}

/* Combines the times of RANKS for the cell with INDEX. */
static struct rank_spread spread_of(const rank_list *ranks, size_t index)
{
	struct rank_spread spread = {0};
	for (size_t i = 0; i < ranks->count; i++) {
		const struct progress_cell *cell = &ranks->items[i].cells[index];
		int64_t time = cell->end - cell->begin;
		spread.states[cell->state]++;
		if (!rank_has_time(cell))
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

/* ---- the table ---- */

/* "512 B", "1.5 MiB". */
static struct slice size_text(struct arena *arena, long long size)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)(size < 0 ? 0 : size);
	size_t unit = 0;
	for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
		value /= 1024;
	return arena_printf(arena, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

static void add_column(struct strbuf *out, bool timed, double time)
{
	struct slice text = timed ? arena_printf(out->arena, "%.3f s", time / NS) : SLICE("-");
	strbuf_printf(out, " %*.*s", TIME_WIDTH, SLICE_ARG(text));
}

static void add_title(struct strbuf *out, const struct run_report *report,
                      const struct progress_cell *cell)
{
	if (report->measured)
		strbuf_printf(out, "%-12s  ", cell->instrumented ? "yes" : "");
	strbuf_add(out, cell->title);
}

static void add_spreads(struct strbuf *out, const struct run_report *report)
{
	const struct progress *progress = &report->progress;
	size_t ranks = report->ranks.count;
	strbuf_printf(out, "%6s %*s %*s %*s  slowest rank  %sfirst line\n", "cell", TIME_WIDTH,
	              "minimum", TIME_WIDTH, "mean", TIME_WIDTH, "maximum",
	              report->measured ? "instrumented  " : "");
	for (size_t i = 0; i < progress->cells.count; i++) {
		const struct rank_spread spread = spread_of(&report->ranks, i);
		strbuf_printf(out, "%6u", progress->cells.items[i].number);
		add_column(out, spread.timed > 0, (double)spread.minimum);
		add_column(out, spread.timed > 0, spread.mean);
		add_column(out, spread.timed > 0, (double)spread.maximum);
		strbuf_printf(out, "  %-*.*s  ", TIME_WIDTH, SLICE_ARG(spread.slowest));
		add_title(out, report, &progress->cells.items[i]);
		/* " [failed]", " [failed on 1 of 4 ranks]" */
		for (enum cell_state state = 0; state < CELL_STATES; state++) {
			size_t count = spread.states[state];
			if (count == 0 || state == CELL_DONE)
				continue;
			strbuf_printf(out, " [%s", cell_state_names[state]);
			if (count < ranks)
				strbuf_printf(out, " on %zu of %zu ranks", count, ranks);
			strbuf_addc(out, ']');
		}
		strbuf_addc(out, '\n');
	}
	strbuf_printf(out, "%zu rank%s, %.3f s in all\n", ranks, ranks == 1 ? "" : "s",
	              (double)(progress->end - progress->start) / NS);
}

/* A line has the state of its cell if it is not "done". */
static void add_cells(struct strbuf *out, const struct run_report *report)
{
	const struct progress *progress = &report->progress;
	double sum = 0, all = (double)(progress->end - progress->start) / NS;
	if (progress->reads < 0) {
		strbuf_printf(out, "%.3f s in all; the cells were not timed\n", all);
		return;
	}
	strbuf_printf(out, "%6s %*s  %s%s\n", "cell", TIME_WIDTH, "time",
	              report->measured ? "instrumented  " : "", "first line");
	vec_each(const struct progress_cell, cell, &progress->cells) {
		bool timed = cell_state_is_timed(cell->state);
		double time = timed ? (double)(cell->end - cell->begin) : 0;
		strbuf_printf(out, "%6u", cell->number);
		add_column(out, timed, time);
		strbuf_puts(out, "  ");
		add_title(out, report, cell);
		if (cell->state != CELL_DONE)
			strbuf_printf(out, " [%s]", cell_state_names[cell->state]);
		strbuf_addc(out, '\n');
		sum += time / NS;
	}
	strbuf_printf(out, "%.3f s in cells, %.3f s in all\n", sum, all);
}

static void add_result(struct strbuf *out, const struct experiment *experiment, const char *file,
                       long long size, bool is_trace)
{
	if (size < 0)
		return;
	struct slice shown = size_text(out->arena, size);
	struct slice path =
	        arena_printf(out->arena, "%.*s/%s", SLICE_ARG(experiment->results), file);
	strbuf_printf(out, "  %-13s %10.*s  %.*s ", file, SLICE_ARG(shown),
	              SLICE_ARG(experiment_viewer(out->arena, is_trace)));
	bash_word(out, path);
	strbuf_addc(out, '\n');
}

static void add_experiment(struct strbuf *out, const struct experiment *experiment)
{
	if (experiment->path.len == 0) {
		strbuf_puts(out, "no experiment directory was created\n");
		return;
	}
	struct slice size = size_text(out->arena, experiment->size);
	strbuf_puts(out, "experiment directory: ");
	terminal_text(out, experiment->path);
	strbuf_printf(out, " (%.*s", SLICE_ARG(size));
	if (experiment->ranks > 0)
		strbuf_printf(out, ", with one for each of %zu ranks", experiment->ranks);
	strbuf_puts(out, ")\n");
	add_result(out, experiment, "profile.cubex", experiment->profile, false);
	add_result(out, experiment, "traces.otf2", experiment->traces, true);
	if (experiment->has_part)
		strbuf_puts(out, "  a file is incomplete: Score-P was killed while writing it\n");
	else if (experiment->profile < 0 && experiment->traces < 0)
		strbuf_puts(out, "  neither a profile nor traces\n");
}

/* ---- the file of times ---- */

/* A line for each cell, or for each of each rank. */
static void csv_text(struct strbuf *out, const struct run_report *report)
{
	char text[SLICE_DECIMAL_MAX];
	size_t cells = report->progress.cells.count, ranks = report->ranks.count;
	strbuf_puts(out, ranks > 0 ? RANKS_MARKER : CSV_MARKER);
	for (size_t i = 0; i < cells * (ranks > 0 ? ranks : 1); i++) {
		const struct progress_cell *cell = &report->progress.cells.items[i % cells];
		bool timed = cell_state_is_timed(cell->state);
		if (ranks > 0) {
			const struct rank_times *rank = &report->ranks.items[i / cells];
			cell = &rank->cells[i % cells];
			timed = rank_has_time(cell);
			strbuf_printf(out, "%.*s,", SLICE_ARG(rank->name));
		}
		strbuf_printf(out, "%u,%s,%s,", cell->number, cell->instrumented ? "true" : "false",
		              cell_state_names[cell->state]);
		if (ranks == 0) {
			strbuf_add(out,
			           timed ? slice_decimal(text, cell->begin, NS_DIGITS) : SLICE(""));
			strbuf_addc(out, ',');
		}
		strbuf_add(out, timed ? slice_decimal(text, cell->end - cell->begin, NS_DIGITS)
		                      : SLICE(""));
		strbuf_addc(out, ',');
		strbuf_add(out, report_csv_quoted(out->arena, cell->title));
		strbuf_addc(out, '\n');
	}
}

/* For programs (nbscorep-run(1), --cell-times). */
static void json_text(struct strbuf *out, const struct run_report *report, int status)
{
	struct json_writer json = {.out = out};
	const rank_list *ranks = &report->ranks;
	json_put(&json, "{'generator': 'nbscorep run', 'version': 1, 'notebook': ?, 'measured': ?",
	         J(report->notebook), json_bool(report->measured));
	json_put(&json, "'status': ?, 'seconds': ?, 'experiment_directory': ?*, 'cells': [",
	         J(status), json_fixed(report->progress.end - report->progress.start, NS_DIGITS),
	         J(report->experiment.path));
	for (size_t i = 0; i < report->progress.cells.count; i++) {
		const struct progress_cell *cell = &report->progress.cells.items[i];
		bool timed = cell_state_is_timed(cell->state);
		json_put(&json, "{'cell': ?, 'first_line': ?, 'instrumented': ?", J(cell->number),
		         J(cell->title), json_bool(cell->instrumented));
		if (ranks->count == 0) {
			json_put(&json, "'state': ?, 'begin': ?*, 'seconds': ?*}",
			         J(cell_state_names[cell->state]),
			         json_if(timed, json_fixed(cell->begin, NS_DIGITS)),
			         json_if(timed, json_fixed(cell->end - cell->begin, NS_DIGITS)));
			continue;
		}
		const struct rank_spread spread = spread_of(ranks, i);
		if (spread.timed > 0)
			json_put(&json, "'minimum': ?, 'mean': ?, 'maximum': ?",
			         json_fixed(spread.minimum, NS_DIGITS),
			         json_fixed((int64_t)spread.mean, NS_DIGITS),
			         json_fixed(spread.maximum, NS_DIGITS));
		json_put(&json, "'ranks': [");
		for (size_t k = 0; k < ranks->count; k++) {
			struct slice name = ranks->items[k].name;
			const struct progress_cell *own = &ranks->items[k].cells[i];
			json_put(&json, "{'rank': ?, 'state': ?, 'seconds': ?*}",
			         slice_has(name, '-') ? J(name) : (struct json_item){.text = name},
			         J(cell_state_names[own->state]),
			         json_if(rank_has_time(own),
			                 json_fixed(own->end - own->begin, NS_DIGITS)));
		}
		json_put(&json, "]}");
	}
	json_put(&json, "]}");
	strbuf_addc(out, '\n');
}

/* ---- the report ---- */

static bool is_json(const char *path)
{
	return slice_ends_with(slice_from(path), SLICE(".json"));
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
	/* The program starts in another folder. */
	if (file != NULL)
		report->cell_times = os_absolute(arena, file).ptr;
	report->progress.reads = -1;
	report->progress.shows = !build->quiet && status_line_fits();
	report->lines =
	        !build->quiet && !report->progress.shows && (build->verbose || build->progress);
	report->table =
	        !build->quiet && (settings->summary || build->verbose || isatty(STDERR_FILENO));
	report->tells = report->table || file != NULL || report->progress.shows || report->lines;
	return EXIT_DONE;
}

int run_report_begin(struct run_report *report)
{
	static const struct slice json[] = {SLICE_INIT(JSON_MARKER), {0}};
	static const struct slice csv[] = {SLICE_INIT(CSV_MARKER), SLICE_INIT(RANKS_MARKER), {0}};
	struct arena *arena = report->arena;
	const char *path = report->cell_times;
	/* Now, not when the program has run for hours. */
	if (path != NULL) {
		bool forcible;
		if (os_real_path(arena, slice_from(path)).len == 0)
			return message_fail(arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path,
			                    strerror(errno));
		const char *reason =
		        os_keep_reason(path, is_json(path) ? json : csv, report->force, &forcible);
		if (reason != NULL)
			return message_kept(arena, path, reason, forcible);
	}
	report->folder = scratch_make(arena);
	const char *live = arena_printf(arena, "%s/live", report->folder).ptr;
	if (report->folder != NULL &&
	    (!report->tells || progress_open(&report->progress, live) == 0))
		return EXIT_DONE;
	return message_fail(arena, EXIT_SYSTEM, "",
	                    "cannot make a temporary folder in '%s' for the times of cells: %s",
	                    scratch_place(), strerror(errno));
}

int run_report_finish(struct run_report *report, int status)
{
	report->measured =
	        experiment_read(report->arena, report->folder, report->quiet, &report->experiment);
	read_ranks(report, status == EXIT_DONE);
	struct strbuf out = {.arena = report->arena};
	if (report->table) {
		if (report->ranks.count > 0)
			add_spreads(&out, report);
		else
			add_cells(&out, report);
		if (report->measured)
			add_experiment(&out, &report->experiment);
		(void)os_write_all(STDERR_FILENO, strbuf_slice(&out));
	}
	if (report->cell_times == NULL)
		return status;
	out = (struct strbuf){.arena = report->arena};
	if (is_json(report->cell_times))
		json_text(&out, report, status);
	else
		csv_text(&out, report);
	int written = message_write(report->arena, report->cell_times, strbuf_slice(&out));
	return status == EXIT_DONE ? written : status;
}

void run_report_close(const struct run_report *report)
{
	os_close_quietly(report->progress.reads);
	if (report->folder != NULL && scratch_remove(report->folder) != 0)
		message_fail(report->arena, 0, "", "cannot remove folder '%s': %s", report->folder,
		             strerror(errno));
}
