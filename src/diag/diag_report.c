#include "diag/diag_report.h"

#include "base/digest.h"
#include "diag/diag_report_sarif.h"
#include "diag/diag_report_text.h"

/* ---- JSON ---- */

/* Prints diagnostics as JSON. */

/* The JSON document: {"diagnostics": [...], "errors": N, "warnings": N}. */
void diag_report_json_begin(struct json_writer *json);

static void add_text(struct json_writer *json, const char *key, struct slice value)
{
	if (value.len == 0)
		return;
	json_member_string(json, key, value);
}

static void add_number(struct json_writer *json, const char *key, unsigned value)
{
	if (value == 0)
		return;
	json_member_number(json, key, value);
}

void diag_report_json_begin(struct json_writer *json)
{
	json_put_source(json, "{'diagnostics': [");
}

/* Members that do not apply are left out: "cell" for a place in the file, "line" for the file as a
 * whole. */
static void diag_report_json_diag(struct json_writer *json, struct slice name,
                                  const struct diag *diag)
{
	const struct location *where = &diag->where;
	json_put_source(json, "{");
	json_member_string(json, "file", name);
	add_number(json, "cell", where->cell);
	add_number(json, "line", where->line);
	add_number(json, "column", where->line > 0 ? where->column : 0);
	add_number(json, "length", where->line > 0 ? where->length : 0);
	add_text(json, "severity", slice_from(diag_severity_name(diag->severity)));
	add_text(json, "kind", slice_from(diag_row(diag->kind)->name));
	json_member_string(json, "message", diag->message);
	add_text(json, "hint", diag->hint);
	add_text(json, "text", where->text);
	add_number(json, "skipped", where->skipped);
	json_put_source(json, "}");
}

/* ---- all formats ---- */

const char *diag_severity_name(enum severity severity)
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

void diag_report_begin(struct diag_report *report, const struct diag_report_options *options,
                       struct strbuf *out)
{
	*report = (struct diag_report){.options = *options, .out = out};
	json_writer_init(&report->json, out);
	name_set_init(&report->places, out->arena);
	if (options->format == DIAG_REPORT_JSON)
		diag_report_json_begin(&report->json);
	else if (options->format == DIAG_REPORT_SARIF)
		diag_report_sarif_begin(&report->json, options->version);
}

/* The file that the diagnostic refers to. */
static struct diag_report_file file_of(const struct diag_report_file *file, const struct diag *diag)
{
	struct slice name = diag->where.file;
	if (name.len == 0)
		return *file;
	for (file = file->included; file != NULL; file = file->included) {
		if (slice_eq(file->name, name))
			return *file;
	}
	return (struct diag_report_file){.name = name};
}

/* The line in the file. In a cell, it is the cell's first line if no better line is known. */
static unsigned file_line(const struct diag_report_file *file, const struct location *where)
{
	if (where->cell == 0)
		return where->line;
	if (where->cell > file->cell_count)
		return 0;
	const struct diag_report_cell *cell = &file->cells[where->cell - 1];
	return cell->lines_from > 0 && where->line > 0 ? cell->lines_from + where->line - 1
	                                               : cell->begins;
}

static void add_digest(struct strbuf *out, const struct slice *parts, size_t count)
{
	uint64_t digest = DIGEST_START;
	char hex[DIGEST_HEX_LEN + 1];
	for (size_t i = 0; i < count; i++)
		digest = digest_add(digest, parts[i]);
	digest_hex(digest, hex);
	strbuf_puts(out, hex);
}

/* "DIGEST:N": the Nth diagnostic of its kind in the file about a line with this text. It stays the
 * same if cells are added or moved. */
static struct slice fingerprint(struct diag_report *report, struct slice name,
                                const struct diag *diag)
{
	struct slice line = slice_trim(diag->where.text);
	struct slice parts[] = {slice_from(diag_row(diag->kind)->name),
	                        line.len > 0 ? line : diag->message, name};
	struct strbuf text, place;
	strbuf_init(&text, report->out->arena);
	strbuf_init(&place, report->out->arena);
	add_digest(&place, parts, 3);
	size_t index = name_set_add(&report->places, strbuf_slice(&place));
	if (index == report->times.count)
		vec_push(report->out->arena, &report->times, 0);
	add_digest(&text, parts, 2);
	strbuf_printf(&text, ":%u", ++report->times.items[index]);
	return strbuf_slice(&text);
}

static void add_one(struct diag_report *report, const struct diag_report_file *file,
                    const struct diag *diag)
{
	switch (report->options.format) {
	case DIAG_REPORT_TEXT:
		diag_report_text_diag(report->out, report->options.color, file->name, diag);
		break;
	case DIAG_REPORT_JSON:
		diag_report_json_diag(&report->json, file->name, diag);
		break;
	case DIAG_REPORT_SARIF:
		diag_report_sarif_diag(&report->json, file->name, file_line(file, &diag->where),
		                       diag, fingerprint(report, file->name, diag));
		break;
	}
}

void diag_report_add(struct diag_report *report, const struct diag_report_file *file,
                     const struct diags *diags)
{
	for (size_t i = 0; i < diags->list.count; i++) {
		struct diag_report_file about = file_of(file, &diags->list.items[i]);
		add_one(report, &about, &diags->list.items[i]);
	}
	report->errors += diags->errors;
	report->warnings += diags->warnings;
}

void diag_report_end(struct diag_report *report)
{
	if (report->options.format == DIAG_REPORT_TEXT)
		return;
	if (report->options.format == DIAG_REPORT_JSON) {
		json_put_source(&report->json, "]");
		json_member_number(&report->json, "errors", (long long)report->errors);
		json_member_number(&report->json, "warnings", (long long)report->warnings);
		json_put_source(&report->json, "}");
	} else {
		diag_report_sarif_end(&report->json);
	}
	strbuf_addc(report->out, '\n');
}

static void add_count(struct strbuf *out, size_t count, const char *what)
{
	strbuf_printf(out, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

void diag_report_counts(struct strbuf *out, size_t errors, size_t warnings)
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
