#include "diag/diag_report_json.h"

#include "diag/diag_report.h"

static void add_text(struct json_writer *json, const char *key, struct slice value)
{
	if (value.len == 0)
		return;
	json_put_key(json, key);
	json_put_string(json, value);
}

static void add_number(struct json_writer *json, const char *key, unsigned value)
{
	if (value == 0)
		return;
	json_put_key(json, key);
	json_put_number(json, value);
}

void diag_report_json_begin(struct json_writer *json)
{
	json_begin_object(json);
	json_put_key(json, "diagnostics");
	json_begin_array(json);
}

/* Members that do not apply are left out: "cell" for a place in the file, "line" for the file as a
 * whole. */
void diag_report_json_diag(struct json_writer *json, struct slice name, const struct diag *diag)
{
	const struct location *where = &diag->where;
	json_begin_object(json);
	json_put_key(json, "file");
	json_put_string(json, name);
	add_number(json, "cell", where->cell);
	add_number(json, "line", where->line);
	add_number(json, "column", where->line > 0 ? where->column : 0);
	add_number(json, "length", where->line > 0 ? where->length : 0);
	add_text(json, "severity", slice_from(diag_severity_name(diag->severity)));
	add_text(json, "kind", slice_from(diag_row(diag->kind)->name));
	json_put_key(json, "message");
	json_put_string(json, diag->message);
	add_text(json, "hint", diag->hint);
	add_text(json, "text", where->text);
	add_number(json, "skipped", where->skipped);
	json_end_object(json);
}

void diag_report_json_end(struct json_writer *json, size_t errors, size_t warnings)
{
	json_end_array(json);
	json_put_key(json, "errors");
	json_put_number(json, (long long)errors);
	json_put_key(json, "warnings");
	json_put_number(json, (long long)warnings);
	json_end_object(json);
}
