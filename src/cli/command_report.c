/* The command `report`: of samples, of measurements, or of both. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cell_mark.h"
#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "emit/template.h"
#include "report/profile_compare.h"
#include "report/profile_export.h"
#include "report/profile_html.h"
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

/* A form of the option --format. A function is NULL where samples, two files of them, a measurement, two measurements or a
 * series of them have no such form. */
struct report_form {
	const char *name;
	struct slice ending; /* of files that are written in this form unless --format is given */
	struct slice marker, measured_marker; /* what a file of ours begins with */
	void (*one)(struct strbuf *out, const struct report *report);
	void (*compare)(struct strbuf *out, const struct report *a, const struct report *b);
	void (*measured)(struct strbuf *out, const struct profile_report *report);
	void (*measured_compare)(struct strbuf *out, const struct profile_groups *groups);
	void (*series)(struct strbuf *out, const struct profile_groups *groups);
	size_t changes; /* of timelines; 0: it takes none */
};

enum { RUNS = 2 };

/* What is asked for, and what was read. */
struct request {
	struct arena *arena;
	const struct options *options;
	const struct report_form *form;
	struct report_range range;
	unsigned first_index;
	unsigned level; /* of samples */
	unsigned plots;
	size_t count;
	struct report_files files[RUNS];
	struct report reports[RUNS]; /* two of them are compared */
	directory_list *measured;    /* by operand: experiment directories */
	bool is_series;              /* of measurements */
};

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

/* The form of --format, else the one for the ending of the file's name, else text; NULL: the name has another ending. */
static const struct report_form *choose_form(const struct options *options)
{
	struct slice path =
	        slice_from(options->report.output == NULL ? "" : options->report.output);
	if (options->format != 0)
		return &forms[options->format - 1];
	for (size_t i = sizeof forms / sizeof *forms; i-- > 0;) { /* .trace.json before .json */
		if (slice_ends_with(path, forms[i].ending))
			return &forms[i];
	}
	struct slice file = path_file(path);
	return slice_find(file, '.', 1) == file.len ? &forms[0] : NULL;
}

static int read_options(struct request *r)
{
	const struct options *options = r->options;
	const char *metrics = options->report.metrics, *first = options->report.first_index;
	const char *cells = options->report.cells;
	struct slice wrong;
	r->form = choose_form(options);
	r->count = options->operands.count;
	r->range = REPORT_RANGE_ALL;
	/* That of the program is sampled always. */
	r->level = options->report.level != 0 ? (unsigned)options->report.level - 1 : LEVEL_PROCESS;
	if (r->count == 0)
		return message_usage(
		        r->arena, "'report' requires an experiment directory or a file of samples");
	if (options->report.notebook != NULL && r->count != 1)
		return message_usage(r->arena, "'--notebook' is for the samples of one run");
	if (r->form == NULL)
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

/* Writes TEXT to standard output, or to the file of --output. MARKER: what an earlier report of this form begins with;
 * empty: not known. Returns an exit status. */
static int put_report(struct request *r, struct slice text, struct slice marker)
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

/* An option that was given and that only the report of one measurement has, or NULL. */
static const char *measured_option(const struct options *options)
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

/* Makes the reports of the files from FIRST on, each of which has a run. Returns an exit status. */
static int make_reports(struct request *r, size_t first)
{
	for (size_t i = first; i < r->count; i++) {
		if (r->files[i].runs.count > 1)
			return say_several(r, &r->files[i]);
	}
	for (size_t i = first; i < r->count; i++) {
		const struct report_run *run = &r->files[i].runs.items[0];
		if (r->options->report.level != 0 && !report_has_level(run, r->level))
			return message_usage(r->arena, "'%.*s' has no samples of level %.*s",
			                     SLICE_ARG(run->name), SLICE_ARG(level_name(r->level)));
	}
	for (size_t i = first; i < r->count; i++) {
		const struct report_run *run = &r->files[i].runs.items[0];
		if (report_make(r->arena, run, r->level, r->range, &r->reports[i]) != 0)
			return message_usage(r->arena, "no cell of '%s' ran in '%.*s'",
			                     r->options->report.cells, SLICE_ARG(run->name));
		r->reports[i].plots = r->plots;
	}
	return EXIT_DONE;
}

/* Makes a report of the samples of the run that DIRECTORY measured: of the second operand, or of those in it. *OUT is NULL
 * without any. Returns an exit status. */
static int join_samples(struct request *r, struct slice directory, const struct report **out)
{
	struct report_files *files = &r->files[0];
	int status = EXIT_DONE;
	*out = NULL;
	if (r->count > 1)
		status = read_files(r, 1);
	else if (report_read(r->arena, arena_cstr(r->arena, directory), files) != 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(files->name), strerror(errno));
	size_t last = r->count - 1;
	if (status != EXIT_DONE || r->files[last].runs.count == 0)
		return status;
	*out = &r->reports[last];
	return make_reports(r, last);
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
	                                                       : measured_option(options);
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
	if (status == EXIT_DONE)
		status = make_reports(r, 0);
	if (status == EXIT_DONE && r->count == RUNS)
		r->form->compare(&out, &r->reports[0], &r->reports[1]);
	else if (status == EXIT_DONE)
		r->form->one(&out, &r->reports[0]);
	if (status == EXIT_DONE)
		status = put_report(r, strbuf_slice(&out), r->form->marker);
	if (status == EXIT_DONE && options->report.notebook != NULL &&
	    report_add_to_notebook(&r->reports[0], options->report.notebook) != 0)
		status = message_fail(r->arena, EXIT_SYSTEM, "", "cannot add figures to '%s': %s",
		                      options->report.notebook,
		                      errno == EINVAL ? "it is not an executed notebook of nbscorep"
		                                      : strerror(errno));
	return status != EXIT_DONE ? status : problems;
}

/* ---- measurements ---- */

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

static int read_measurement(struct request *r, struct slice directory, const struct report *samples,
                            struct profile *out)
{
	struct profile_selection selection;
	struct measurement *measurement = arena_calloc(r->arena, 1, sizeof *measurement);
	struct slice failed;
	if (read_selection(r, &selection) != EXIT_DONE)
		return EXIT_USAGE;
	const char *problem =
	        measurement_read(measurement, r->arena, directory, r->form->changes, &failed);
	if (problem != NULL)
		return message_fail(r->arena, EXIT_NOTEBOOK, "", "cannot read '%.*s': %s",
		                    SLICE_ARG(failed), problem);
	if (measurement->locations.count == 0)
		return message_fail(r->arena, EXIT_NOTEBOOK, "",
		                    "'%.*s' has no threads of a program", SLICE_ARG(directory));
	bool has_timeline = false;
	for (size_t i = 0; i < measurement->locations.count; i++)
		has_timeline |= measurement->locations.items[i].timelines.count > 0;
	if (r->form->measured == report_profile_chrome && !has_timeline)
		return message_usage(r->arena,
		                     "'%.*s' has no trace, which '%s' requires: measure with "
		                     "SCOREP_ENABLE_TRACING=true",
		                     SLICE_ARG(directory), r->form->name);
	if (profile_make(out, r->arena, measurement, samples, &selection) != 0)
		return message_usage(r->arena, "'%.*s' has nothing of what is selected",
		                     SLICE_ARG(directory));
	out->directory = directory;
	if (measurement->lines_problem != NULL)
		message_fail(r->arena, EXIT_DONE, "", "note: %s", measurement->lines_problem);
	if (measurement->lines.count > 0 && out->lines.list.count == 0)
		message_fail(r->arena, EXIT_DONE, "",
		             "note: '%.*s' has samples of lines, but no '" SCRIPT_COPY
		             "' that says which lines these are",
		             SLICE_ARG(directory));
	return EXIT_DONE;
}

/* Writes --suggest-filter. */
static int put_filter(struct request *r, const struct profile *profile)
{
	static const struct slice markers[] = {SLICE_INIT(PROFILE_FILTER_MARKER), {0}};
	double share;
	bool forcible;
	const char *path = r->options->report.filter;
	struct strbuf text = {.arena = r->arena};
	size_t count = profile_suggest_filter(&text, profile, &share);
	if (count == 0)
		return message_fail(
		        r->arena, EXIT_DONE, "",
		        "note: no function costs more than it is worth; '%s' is not written", path);
	const char *reason = os_keep_reason(path, markers, r->options->build.force, &forcible);
	if (reason != NULL)
		return message_kept(r->arena, path, reason, forcible);
	if (message_write(r->arena, path, strbuf_slice(&text)) != EXIT_DONE)
		return EXIT_SYSTEM;
	return message_fail(
	        r->arena, EXIT_DONE, "",
	        "SCOREP_FILTERING_FILE=%s leaves out %zu function%s with %.0f %% of the "
	        "events",
	        path, count, count == 1 ? "" : "s", share * 100);
}

/* The report of a measurement, with the samples of the second operand. */
static int report_measurement(struct request *r, struct slice directory)
{
	struct profile profile = {0};
	const struct report *samples;
	struct profile_report report = {
	        .profile = &profile,
	        .table = r->options->report.table,
	        .sort = slice_from(r->options->sort == NULL ? "" : r->options->sort),
	        .is_brief = r->options->report.brief};
	int status = join_samples(r, directory, &samples);
	if (status == EXIT_DONE)
		status = read_measurement(r, directory, samples, &profile);
	if (status != EXIT_DONE)
		return status;
	if (r->options->report.function != NULL && profile.functions.count == 0)
		return message_usage(r->arena, "'%.*s' has no function with '%s' in its name",
		                     SLICE_ARG(directory), r->options->report.function);
	struct strbuf out = {.arena = r->arena};
	struct figure_table sorted[PROFILE_TABLES];
	if (report.sort.len > 0 && report_profile_tables(&report, sorted) == 0)
		return message_usage(r->arena, "no table has the column '%.*s'",
		                     SLICE_ARG(report.sort));
	diagnosis_make(&report.findings, &profile);
	r->form->measured(&out, &report);
	struct slice text = strbuf_slice(&out), marker = r->form->measured_marker;
	if (r->form->measured == report_profile_csv) /* its titles */
		marker = slice_sub(text, 0, slice_find(text, '\n', 0));
	else if (!slice_starts_with(text, marker)) /* a table, or one line */
		marker = SLICE("");
	status = put_report(r, text, marker);
	if (status == EXIT_DONE && r->options->report.filter != NULL)
		status = put_filter(r, &profile);
	return status;
}

/* Two groups of measurements beside each other; or all operands as a series. */
static int report_measurements(struct request *r)
{
	struct profile_groups groups = {.count = r->is_series ? 1 : RUNS};
	struct slice wrong;
	const char *conditions = r->options->report.fail_if;
	for (size_t i = 0; i < r->count; i++) {
		struct profile_group *group = &groups.items[r->is_series ? 0 : i];
		if (group->name.len == 0)
			group->name = slice_from(r->options->operands.items[i]);
		for (size_t k = 0; k < r->measured[i].count; k++) {
			struct profile *profile = arena_calloc(r->arena, 1, sizeof *profile);
			int status = read_measurement(r, r->measured[i].items[k], NULL, profile);
			if (status != EXIT_DONE)
				return status;
			vec_push(r->arena, &group->runs, profile);
		}
	}
	struct strbuf out = {.arena = r->arena}, failures = {.arena = r->arena};
	(r->is_series ? r->form->series : r->form->measured_compare)(&out, &groups);
	struct slice text = strbuf_slice(&out), marker = r->form->measured_marker;
	if (r->form->series == profile_series_csv)
		marker = slice_sub(text, 0, slice_find(text, '\n', 0));
	int status = put_report(r, text, marker);
	if (status != EXIT_DONE || conditions == NULL)
		return status;
	int met = profile_compare_check(&failures, &groups, slice_from(conditions), &wrong);
	if (met < 0)
		return message_usage(r->arena,
		                     "'--fail-if' has conditions such as 'cell 9 > 1.2x' and "
		                     "'all > 2s', of what was measured, not '%.*s'",
		                     SLICE_ARG(wrong));
	(void)os_write_all(STDERR_FILENO, strbuf_slice(&failures));
	return met > 0 ? EXIT_NOTEBOOK : EXIT_DONE;
}

/* Reports one measurement, with the samples of its run; or two, or groups of them, beside each other; or all as a series.
 * Returns an exit status. In a process of its own, because the OTF2 library may end it over a damaged archive. */
static int report_measured(struct request *r)
{
	const struct rlimit no_core = {0, 0};
	bool is_one = r->measured[0].count == 1 && (r->count == 1 || r->measured[1].count == 0);
	int status = 0;
	r->is_series = r->count > RUNS || (r->count == 1 && !is_one) || r->options->report.scaling;
	bool is_comparison = !r->is_series && !is_one;
	for (size_t i = 0; i < r->count; i++) {
		if (!is_one && r->measured[i].count == 0)
			return message_usage(r->arena, "'%s' is not an experiment directory",
			                     r->options->operands.items[i]);
	}
	if (r->options->report.fail_if != NULL && !is_comparison)
		return message_usage(r->arena, "'--fail-if' is for two measurements");
	if (r->options->report.brief && r->form->one != report_text)
		return message_usage(r->arena, "'--brief' is for text");
	const char *extra = measured_option(r->options);
	if (extra != NULL && !is_one)
		return message_usage(r->arena, "'%s' is for one measurement", extra);
	bool has_form = r->is_series    ? r->form->series != NULL
	                : is_comparison ? r->form->measured_compare != NULL
	                                : r->form->measured != NULL;
	if (!has_form)
		return message_usage(r->arena, "%s no form '%s'",
		                     r->is_series    ? "a series of measurements has"
		                     : is_comparison ? "two measurements have"
		                                     : "a measurement has",
		                     r->form->name);
	fflush(NULL);
	pid_t process = fork();
	if (process < 0)
		return message_fail(r->arena, EXIT_SYSTEM, "", "cannot start a process: %s",
		                    strerror(errno));
	if (process == 0) {
		(void)setrlimit(RLIMIT_CORE, &no_core);
		exit(is_one && !r->is_series ? report_measurement(r, r->measured[0].items[0])
		                             : report_measurements(r));
	}
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGPIPE) /* who reads the report has enough */
		(void)raise(SIGPIPE);
	return message_fail(r->arena, EXIT_NOTEBOOK, "",
	                    "cannot read '%s/traces.otf2': the OTF2 library ended with signal %d",
	                    r->options->operands.items[0], WTERMSIG(status));
}

/* Finds the measurements of all operands of R, and converts what was recorded only. A folder with samples means these; a
 * measurement's file becomes the operand of its folder. Returns an exit status. */
static int find_measurements(struct request *r)
{
	r->measured = arena_calloc(r->arena, r->count, sizeof *r->measured);
	for (size_t i = 0; i < r->count; i++) {
		const char **operand = &r->options->operands.items[i];
		struct slice path = slice_from(*operand), file = path_file(path);
		directory_list parts = {0};
		struct os_names names = {0};
		bool has_samples = false;
		/* As Cube and Vampir are called: the directory's file names the directory. */
		if (slice_is_word_of(file, "profile.cubex traces.otf2") && os_is_file(*operand)) {
			path = path_folder(path);
			*operand = arena_cstr(r->arena, path);
		}
		measurement_directories(r->arena, path, &parts);
		if (parts.count == 0)
			(void)os_list_folder(r->arena, arena_cstr(r->arena, path), &names);
		for (size_t k = 0; k < names.list.count; k++)
			has_samples |= slice_ends_with(names.list.items[k], SLICE(".samples"));
		if (!has_samples)
			measurement_runs(r->arena, path, &r->measured[i]);
		for (size_t k = 0; k < r->measured[i].count && parts.count == 0; k++)
			measurement_directories(r->arena, r->measured[i].items[k], &parts);
		for (size_t k = 0; k < parts.count; k++) {
			int status = EXIT_DONE;
			if (recording_exists(r->arena, parts.items[k]))
				status = record_results(r->arena,
				                        arena_cstr(r->arena, parts.items[k]), true,
				                        false);
			if (status != EXIT_DONE)
				return status;
		}
	}
	return EXIT_DONE;
}

int command_report(struct arena *arena, struct options *options)
{
	struct request r = {.arena = arena, .options = options};
	int status = read_options(&r);
	if (status == EXIT_DONE && r.options->report.notebook == NULL)
		status = find_measurements(&r);
	if (status != EXIT_DONE)
		return status;
	return r.measured != NULL && r.measured[0].count > 0 ? report_measured(&r)
	                                                     : report_samples(&r);
}
