#include "cli/command_report.h"

#include "base/cell_mark.h"
#include "base/os.h"
#include "base/paths.h"
#include "cli/command_report_measured.h"
#include "emit/template.h"
#include "report/profile_export.h"
#include "report/profile_html.h"
#include "report/report_compare.h"
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_notebook.h"
#include "report/report_svg.h"
#include "report/report_text.h"

/* ---- the page: the form html ---- */

/* Appends the page, which templates/report has the parts of; cmake/embed.cmake makes one of the script's. */
static void put_page(struct strbuf *out, struct page_writer *page)
{
	const struct page_parts parts = {
	        .html = template_text(SLICE("report/page.html")),
	        .style = template_text(SLICE("report/page.css")),
	        .script = template_text(SLICE("report/page.js")),
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

static void report_measured_page(struct strbuf *out, const struct profile_report *report)
{
	struct page_writer page;
	page_begin(&page, out->arena);
	profile_html_data(&page, report);
	put_page(out, &page);
}

/* ---- forms ---- */

/* In the order of --format in settings.def. */
static const struct report_form forms[] = {
        {"text", SLICE_INIT(".txt"), SLICE_INIT(REPORT_TEXT_MARKER),
         SLICE_INIT(PROFILE_TEXT_MARKER), report_text, report_compare_text, report_profile_text,
         profile_groups_text, profile_groups_text, 0},
        {"json", SLICE_INIT(".json"), SLICE_INIT(REPORT_JSON_MARKER),
         SLICE_INIT(REPORT_JSON_MARKER), report_json, report_compare_json, report_profile_json,
         profile_groups_json, profile_groups_json, 0},
        {"csv", SLICE_INIT(".csv"), SLICE_INIT(REPORT_CSV_MARKER), SLICE_INIT(""), report_csv, NULL,
         report_profile_csv, NULL, profile_series_csv, 0},
        {"html", SLICE_INIT(".html"), SLICE_INIT(PAGE_MARKER), SLICE_INIT(PAGE_MARKER), report_page,
         NULL, report_measured_page, NULL, NULL, PROFILE_HTML_CHANGES},
        {"svg", SLICE_INIT(".svg"), SLICE_INIT(REPORT_SVG_MARKER), SLICE_INIT(REPORT_SVG_MARKER),
         report_svg, NULL, NULL, NULL, profile_series_svg, 0},
        {"folded", SLICE_INIT(".folded"), SLICE_INIT(""), SLICE_INIT(""), NULL, NULL,
         report_profile_folded, NULL, NULL, 0},
        {"speedscope", SLICE_INIT(".speedscope.json"), SLICE_INIT(""),
         SLICE_INIT(PROFILE_SPEEDSCOPE_MARKER), NULL, NULL, report_profile_speedscope, NULL, NULL,
         PROFILE_EXPORT_CHANGES},
        {"chrome", SLICE_INIT(".trace.json"), SLICE_INIT(""), SLICE_INIT(PROFILE_CHROME_MARKER),
         NULL, NULL, report_profile_chrome, NULL, NULL, PROFILE_EXPORT_CHANGES},
};

/* Chooses the form of --format, else the one for the ending of the file's name, else text. False if the
 * name has another ending. */
static bool choose_form(const struct options *options, const struct report_form **form)
{
	struct slice path =
	        slice_from(options->report.output == NULL ? "" : options->report.output);
	*form = &forms[0];
	if (options->format != 0) {
		*form = &forms[options->format - 1];
		return true;
	}
	for (size_t i = sizeof forms / sizeof *forms; i-- > 0;) { /* .trace.json before .json */
		if (slice_ends_with(path, forms[i].ending)) {
			*form = &forms[i];
			return true;
		}
	}
	struct slice file = path_file(path);
	return slice_find(file, '.', 1) == file.len;
}

static int read_options(struct request *r)
{
	const struct options *options = r->options;
	const char *metrics = options->report.metrics, *first = options->report.first_index;
	const char *cells = options->report.cells;
	struct slice wrong;
	bool has_form = choose_form(options, &r->form);
	r->count = options->operands.count;
	r->range = REPORT_RANGE_ALL;
	/* That of the program is sampled always. */
	r->level = options->report.level != 0 ? (unsigned)options->report.level - 1 : LEVEL_PROCESS;
	if (r->count == 0)
		return message_usage(
		        r->arena, "'report' requires an experiment directory or a file of samples");
	if (options->report.notebook != NULL && r->count != 1)
		return message_usage(r->arena, "'--notebook' is for the samples of one run");
	if (!has_form)
		return message_usage(
		        r->arena,
		        "no report has the ending of '%s': use .txt, .json, .csv, .html, .svg, "
		        ".folded, .speedscope.json or .trace.json",
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
	if (cells != NULL && report_range_parse(slice_from(cells), &r->range) != 0)
		return message_usage(
		        r->arena,
		        "invalid cell range '%s': a range is one of 5, 2:8, :5, 3:, and :", cells);
	return EXIT_DONE;
}

/* ---- output ---- */

int command_report_put(struct request *r, struct slice text, struct slice marker)
{
	const char *path = r->options->report.output;
	const struct slice markers[] = {marker, {0}};
	bool forcible;
	if (path == NULL || strcmp(path, "-") == 0)
		return message_print(r->arena, text);
	const char *reason = os_keep_reason(path, markers, r->options->build.force, &forcible);
	if (forcible && reason != NULL && reason != os_keep_unknown)
		reason = "is not known to be a report in this form";
	if (reason != NULL)
		return message_kept(r->arena, path, reason, forcible);
	return message_write(r->arena, path, text);
}

const char *command_report_extra(const struct options *options)
{
	return options->report.filter != NULL ? "--suggest-filter"
	       : options->report.table != 0   ? "--table"
	       : options->sort != NULL        ? "--sort"
	       : options->report.brief        ? "--brief"
	                                      : NULL;
}

/* ---- samples ---- */

/* What the names of the files of RUN begin with, where that can be named in place of them; else the name of the first
 * file. */
static struct slice operand_of(const struct report_run *run)
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
	return is_one ? first : slice_sub(common, 0, common.len - 1);
}

/* A report is of one run, and there are several. */
static int say_several(struct request *r, const struct report_files *files)
{
	struct strbuf hint = {.arena = r->arena};
	strbuf_puts(&hint, "name one of them:\n");
	vec_each(const struct report_run, run, &files->runs) {
		strbuf_printf(&hint, "  %.*s", SLICE_ARG(operand_of(run)));
		if (run->nodes.count > 1)
			strbuf_printf(&hint, " (%zu nodes)", run->nodes.count);
		strbuf_addc(&hint, '\n');
	}
	return message_fail(r->arena, EXIT_UNCLEAR, arena_cstr(r->arena, strbuf_slice(&hint)),
	                    "'%.*s' has the samples of %zu runs, and a report shows one",
	                    SLICE_ARG(files->name), files->runs.count);
}

/* Reports what is not a file of samples, or cannot be read in a folder, and reads the other files. */
static int read_files(struct request *r, size_t number)
{
	struct report_files *files = &r->files[number];
	int status = EXIT_DONE;
	const char *path = r->options->operands.items[number];
	if (report_read(r->arena, path, files) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(files->name), strerror(errno));
	for (size_t i = 0; i < files->problems.count; i++)
		status = message_fail(
		        r->arena, files->is_unread ? EXIT_SYSTEM : EXIT_NOTEBOOK,
		        slice_ends_with(slice_from(path), SLICE(".ipynb"))
		                ? "'nbscorep run --monitor' of a notebook writes NAME.samples\n"
		                : "",
		        "%.*s", SLICE_ARG(files->problems.items[i]));
	vec_each(struct report_run, run, &files->runs) {
		run->first_index = r->first_index;
		for (size_t k = 0; k < run->nodes.count; k++) {
			if (run->nodes.items[k].series.truncated)
				message_fail(
				        r->arena, EXIT_DONE, "",
				        "'%.*s' ends in the middle of a record, or is damaged; "
				        "what is before that is shown",
				        SLICE_ARG(run->nodes.items[k].file));
		}
	}
	return status;
}

static int check_level(struct request *r, const struct report_run *run)
{
	if (r->options->report.level == 0 || report_has_level(run, r->level))
		return EXIT_DONE;
	return message_usage(r->arena, "'%.*s' has no samples of level %.*s", SLICE_ARG(run->name),
	                     SLICE_ARG(level_name(r->level)));
}

static int make_report(struct request *r, const struct report_run *run, struct report *report)
{
	if (report_make(r->arena, run, r->level, r->range, report) != 0)
		return message_usage(r->arena, "no cell of '%s' ran in '%.*s'",
		                     r->options->report.cells, SLICE_ARG(run->name));
	report->plots = r->plots;
	return EXIT_DONE;
}

int command_report_join(struct request *r, struct slice directory, const struct report **out)
{
	struct report_files *files = &r->files[0];
	int status = EXIT_DONE;
	*out = NULL;
	if (r->count > 1)
		status = read_files(r, 1);
	else if (report_read(r->arena, arena_cstr(r->arena, directory), files) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(files->name), strerror(errno));
	files = &r->files[r->count - 1];
	if (status != EXIT_DONE || files->runs.count == 0)
		return status;
	if (files->runs.count > 1)
		return say_several(r, files);
	status = check_level(r, &files->runs.items[0]);
	if (status == EXIT_DONE)
		status = make_report(r, &files->runs.items[0], &r->reports[0]);
	*out = &r->reports[0];
	return status;
}

/* Reports what the operands of R, which are files of samples or folders with some, have. Returns an exit status. */
static int report_samples(struct request *r)
{
	const struct options *options = r->options;
	const char *extra = options->report.rank != NULL       ? "--rank"
	                    : options->report.function != NULL ? "--function"
	                    : options->report.scaling          ? "--scaling"
	                    : options->report.fail_if != NULL  ? "--fail-if"
	                    : options->report.top != 0         ? "--top"
	                                                       : command_report_extra(options);
	struct strbuf out = {.arena = r->arena};
	int problems = EXIT_DONE, status = EXIT_DONE;
	if (r->count > RUNS)
		return message_usage(r->arena, "'report' compares two files of samples, not %zu",
		                     r->count);
	if (extra != NULL)
		return message_usage(r->arena, "'%s' is for a measurement, not for samples", extra);
	if (r->form->one == NULL)
		return message_usage(r->arena, "samples have no form '%s'", r->form->name);
	if (r->count == RUNS && r->form->compare == NULL)
		return message_usage(r->arena,
		                     "two runs have no form '%s': compare them as text or json",
		                     r->form->name);
	for (size_t i = 0; status == EXIT_DONE && i < r->count; i++) {
		int found = read_files(r, i);
		problems = found > problems ? found : problems;
		if (r->files[i].runs.count == 0)
			status = found;
	}
	for (size_t i = 0; status == EXIT_DONE && i < r->count; i++) {
		if (r->files[i].runs.count > 1)
			status = say_several(r, &r->files[i]);
	}
	for (size_t i = 0; status == EXIT_DONE && i < r->count; i++)
		status = check_level(r, &r->files[i].runs.items[0]);
	for (size_t i = 0; status == EXIT_DONE && i < r->count; i++)
		status = make_report(r, &r->files[i].runs.items[0], &r->reports[i]);
	if (status == EXIT_DONE && r->count == RUNS)
		r->form->compare(&out, &r->reports[0], &r->reports[1]);
	else if (status == EXIT_DONE)
		r->form->one(&out, &r->reports[0]);
	if (status == EXIT_DONE)
		status = command_report_put(r, strbuf_slice(&out), r->form->marker);
	if (status == EXIT_DONE && options->report.notebook != NULL &&
	    report_add_to_notebook(&r->reports[0], options->report.notebook) != 0)
		status = message_fail(r->arena, EXIT_SYSTEM, "", "cannot add figures to '%s': %s",
		                      options->report.notebook,
		                      errno == EINVAL ? "it is not an executed notebook of nbscorep"
		                                      : strerror(errno));
	return status != EXIT_DONE ? status : problems;
}

int command_report(struct invocation *invocation)
{
	struct request r = {.arena = invocation->arena, .options = invocation->options};
	int status = read_options(&r);
	if (status == EXIT_DONE && r.options->report.notebook == NULL)
		status = command_report_find(&r);
	if (status != EXIT_DONE)
		return status;
	return r.measured != NULL && r.measured[0].count > 0 ? command_report_measured(&r)
	                                                     : report_samples(&r);
}
