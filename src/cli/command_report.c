#include <errno.h>

#include "base/cell_mark.h"
#include "base/os.h"
#include "cli/cli.h"
#include "cli/report_page.h"
#include "monitor/report_formats.h"

/* In the order of options.def. COMPARE is NULL where two runs have no such form. */
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
        {"html", SLICE_INIT(".html"), SLICE_INIT(REPORT_HTML_MARKER), report_page, NULL},
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
	plot_set plots;
	size_t count;
	struct report_run runs[RUNS];
	struct report reports[RUNS];
};

static int range_error(struct request *r, struct slice text, size_t at)
{
	return cli_usage_error(r->arena,
	                       "invalid cell range '%.*s', character %zu: a range is one of 5, "
	                       "2:8, :5, 3:, and :",
	                       SLICE_ARG(text), at + 1);
}

static int read_metrics(struct request *r)
{
	const char *metrics = r->options->metrics;
	struct slice wrong;
	r->plots = PLOTS_STANDARD;
	if (metrics == NULL)
		return EXIT_DONE;
	if (r->form->one != report_svg)
		return cli_usage_error(r->arena, "'--metrics' is for --format=svg");
	if (plots_read(slice_from(metrics), &r->plots, &wrong))
		return EXIT_DONE;
	return cli_usage_error(r->arena,
	                       "'--metrics' knows no '%.*s', but cpu, mem, io, gpu and those that "
	                       "JUmPER has in them",
	                       SLICE_ARG(wrong));
}

static int read_first_index(struct request *r)
{
	const char *text = r->options->first_index;
	if (text == NULL || cell_number_read(slice_from(text), &r->first_index))
		return EXIT_DONE;
	return cli_usage_error(r->arena, "'--first-index' wants a whole number, not '%s'", text);
}

/* The form of --format, else the one that the name of the file says, else text. */
static const struct report_form *choose_form(const struct options *options)
{
	const char *path = options->output == NULL ? "" : options->output;
	if (options->report_format != 0)
		return &forms[options->report_format - 1];
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (slice_ends_with(slice_from(path), forms[i].ending))
			return &forms[i];
	}
	return &forms[0];
}

static int read_options(struct request *r)
{
	const struct options *options = r->options;
	size_t at;
	r->form = choose_form(options);
	r->count = options->operands.count;
	r->range = REPORT_RANGE_ALL;
	if (r->count == 0 || r->count > RUNS)
		return cli_usage_error(r->arena, "'report' wants a file or folder of samples, or "
		                                 "two to compare");
	if (r->count == RUNS && r->form->compare == NULL)
		return cli_usage_error(r->arena,
		                       "two runs have no form '%s': compare them as text or json",
		                       r->form->name);
	if (read_metrics(r) != EXIT_DONE || read_first_index(r) != EXIT_DONE)
		return EXIT_USAGE;
	if (options->cells == NULL)
		return EXIT_DONE;
	struct slice text = slice_from(options->cells);
	return report_range_parse(text, &r->range, &at) == 0 ? EXIT_DONE : range_error(r, text, at);
}

/* Text and JSON of one run say so themselves. */
static void tell_damage(struct request *r, const struct report_run *run)
{
	bool is_told =
	        r->count == 1 && (r->form->one == report_text || r->form->one == report_json);
	for (size_t i = 0; !is_told && i < run->nodes.count; i++) {
		const struct report_node *node = &run->nodes.items[i];
		if (node->series.truncated)
			cli_fail(r->arena, EXIT_DONE, "", "'%.*s' " REPORT_DAMAGE,
			         SLICE_ARG(node->file));
	}
}

/* What is no file of samples, or cannot be read in a folder, is said, and the others are read. */
static int read_run(struct request *r, size_t number)
{
	struct report_run *run = &r->runs[number];
	struct slice failed;
	int status = EXIT_DONE;
	if (report_run_read(r->arena, r->options->operands.items[number], run, &failed) != 0)
		return cli_fail(r->arena, EXIT_SYSTEM, "", "cannot read '%.*s': %s",
		                SLICE_ARG(failed), strerror(errno));
	run->first_index = r->first_index;
	for (size_t i = 0; i < run->problems.count; i++)
		status = cli_fail(r->arena, run->is_unread ? EXIT_SYSTEM : EXIT_NOTEBOOK, "",
		                  "%.*s", SLICE_ARG(run->problems.items[i]));
	tell_damage(r, run);
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
	return cli_usage_error(r->arena, "'%.*s' has no samples of level %.*s%.*s",
	                       SLICE_ARG(run->name), SLICE_ARG(name),
	                       SLICE_ARG(strbuf_slice(&levels)));
}

/* The level that was asked for, else the first that there is: process where it was sampled. */
static int choose_level(struct request *r, const struct report_run *run, unsigned *level)
{
	bool asked = r->options->level != 0;
	*level = asked ? (unsigned)r->options->level - 1 : 0;
	while (!asked && *level < LEVEL_COUNT && !report_has_level(run, *level))
		++*level;
	if (*level == LEVEL_COUNT)
		*level = LEVEL_PROCESS;
	else if (asked && !report_has_level(run, *level))
		return no_level(r, run, level_name(*level));
	return EXIT_DONE;
}

static int no_cell(struct request *r, const struct report_run *run)
{
	return cli_usage_error(r->arena, "no cell of '%s' ran in '%.*s'", r->options->cells,
	                       SLICE_ARG(run->name));
}

static int make_reports(struct request *r)
{
	unsigned level;
	if (choose_level(r, &r->runs[0], &level) != EXIT_DONE)
		return EXIT_USAGE;
	for (size_t i = 0; i < r->count; i++) {
		if (i > 0 && !report_has_level(&r->runs[i], level))
			return no_level(r, &r->runs[i], level_name(level));
		if (report_make(r->arena, &r->runs[i], level, r->range, &r->reports[i]) != 0)
			return no_cell(r, &r->runs[i]);
		r->reports[i].plots = r->plots;
	}
	return EXIT_DONE;
}

static int write_file(struct request *r, const char *path, struct slice text)
{
	enum os_occupant occupant;
	const struct os_file file = {path, text, 0666}, *failed;
	if (os_occupant(path, r->form->marker, &occupant) == 0 && occupant != OS_FREE &&
	    occupant != OS_MARKED && !(occupant == OS_FOREIGN && r->options->force))
		return cli_fail(r->arena, EXIT_SYSTEM, "",
		                "'%s' holds no report of this form; it is left as it is%s", path,
		                occupant == OS_FOREIGN ? " (--force overwrites it)" : "");
	if (os_put_files(r->arena, &file, 1, &failed) != 0)
		return cli_fail(r->arena, EXIT_SYSTEM, "", "cannot write '%s': %s", path,
		                strerror(errno));
	return EXIT_DONE;
}

static int put_report(struct request *r)
{
	struct strbuf out;
	const char *path = r->options->output;
	strbuf_init(&out, r->arena);
	if (r->count == RUNS)
		r->form->compare(&out, &r->reports[0], &r->reports[1]);
	else
		r->form->one(&out, &r->reports[0]);
	if (path == NULL || strcmp(path, "-") == 0)
		return cli_print(r->arena, strbuf_slice(&out));
	return write_file(r, path, strbuf_slice(&out));
}

int command_report(struct invocation *invocation)
{
	struct request r = {.arena = invocation->arena, .options = invocation->options};
	int problems = EXIT_DONE, status = read_options(&r);
	for (size_t i = 0; status == EXIT_DONE && i < r.count; i++) {
		int found = read_run(&r, i);
		problems = found > problems ? found : problems;
		if (r.runs[i].nodes.count == 0)
			status = found;
	}
	if (status == EXIT_DONE)
		status = make_reports(&r);
	if (status == EXIT_DONE)
		status = put_report(&r);
	return status != EXIT_DONE ? status : problems;
}
