#include "diag/diag_report_sarif.h"

#include "diag/diag_report.h"

/* SARIF's levels are "error", "warning", "note" and "none". */
static const char *level(enum severity severity)
{
	return severity == SEVERITY_IGNORED  ? "none"
	       : severity == SEVERITY_REMARK ? "note"
	                                     : diag_severity_name(severity);
}

static void add_driver(struct json_writer *json, const char *version)
{
	json_put_source(json, "'tool': {'driver': {'name': 'nbscorep'");
	if (version != NULL)
		json_member_string(json, "version", slice_from(version));
	json_put_source(json, "'rules': [");
	for (int kind = 0; kind < DIAG_KIND_COUNT; kind++) {
		const struct diag_row *row = diag_row((enum diag_kind)kind);
		json_put_source(json, "{");
		json_member_string(json, "id", slice_from(row->name));
		json_put_source(json, "'shortDescription': {");
		json_member_string(json, "text", slice_from(row->doc));
		json_put_source(json, "}, 'help': {");
		json_member_string(json, "text",
		                   arena_printf(json->out->arena,
		                                "see '%s' in nbscorep-diagnostics(7)", row->name));
		json_put_source(json, "}, 'defaultConfiguration': {");
		json_member_string(json, "level", slice_from(level(row->severity)));
		json_put_source(json, "}}");
	}
	json_put_source(json, "]}}");
}

void diag_report_sarif_begin(struct json_writer *json, const char *version)
{
	json_put_source(json, "{'$schema': 'https://json.schemastore.org/sarif-2.1.0.json',"
	                      "'version': '2.1.0', 'runs': [{");
	add_driver(json, version);
	json_put_source(json, "'columnKind': 'unicodeCodePoints', 'results': [");
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
	json_put_source(json, "'region': {");
	json_member_number(json, "startLine", file_line);
	if (where->cell == 0 && where->column > 0) {
		json_member_number(json, "startColumn", where->column);
		if (where->length > 0)
			json_member_number(json, "endColumn", where->column + where->length);
	}
	json_put_source(json, "}");
}

static void add_location(struct json_writer *json, struct slice name, unsigned file_line,
                         const struct location *where)
{
	json_put_source(json, "'locations': [{'physicalLocation': {'artifactLocation': {");
	json_member_string(json, "uri", uri_of(json->out->arena, name));
	json_put_source(json, "}");
	add_region(json, file_line, where);
	json_put_source(json, "}");
	if (where->cell > 0) {
		struct slice cell = arena_printf(json->out->arena, "cell %u", where->cell);
		json_put_source(json, "'logicalLocations': [{");
		json_member_string(json, "name", cell);
		json_put_source(json, "}]");
	}
	json_put_source(json, "}]");
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
	json_put_source(json, "{");
	json_member_string(json, "ruleId", slice_from(diag_row(diag->kind)->name));
	json_member_number(json, "ruleIndex", (unsigned)diag->kind);
	json_member_string(json, "level", slice_from(level(diag->severity)));
	json_put_source(json, "'message': {");
	json_member_string(json, "text", full_message(json->out->arena, diag));
	json_put_source(json, "}");
	add_location(json, name, file_line, &diag->where);
	json_put_source(json, "'partialFingerprints': {");
	json_member_string(json, "sourceLine/v1", fingerprint);
	json_put_source(json, "}");
	if (diag->where.cell > 0) {
		/* The place in the cell in a form for programs; SARIF has no lines in logical
		 * locations. */
		json_put_source(json, "'properties': {");
		json_member_number(json, "cell", diag->where.cell);
		if (diag->where.line > 0)
			json_member_number(json, "line", diag->where.line);
		if (diag->where.line > 0 && diag->where.column > 0)
			json_member_number(json, "column", diag->where.column);
		if (diag->where.length > 0)
			json_member_number(json, "length", diag->where.length);
		json_put_source(json, "}");
	}
	json_put_source(json, "}");
}

void diag_report_sarif_end(struct json_writer *json)
{
	json_put_source(json, "]}]}");
}
