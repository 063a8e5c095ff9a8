#include "diag/diag_report_sarif.h"

#include "diag/diag_report.h"

/* SARIF's levels are "error", "warning", "note" and "none". */
static const char *level(enum severity severity)
{
	return severity == SEVERITY_IGNORED  ? "none"
	       : severity == SEVERITY_REMARK ? "note"
	                                     : diag_severity_name(severity);
}

static void add_text(struct json_writer *json, const char *key, const char *value)
{
	json_put_key(json, key);
	json_put_string(json, slice_from(value));
}

static void add_number(struct json_writer *json, const char *key, unsigned value)
{
	json_put_key(json, key);
	json_put_number(json, value);
}

/* {"text": TEXT}, SARIF's message and multiformatMessageString. */
static void add_message(struct json_writer *json, const char *key, struct slice text)
{
	json_put_key(json, key);
	json_begin_object(json);
	json_put_key(json, "text");
	json_put_string(json, text);
	json_end_object(json);
}

static void add_driver(struct json_writer *json, const char *version)
{
	json_put_key(json, "tool");
	json_begin_object(json);
	json_put_key(json, "driver");
	json_begin_object(json);
	add_text(json, "name", "nbscorep");
	if (version != NULL)
		add_text(json, "version", version);
	json_put_key(json, "rules");
	json_begin_array(json);
	for (int kind = 0; kind < DIAG_KIND_COUNT; kind++) {
		const struct diag_row *row = diag_row((enum diag_kind)kind);
		json_begin_object(json);
		add_text(json, "id", row->name);
		add_message(json, "shortDescription", slice_from(row->doc));
		add_message(json, "help",
		            arena_printf(json->out->arena, "see '%s' in nbscorep-diagnostics(7)",
		                         row->name));
		json_put_key(json, "defaultConfiguration");
		json_begin_object(json);
		add_text(json, "level", level(row->severity));
		json_end_object(json);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
	json_end_object(json);
}

void diag_report_sarif_begin(struct json_writer *json, const char *version)
{
	json_begin_object(json);
	add_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	add_text(json, "version", "2.1.0");
	json_put_key(json, "runs");
	json_begin_array(json);
	json_begin_object(json);
	add_driver(json, version);
	add_text(json, "columnKind", "unicodeCodePoints");
	json_put_key(json, "results");
	json_begin_array(json);
}

static bool is_unreserved(char c)
{
	return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* NAME as a URI reference (RFC 3986): an absolute path becomes a file URI. All bytes except the
 * unreserved ones are percent-encoded, also ":", which would make the first part a scheme. */
static struct slice uri_of(struct arena *arena, struct slice name)
{
	struct strbuf uri;
	strbuf_init(&uri, arena);
	if (name.len > 0 && name.ptr[0] == '/')
		strbuf_puts(&uri, "file://");
	for (size_t i = 0; i < name.len; i++) {
		if (is_unreserved(name.ptr[i]) || name.ptr[i] == '/')
			strbuf_addc(&uri, name.ptr[i]);
		else
			strbuf_printf(&uri, "%%%02X", (unsigned)(unsigned char)name.ptr[i]);
	}
	return strbuf_slice(&uri);
}

/* A region is a part of the file. A place in a cell has no columns in the file, which is JSON. */
static void add_region(struct json_writer *json, unsigned file_line, const struct location *where)
{
	if (file_line == 0)
		return;
	json_put_key(json, "region");
	json_begin_object(json);
	add_number(json, "startLine", file_line);
	if (where->cell == 0 && where->column > 0) {
		add_number(json, "startColumn", where->column);
		if (where->length > 0)
			add_number(json, "endColumn", where->column + where->length);
	}
	json_end_object(json);
}

static void add_location(struct json_writer *json, struct slice name, unsigned file_line,
                         const struct location *where)
{
	json_put_key(json, "locations");
	json_begin_array(json);
	json_begin_object(json);
	json_put_key(json, "physicalLocation");
	json_begin_object(json);
	json_put_key(json, "artifactLocation");
	json_begin_object(json);
	json_put_key(json, "uri");
	json_put_string(json, uri_of(json->out->arena, name));
	json_end_object(json);
	add_region(json, file_line, where);
	json_end_object(json);
	if (where->cell > 0) {
		struct slice cell = arena_printf(json->out->arena, "cell %u", where->cell);
		json_put_key(json, "logicalLocations");
		json_begin_array(json);
		json_begin_object(json);
		json_put_key(json, "name");
		json_put_string(json, cell);
		json_end_object(json);
		json_end_array(json);
	}
	json_end_object(json);
	json_end_array(json);
}

/* The message with the place in the cell before it and the hint after it, because viewers show
 * neither. */
static struct slice full_message(struct arena *arena, const struct diag *diag)
{
	const struct location *where = &diag->where;
	struct strbuf text;
	strbuf_init(&text, arena);
	if (where->cell > 0) {
		strbuf_printf(&text, "cell %u", where->cell);
		if (where->line > 0)
			strbuf_printf(&text, ":%u", where->line);
		if (where->line > 0 && where->column > 0)
			strbuf_printf(&text, ":%u", where->column);
		strbuf_puts(&text, ": ");
	}
	strbuf_add(&text, diag->message);
	if (diag->hint.len > 0) {
		strbuf_puts(&text, "; ");
		strbuf_add(&text, diag->hint);
	}
	return strbuf_slice(&text);
}

void diag_report_sarif_diag(struct json_writer *json, struct slice name, unsigned file_line,
                            const struct diag *diag, struct slice fingerprint)
{
	json_begin_object(json);
	add_text(json, "ruleId", diag_row(diag->kind)->name);
	add_number(json, "ruleIndex", (unsigned)diag->kind);
	add_text(json, "level", level(diag->severity));
	add_message(json, "message", full_message(json->out->arena, diag));
	add_location(json, name, file_line, &diag->where);
	json_put_key(json, "partialFingerprints");
	json_begin_object(json);
	json_put_key(json, "sourceLine/v1");
	json_put_string(json, fingerprint);
	json_end_object(json);
	if (diag->where.cell > 0) {
		/* The place in the cell in a form for programs; SARIF has no lines in logical
		 * locations. */
		json_put_key(json, "properties");
		json_begin_object(json);
		add_number(json, "cell", diag->where.cell);
		if (diag->where.line > 0)
			add_number(json, "line", diag->where.line);
		if (diag->where.line > 0 && diag->where.column > 0)
			add_number(json, "column", diag->where.column);
		if (diag->where.length > 0)
			add_number(json, "length", diag->where.length);
		json_end_object(json);
	}
	json_end_object(json);
}

void diag_report_sarif_end(struct json_writer *json)
{
	json_end_array(json);
	json_end_object(json);
	json_end_array(json);
	json_end_object(json);
}
