#include "cli/command_report_measured.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "report/profile_export.h"
#include "report/report_text.h"
#include "run/experiment.h"
#include "trace/recording_read.h"

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
	static const struct slice tables[] = {
	        SLICE_INIT(""),           SLICE_INIT("findings"),  SLICE_INIT("cells"),
	        SLICE_INIT("efficiency"), SLICE_INIT("functions"), SLICE_INIT("calls"),
	        SLICE_INIT("locations"),  SLICE_INIT("messages"),
	};
	struct profile profile = {0};
	const struct report *samples;
	struct profile_report report = {
	        .profile = &profile,
	        .directory = directory,
	        .table = tables[r->options->report.table],
	        .sort = slice_from(r->options->sort == NULL ? "" : r->options->sort),
	        .is_brief = r->options->report.brief};
	int status = command_report_join(r, directory, &samples);
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
	status = command_report_put(r, text, marker);
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
			struct profile_run run = {profile, r->measured[i].items[k]};
			int status = read_measurement(r, run.directory, NULL, profile);
			if (status != EXIT_DONE)
				return status;
			vec_push(r->arena, &group->runs, run);
		}
	}
	struct strbuf out = {.arena = r->arena};
	struct strbuf failures = {.arena = r->arena};
	(r->is_series ? r->form->series : r->form->measured_compare)(&out, &groups);
	struct slice text = strbuf_slice(&out), marker = r->form->measured_marker;
	if (r->form->series == profile_series_csv)
		marker = slice_sub(text, 0, slice_find(text, '\n', 0));
	int status = command_report_put(r, text, marker);
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

/* In a process of its own, because the OTF2 library may end it over a damaged archive. */
int command_report_measured(struct request *r)
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
	const char *extra = command_report_extra(r->options);
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

int command_report_find(struct request *r)
{
	struct os_names names;
	r->measured = arena_calloc(r->arena, r->count, sizeof *r->measured);
	for (size_t i = 0; i < r->count; i++) {
		const char **operand = &r->options->operands.items[i];
		struct slice path = slice_from(*operand), file = path_file(path);
		directory_list parts = {0};
		bool has_samples = false;
		names = (struct os_names){0};
		/* As Cube and Vampir are called: the directory's file names the directory. */
		if (slice_is_word_of(file, "profile.cubex traces.otf2") && os_is_file(*operand)) {
			path = path_folder(path);
			*operand = arena_cstr(r->arena, path);
		}
		measurement_directories(r->arena, path, &parts);
		if (parts.count == 0 && os_is_directory(arena_cstr(r->arena, path)) &&
		    os_list_folder(r->arena, arena_cstr(r->arena, path), &names) == 0) {
			for (size_t k = 0; k < names.list.count; k++)
				has_samples |=
				        slice_ends_with(names.list.items[k], SLICE(".samples"));
		}
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
