#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cell_mark.h"
#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "emit/template.h"
#include "report/profile_html.h"
#include "report/report_compare.h"
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_notebook.h"
#include "report/report_profile.h"
#include "report/report_read.h"
#include "report/report_svg.h"
#include "report/report_text.h"
#include "run/experiment.h"
#include "trace/measurement_read.h"
#include "trace/recording_read.h"

/* ---- the page: the form html ---- */

/* Appends the page, which templates/report has the parts of. */
static void put_page(struct strbuf *out, struct page_writer *page)
{
	/* The last one begins when all others are there. */
	static const struct slice names[] = {
	        SLICE_INIT("report/data.js"),     SLICE_INIT("report/figures.js"),
	        SLICE_INIT("report/format.js"),   SLICE_INIT("report/panels.js"),
	        SLICE_INIT("report/measures.js"), SLICE_INIT("report/draw.js"),
	        SLICE_INIT("report/charts.js"),   SLICE_INIT("report/tables.js"),
	        SLICE_INIT("report/nodes.js"),    SLICE_INIT("report/pointer.js"),
	        SLICE_INIT("report/measured.js"), SLICE_INIT("report/lanes.js"),
	        SLICE_INIT("report/icicle.js"),   SLICE_INIT("report/main.js"),
	};
	struct strbuf script;
	strbuf_init(&script, out->arena);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		strbuf_add(&script, template_text(names[i]));
	const struct page_parts parts = {
	        .html = template_text(SLICE("report/page.html")),
	        .style = template_text(SLICE("report/page.css")),
	        .script = strbuf_slice(&script),
	};
	page_end(out, page, &parts);
}

static void report_page(struct strbuf *out, const struct report *report)
{
	struct page_writer page;
	page_begin(&page, out->arena);
	report_html_data(&page, report);
	put_page(out, &page);
}

/* ---- files of samples ---- */

/* In the order of --format in settings.def. COMPARE is NULL where two runs have no such form. */
static const struct report_form {
	const char *name;
	struct slice ending; /* of files that are written in this form unless --format is given */
	struct slice marker; /* what a file of ours begins with */
	void (*one)(struct strbuf *out, const struct report *report);
	void (*compare)(struct strbuf *out, const struct report *a, const struct report *b);
} forms[] = {
        {"text", SLICE_INIT(".txt"), SLICE_INIT(REPORT_TEXT_MARKER), report_text,
         report_compare_text},
        {"json", SLICE_INIT(".json"), SLICE_INIT(REPORT_JSON_MARKER), report_json,
         report_compare_json},
        {"csv", SLICE_INIT(".csv"), SLICE_INIT(REPORT_CSV_MARKER), report_csv, NULL},
        {"html", SLICE_INIT(".html"), SLICE_INIT(PAGE_MARKER), report_page, NULL},
        {"svg", SLICE_INIT(".svg"), SLICE_INIT(REPORT_SVG_MARKER), report_svg, NULL},
};

enum { RUNS = 2 };

/* What is asked for, and what was read. */
struct request {
	struct arena *arena;
	const struct options *options;
	const struct report_form *form;
	struct report_range range;
	unsigned first_index;
	unsigned plots;
	size_t count;
	struct report_files files[RUNS];
	struct report reports[RUNS]; /* two of them are compared */
};

/* Chooses the form of --format, else the one for the ending of the file's name, else text. False if the
 * name has another ending. */
static bool choose_form(const struct options *options, const struct report_form **form)
{
	struct slice path =
	        slice_from(options->report.output == NULL ? "" : options->report.output);
	*form = &forms[0];
	if (options->report.format != 0) {
		*form = &forms[options->report.format - 1];
		return true;
	}
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (slice_ends_with(path, forms[i].ending)) {
			*form = &forms[i];
			return true;
		}
	}
	struct slice file = path_file(path);
	return slice_find(file, '.', 1) == file.len;
}

static int no_comparison(struct request *r)
{
	return message_usage(r->arena, "two runs have no form '%s': compare them as text or json",
	                     r->form->name);
}

static int read_options(struct request *r)
{
	const struct options *options = r->options;
	const char *metrics = options->report.metrics, *first = options->report.first_index;
	const char *cells = options->report.cells;
	struct slice wrong;
	size_t at;
	bool has_form = choose_form(options, &r->form);
	r->count = options->operands.count;
	r->range = REPORT_RANGE_ALL;
	if (r->count == 0 || r->count > RUNS)
		return message_usage(r->arena, "'report' requires a file or folder of samples, or "
		                               "two to compare");
	if (options->report.notebook != NULL && r->count != 1)
		return message_usage(r->arena, "'--notebook' is for the samples of one run");
	if (!has_form)
		return message_usage(
		        r->arena,
		        "no report has the ending of '%s': use .txt, .json, .csv, .html or .svg",
		        options->report.output);
	if (metrics != NULL && r->form->one != report_svg)
		return message_usage(r->arena, "'--metrics' is for --format=svg");
	if (metrics != NULL && !report_plots_read(slice_from(metrics), &r->plots, &wrong))
		return message_usage(r->arena,
		                     "'--metrics' knows no '%.*s', but cpu, mem, io, gpu and those "
		                     "that JUmPER has in them",
		                     SLICE_ARG(wrong));
	if (first != NULL && !cell_number_read(slice_from(first), &r->first_index))
		return message_usage(r->arena, "'--first-index' requires a whole number, not '%s'",
		                     first);
	if (cells != NULL && report_range_parse(slice_from(cells), &r->range, &at) != 0)
		return message_usage(
		        r->arena,
		        "invalid cell range '%s', character %zu: a range is one of 5, 2:8, :5, "
		        "3:, and :",
		        cells, at + 1);
	return EXIT_DONE;
}

/* Text and JSON of one run report damage themselves. */
static void tell_damage(struct request *r, const struct report_run *run)
{
	bool is_told =
	        r->count == 1 && (r->form->one == report_text || r->form->one == report_json);
	for (size_t i = 0; !is_told && i < run->nodes.count; i++) {
		const struct report_node *node = &run->nodes.items[i];
		if (node->series.truncated)
			message_fail(r->arena, EXIT_DONE, "", "'%.*s' " REPORT_DAMAGE,
			             SLICE_ARG(node->file));
	}
}

/* What the names of the files of RUN begin with, and those of no other run of FILES, where that can
 * be named in place of them; else the name of the first file. */
static struct slice operand_of(const struct report_files *files, const struct report_run *run)
{
	struct slice first = run->nodes.items[0].file, common = first;
	for (size_t i = 1; i < run->nodes.count; i++) {
		struct slice other = run->nodes.items[i].file;
		size_t len = 0;
		while (len < common.len && len < other.len && common.ptr[len] == other.ptr[len])
			len++;
		common.len = len;
	}
	while (common.len > 0 && common.ptr[common.len - 1] != '.')
		common.len--;
	bool is_one = run->nodes.count == 1 || path_file(common).len == 0;
	for (size_t i = 0; i < files->runs.count; i++) {
		const struct report_run *other = &files->runs.items[i];
		for (size_t k = 0; other != run && k < other->nodes.count; k++)
			is_one |= slice_starts_with(other->nodes.items[k].file, common);
	}
	return is_one ? first : slice_sub(common, 0, common.len - 1);
}

/* The form is of one run, and there are several. */
static int say_several(struct request *r, const struct report_files *files)
{
	enum { SHOWN = 10 };
	struct strbuf hint;
	strbuf_init(&hint, r->arena);
	strbuf_puts(&hint, "name one of them:\n");
	for (size_t i = 0; i < files->runs.count && i < SHOWN; i++) {
		const struct report_run *run = &files->runs.items[i];
		strbuf_printf(&hint, "  %.*s", SLICE_ARG(operand_of(files, run)));
		if (run->nodes.count > 1)
			strbuf_printf(&hint, " (%zu nodes)", run->nodes.count);
		strbuf_addc(&hint, '\n');
	}
	if (files->runs.count > SHOWN)
		strbuf_printf(&hint, "  and %zu more\n", files->runs.count - SHOWN);
	return message_fail(r->arena, EXIT_UNCLEAR, arena_cstr(r->arena, strbuf_slice(&hint)),
	                    "'%.*s' has the samples of %zu runs, and %s shows one",
	                    SLICE_ARG(files->name), files->runs.count,
	                    r->count == RUNS ? "a comparison" : r->form->name);
}

/* Reports what is not a file of samples, or cannot be read in a folder, and reads the other files. */
static int read_files(struct request *r, size_t number)
{
	struct report_files *files = &r->files[number];
	struct slice failed;
	int status = EXIT_DONE;
	const char *path = r->options->operands.items[number];
	if (report_read(r->arena, path, files, &failed) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(failed), strerror(errno));
	for (size_t i = 0; i < files->problems.count; i++)
		status = message_fail(
		        r->arena, files->is_unread ? EXIT_SYSTEM : EXIT_NOTEBOOK,
		        slice_ends_with(slice_from(path), SLICE(".ipynb"))
		                ? "'nbscorep run --monitor' of a notebook writes NAME.samples\n"
		                : "",
		        "%.*s", SLICE_ARG(files->problems.items[i]));
	for (size_t i = 0; i < files->runs.count; i++) {
		files->runs.items[i].first_index = r->first_index;
		tell_damage(r, &files->runs.items[i]);
	}
	return status;
}

/* "'x' has no samples of level user, but of process, system". */
static int no_level(struct request *r, const struct report_run *run, struct slice name)
{
	struct strbuf levels;
	strbuf_init(&levels, r->arena);
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		if (report_has_level(run, level))
			strbuf_printf(&levels, "%s%.*s", levels.len > 0 ? ", " : ", but of ",
			              SLICE_ARG(level_name(level)));
	}
	return message_usage(r->arena, "'%.*s' has no samples of level %.*s%.*s",
	                     SLICE_ARG(run->name), SLICE_ARG(name),
	                     SLICE_ARG(strbuf_slice(&levels)));
}

/* The level that was asked for, else the first that there is: process where it was sampled. */
static int choose_level(struct request *r, const struct report_run *run, unsigned *level)
{
	bool asked = r->options->report.level != 0;
	*level = asked ? (unsigned)r->options->report.level - 1 : 0;
	while (!asked && *level < LEVEL_COUNT && !report_has_level(run, *level))
		++*level;
	if (*level == LEVEL_COUNT)
		*level = LEVEL_PROCESS;
	else if (asked && !report_has_level(run, *level))
		return no_level(r, run, level_name(*level));
	return EXIT_DONE;
}

static int make_report(struct request *r, const struct report_run *run, unsigned level,
                       struct report *report)
{
	if (report_make(r->arena, run, level, r->range, report) != 0)
		return message_usage(r->arena, "no cell of '%s' ran in '%.*s'",
		                     r->options->report.cells, SLICE_ARG(run->name));
	report->plots = r->plots;
	return EXIT_DONE;
}

/* ---- output ---- */

static int put_text(struct request *r, struct slice text)
{
	const struct os_file file = {.path = r->options->report.output, .text = text, .mode = 0666};
	const struct slice markers[] = {r->form->marker, {0}};
	const struct os_file *failed;
	bool forcible;
	if (file.path == NULL || strcmp(file.path, "-") == 0)
		return message_print(r->arena, text);
	const char *reason = os_keep_reason(file.path, markers, r->options->build.force, &forcible);
	if (reason == os_keep_unknown)
		return message_kept(r->arena, file.path, reason, forcible);
	if (reason != NULL) /* it may be a report of another form */
		return message_fail(r->arena, EXIT_SYSTEM,
		                    forcible ? "--force overwrites it\n" : "",
		                    "'%s' %s in this form; it is left as it is", file.path, reason);
	if (os_put_files(r->arena, &file, 1, &failed) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot write '%s': %s", file.path,
		                    strerror(errno));
	return EXIT_DONE;
}

/* ---- a measurement ---- */

static int read_selection(struct request *r, struct profile_selection *selection)
{
	const struct options *options = r->options;
	struct slice rank = slice_from(options->report.rank == NULL ? "" : options->report.rank);
	uint64_t process = 0, thread = 0;
	size_t dot = slice_find(rank, '.', 0);
	bool has_thread = dot < rank.len;
	*selection = (struct profile_selection){
	        .cells = r->range,
	        .function = slice_from(options->report.function == NULL ? ""
	                                                                : options->report.function),
	        .rank = -1,
	        .thread = -1,
	        .top = options->report.top};
	if (selection->top == 0 && r->form->one == report_text)
		selection->top = 10;
	if (rank.len == 0)
		return EXIT_DONE;
	if (!slice_read_number(slice_sub(rank, 0, dot), UINT32_MAX, &process) ||
	    (has_thread && !slice_read_number(slice_tail(rank, dot + 1), UINT32_MAX, &thread)))
		return message_usage(r->arena, "'--rank' requires RANK or RANK.THREAD, not '%.*s'",
		                     SLICE_ARG(rank));
	selection->rank = (int64_t)process;
	selection->thread = has_thread ? (int64_t)thread : -1;
	return EXIT_DONE;
}

/* The samples of the same run: the second operand, or those in the directory. *OUT is NULL without any. */
static int join_samples(struct request *r, struct slice directory, const struct report **out)
{
	struct report_files *files = &r->files[0];
	struct slice failed;
	unsigned level;
	int status = EXIT_DONE;
	*out = NULL;
	if (r->count > 1)
		status = read_files(r, 1);
	else if (report_read(r->arena, arena_cstr(r->arena, directory), files, &failed) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(failed), strerror(errno));
	files = &r->files[r->count - 1];
	if (status != EXIT_DONE || files->runs.count == 0)
		return status;
	if (files->runs.count > 1)
		return say_several(r, files);
	status = choose_level(r, &files->runs.items[0], &level);
	if (status == EXIT_DONE)
		status = make_report(r, &files->runs.items[0], level, &r->reports[0]);
	*out = &r->reports[0];
	return status;
}

static int read_measurement(struct request *r, struct slice directory, bool compares,
                            struct measurement *measurement, struct profile *out)
{
	struct profile_selection selection;
	struct slice failed;
	if (read_selection(r, &selection) != EXIT_DONE)
		return EXIT_USAGE;
	if (compares) /* the functions of both */
		selection.top = r->options->report.top;
	const char *problem =
	        measurement_read(measurement, r->arena, directory,
	                         r->form->one == report_page ? PROFILE_HTML_CHANGES : 0, &failed);
	if (problem != NULL)
		return message_fail(r->arena, EXIT_NOTEBOOK, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(failed), problem);
	if (measurement->locations.count == 0)
		return message_fail(r->arena, EXIT_NOTEBOOK, "",
		                    "'%.*s' has no threads of a program", SLICE_ARG(directory));
	if (profile_make(out, r->arena, measurement, &selection) != 0)
		return message_usage(r->arena, "'%.*s' has nothing of what is selected",
		                     SLICE_ARG(directory));
	return EXIT_DONE;
}

static void put_measurement_page(struct strbuf *out, const struct profile *profile,
                                 const finding_list *findings, const struct report *samples,
                                 struct slice directory)
{
	struct page_writer page;
	page_begin(&page, out->arena);
	profile_html_data(&page, profile, findings, samples, directory);
	put_page(out, &page);
}

/* The report of a measurement, with the samples of the second operand; or a comparison with the measurement that is
 * the second operand. */
static int report_measurement(struct request *r, struct slice directory, bool compares)
{
	static const struct slice tables[] = {
	        SLICE_INIT(""),           SLICE_INIT("findings"),  SLICE_INIT("cells"),
	        SLICE_INIT("efficiency"), SLICE_INIT("functions"), SLICE_INIT("calls"),
	        SLICE_INIT("locations"),  SLICE_INIT("messages"),
	};
	struct measurement measurements[RUNS];
	struct profile profiles[RUNS];
	finding_list findings = {0};
	const struct report *samples = NULL;
	struct strbuf out;
	struct slice table = tables[r->options->report.table], other = {0};
	bool is_text = r->form->one == report_text, is_json = r->form->one == report_json;
	bool is_page = r->form->one == report_page;
	if (compares && r->form->compare == NULL)
		return no_comparison(r);
	if (!is_text && !is_json && !is_page && r->form->one != report_csv)
		return message_usage(r->arena,
		                     "a measurement has no form '%s': use text, json, csv or html",
		                     r->form->name);
	int status = read_measurement(r, directory, compares, &measurements[0], &profiles[0]);
	if (status == EXIT_DONE && compares) {
		other = slice_from(r->options->operands.items[1]);
		status = read_measurement(r, other, true, &measurements[1], &profiles[1]);
	} else if (status == EXIT_DONE) {
		status = join_samples(r, directory, &samples);
	}
	if (status != EXIT_DONE)
		return status;
	strbuf_init(&out, r->arena);
	if (!compares)
		diagnosis_make(&findings, &profiles[0], samples);
	if (compares && is_text)
		report_profile_compare_text(&out, &profiles[0], &profiles[1], directory, other);
	else if (compares)
		report_profile_compare_json(&out, &profiles[0], &profiles[1], directory, other);
	else if (is_text)
		report_profile_text(&out, &profiles[0], &findings, directory, table);
	else if (is_json)
		report_profile_json(&out, &profiles[0], &findings, directory);
	else if (is_page)
		put_measurement_page(&out, &profiles[0], &findings, samples, directory);
	else
		report_profile_csv(&out, &profiles[0], &findings, table);
	return put_text(r, strbuf_slice(&out));
}

/* In a process of its own, because the OTF2 library may end it over a damaged archive. */
static int report_measurement_apart(struct request *r, struct slice directory, bool compares)
{
	const struct rlimit no_core = {0, 0};
	int status = 0;
	fflush(NULL);
	pid_t process = fork();
	if (process < 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot start a process: %s",
		                    strerror(errno));
	if (process == 0) {
		(void)setrlimit(RLIMIT_CORE, &no_core);
		exit(report_measurement(r, directory, compares));
	}
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return message_fail(r->arena, EXIT_NOTEBOOK, "",
	                    "cannot read '%.*s/traces.otf2': the OTF2 library ended with signal %d",
	                    SLICE_ARG(directory), WTERMSIG(status));
}

/* ---- all ---- */

static int put_comparison(struct request *r)
{
	struct strbuf out;
	unsigned level;
	const struct report_run *a = &r->files[0].runs.items[0], *b = &r->files[1].runs.items[0];
	strbuf_init(&out, r->arena);
	if (choose_level(r, a, &level) != EXIT_DONE)
		return EXIT_USAGE;
	if (!report_has_level(b, level))
		return no_level(r, b, level_name(level));
	if (make_report(r, a, level, &r->reports[0]) != EXIT_DONE ||
	    make_report(r, b, level, &r->reports[1]) != EXIT_DONE)
		return EXIT_USAGE;
	r->form->compare(&out, &r->reports[0], &r->reports[1]);
	return put_text(r, strbuf_slice(&out));
}

/* A report for each run; without one for those that cannot have it. */
static int put_reports(struct request *r)
{
	struct strbuf out;
	int status = EXIT_DONE;
	const struct report_files *files = &r->files[0];
	strbuf_init(&out, r->arena);
	for (size_t i = 0; i < files->runs.count; i++) {
		const struct report_run *run = &files->runs.items[i];
		struct report *report = &r->reports[0];
		unsigned level;
		int made = choose_level(r, run, &level);
		if (made == EXIT_DONE)
			made = make_report(r, run, level, report);
		status = made > status ? made : status;
		if (made != EXIT_DONE)
			continue;
		strbuf_puts(&out, out.len > 0 ? "\n" : "");
		r->form->one(&out, report);
	}
	int put = out.len == 0 ? EXIT_DONE : put_text(r, strbuf_slice(&out));
	return put != EXIT_DONE ? put : status;
}

/* Text can be of several runs, one after the other. */
static int check_runs(struct request *r)
{
	bool is_several = r->count == 1 && r->form->one == report_text;
	for (size_t i = 0; i < r->count; i++) {
		if (r->files[i].runs.count > 1 && !is_several)
			return say_several(r, &r->files[i]);
	}
	return EXIT_DONE;
}

int command_report(struct invocation *invocation)
{
	struct request r = {.arena = invocation->arena, .options = invocation->options};
	int problems = EXIT_DONE, status = read_options(&r);
	const char *notebook = r.options->report.notebook;
	struct slice first = slice_from(status == EXIT_DONE ? r.options->operands.items[0] : "");
	directory_list directories = {0};
	size_t measured = 0; /* operands that are experiment directories */
	for (size_t i = 0; status == EXIT_DONE && notebook == NULL && i < r.count; i++) {
		size_t before = directories.count;
		measurement_directories(r.arena, slice_from(r.options->operands.items[i]),
		                        &directories);
		measured += directories.count > before && measured == i;
	}
	for (size_t i = 0; i < directories.count && status == EXIT_DONE; i++) {
		if (recording_exists(r.arena, directories.items[i]))
			status = record_results(r.arena, arena_cstr(r.arena, directories.items[i]),
			                        true, false);
	}
	if (measured > 0 && status == EXIT_DONE)
		return report_measurement_apart(&r, first, measured == RUNS);
	if (status == EXIT_DONE && r.count == RUNS && r.form->compare == NULL)
		status = no_comparison(&r);
	for (size_t i = 0; status == EXIT_DONE && i < r.count; i++) {
		int found = read_files(&r, i);
		problems = found > problems ? found : problems;
		if (r.files[i].runs.count == 0)
			status = found;
	}
	if (status == EXIT_DONE)
		status = check_runs(&r);
	if (status == EXIT_DONE)
		status = r.count == RUNS ? put_comparison(&r) : put_reports(&r);
	if (status == EXIT_DONE && notebook != NULL &&
	    report_add_to_notebook(&r.reports[0], notebook) != 0)
		status = message_fail(r.arena, EXIT_SYSTEM, "", "cannot add figures to '%s': %s",
		                      notebook,
		                      errno == EINVAL ? "it is not an executed notebook of nbscorep"
		                                      : strerror(errno));
	return status != EXIT_DONE ? status : problems;
}
