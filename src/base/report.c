#include "base/report.h"

#include "base/report_formats.h"

const char *report_severity(enum severity severity)
{
	switch (severity) {
	case SEVERITY_ERROR:
		return "error";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_REMARK:
	case SEVERITY_IGNORED:
		break;
	}
	return "remark";
}

void report_begin(struct report *report, const struct report_options *options, struct strbuf *out)
{
	*report = (struct report){.options = *options, .out = out};
	json_writer_init(&report->json, out);
	if (options->format == REPORT_JSON)
		report_json_begin(&report->json);
	else if (options->format == REPORT_SARIF)
		report_sarif_begin(&report->json, options->version);
}

/* The file that the diagnostic is about. */
static struct report_file file_of(const struct report_file *file, const struct diag *diag)
{
	struct slice name = diag->where.file;
	if (name.len == 0)
		return *file;
	for (file = file->included; file != NULL; file = file->included) {
		if (slice_eq(file->name, name))
			return *file;
	}
	return (struct report_file){.name = name};
}

static unsigned file_line(const struct report_file *file, const struct diag *diag)
{
	unsigned cell = diag->where.cell;
	return cell > 0 && cell <= file->cell_count ? file->cell_lines[cell - 1] : 0;
}

static void add_one(struct report *report, const struct report_file *file, const struct diag *diag)
{
	switch (report->options.format) {
	case REPORT_TEXT:
		report_text_diag(report->out, report->options.color, file->name, diag);
		break;
	case REPORT_JSON:
		report_json_diag(&report->json, file->name, diag);
		break;
	case REPORT_SARIF:
		report_sarif_diag(&report->json, file->name, file_line(file, diag), diag);
		break;
	}
}

void report_add(struct report *report, const struct report_file *file, const struct diags *diags)
{
	for (size_t i = 0; i < diags->list.count; i++) {
		struct report_file about = file_of(file, &diags->list.items[i]);
		add_one(report, &about, &diags->list.items[i]);
	}
	report->errors += diags->errors;
	report->warnings += diags->warnings;
}

void report_end(struct report *report)
{
	if (report->options.format == REPORT_TEXT)
		return;
	if (report->options.format == REPORT_JSON)
		report_json_end(&report->json, report->errors, report->warnings);
	else
		report_sarif_end(&report->json);
	strbuf_addc(report->out, '\n');
}

static void add_count(struct strbuf *out, size_t count, const char *what)
{
	strbuf_printf(out, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

void report_counts(struct strbuf *out, size_t errors, size_t warnings)
{
	if (errors == 0 && warnings == 0)
		return;
	if (errors > 0)
		add_count(out, errors, "error");
	if (errors > 0 && warnings > 0)
		strbuf_puts(out, ", ");
	if (warnings > 0)
		add_count(out, warnings, "warning");
	strbuf_addc(out, '\n');
}
