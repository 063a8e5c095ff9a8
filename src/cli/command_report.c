#include "cli/command_report.h"

#include <errno.h>
#include <string.h>

#include "base/cell_mark.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "cli/command_report_measured.h"
#include "cli/command_report_samples.h"
#include "emit/template.h"
#include "report/profile_export.h"
#include "report/profile_html.h"
#include "report/report_compare.h"
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
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
	if (options->report.format != 0) {
		*form = &forms[options->report.format - 1];
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
	size_t at;
	bool has_form = choose_form(options, &r->form);
	r->count = options->operands.count;
	r->range = REPORT_RANGE_ALL;
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
	if (cells != NULL && report_range_parse(slice_from(cells), &r->range, &at) != 0)
		return message_usage(
		        r->arena,
		        "invalid cell range '%s', character %zu: a range is one of 5, 2:8, :5, "
		        "3:, and :",
		        cells, at + 1);
	return EXIT_DONE;
}

/* ---- output ---- */

int command_report_put(struct request *r, struct slice text, struct slice marker)
{
	const struct os_file file = {.path = r->options->report.output, .text = text, .mode = 0666};
	const struct slice markers[] = {marker, {0}};
	const struct os_file *failed;
	bool forcible;
	if (file.path == NULL || strcmp(file.path, "-") == 0)
		return message_print(r->arena, text);
	const char *reason = os_keep_reason(file.path, markers, r->options->build.force, &forcible);
	if (reason == os_keep_unknown)
		return message_kept(r->arena, file.path, reason, forcible);
	if (reason != NULL && forcible && marker.len == 0)
		return message_fail(
		        r->arena, EXIT_SYSTEM, "--force overwrites it\n",
		        "'%s' exists, and this form has no mark by which nbscorep knows its own "
		        "files",
		        file.path);
	if (reason != NULL) /* it may be a report of another form */
		return message_fail(r->arena, EXIT_SYSTEM,
		                    forcible ? "--force overwrites it\n" : "",
		                    "'%s' %s in this form; it is left as it is", file.path, reason);
	if (os_put_files(r->arena, &file, 1, &failed) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot write '%s': %s", file.path,
		                    strerror(errno));
	return EXIT_DONE;
}

const char *command_report_extra(const struct options *options)
{
	return options->report.filter != NULL ? "--suggest-filter"
	       : options->report.table != 0   ? "--table"
	       : options->report.sort != NULL ? "--sort"
	       : options->report.brief        ? "--brief"
	                                      : NULL;
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
	                                                     : command_report_samples(&r);
}
