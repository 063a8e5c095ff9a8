#include "diag/diag_report.h"

#include "base/digest.h"
#include "base/quote.h"
#include "base/utf8.h"

/* ---- SARIF ---- */

/* SARIF's levels are "error", "warning", "note" and "none". */
static const char *level(enum severity severity)
{
	return severity == SEVERITY_IGNORED  ? "none"
	       : severity == SEVERITY_REMARK ? "note"
	                                     : diag_severity_name(severity);
}

/* Begins the SARIF log: one run, with a rule for every kind. */
static void sarif_begin(struct json_writer *json, const char *version)
{
	json_put(json,
	         "{'$schema': 'https://json.schemastore.org/sarif-2.1.0.json',"
	         "'version': '2.1.0', 'runs': [{'tool': {'driver': {"
	         "'name': 'nbscorep', 'version': ?*, 'rules': [",
	         J(version));
	for (int kind = 0; kind < DIAG_KIND_COUNT; kind++) {
		const struct diag_row *row = diag_row((enum diag_kind)kind);
		json_put(json,
		         "{'id': ?, 'shortDescription': {'text': ?}, 'help': {'text': ?},"
		         "'defaultConfiguration': {'level': ?}}",
		         J(row->name), J(row->doc),
		         J(arena_printf(json->out->arena, "see '%s' in nbscorep-diagnostics(7)",
		                        row->name)),
		         J(level(row->severity)));
	}
	json_put(json, "]}}, 'columnKind': 'unicodeCodePoints', 'results': [");
}

/* NAME as a URI reference (RFC 3986): an absolute path becomes a file URI. All bytes except the
 * unreserved ones are percent-encoded, also ":", which would make the first part a scheme. */
static struct slice uri_of(struct arena *arena, struct slice name)
{
	struct strbuf uri = {.arena = arena};
	if (name.len > 0 && name.ptr[0] == '/')
		strbuf_puts(&uri, "file://");
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		if (ascii_is_alnum(c) || (c != '\0' && strchr("-._~/", c) != NULL))
			strbuf_addc(&uri, c);
		else
			strbuf_printf(&uri, "%%%02X", (unsigned)(unsigned char)c);
	}
	return strbuf_slice(&uri);
}

/* The message with the place in the cell before it and the hint after it, because viewers show
 * neither. */
static struct slice full_message(struct arena *arena, const struct diag *diag)
{
	const struct location *where = &diag->where;
	struct strbuf text = {.arena = arena};
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

/* FILE_LINE is the line of the place in the file, or 0. FINGERPRINT identifies the result, also in later versions of
 * the file. */
static void sarif_diag(struct json_writer *json, struct slice name, unsigned file_line,
                       const struct diag *diag, struct slice fingerprint)
{
	const struct location *where = &diag->where;
	struct arena *arena = json->out->arena;
	json_put(json, "{'ruleId': ?, 'ruleIndex': ?, 'level': ?, 'message': {'text': ?},",
	         J(diag_row(diag->kind)->name), J(diag->kind), J(level(diag->severity)),
	         J(full_message(arena, diag)));
	json_put(json, "'locations': [{'physicalLocation': {'artifactLocation': {'uri': ?}",
	         J(uri_of(arena, name)));
	if (file_line > 0) {
		/* A place in a cell has no columns in the file, which is JSON. */
		unsigned column = where->cell == 0 ? where->column : 0;
		unsigned end = column > 0 && where->length > 0 ? column + where->length : 0;
		json_put(json, "'region': {'startLine': ?, 'startColumn': ?*, 'endColumn': ?*}",
		         J(file_line), json_positive(column), json_positive(end));
	}
	json_put(json, "}");
	if (where->cell > 0)
		json_put(json, "'logicalLocations': [{'name': ?}]",
		         J(arena_printf(arena, "cell %u", where->cell)));
	json_put(json, "}], 'partialFingerprints': {'sourceLine/v1': ?}", J(fingerprint));
	/* The place in the cell in a form for programs; SARIF has no lines in logical locations. */
	if (where->cell > 0)
		json_put(json, "'properties': {'cell': ?, 'line': ?*, 'column': ?*, 'length': ?*}",
		         J(where->cell), json_positive(where->line),
		         json_positive(where->line > 0 ? where->column : 0),
		         json_positive(where->length));
	json_put(json, "}");
}

/* ---- text ---- */

/* How many characters of a source line are shown, and how many of them before the place. */
enum { SHOWN = 120, SHOWN_BEFORE = 60, INDENT = 4 };

/* Escape sequences (ECMA-48 SGR), or empty strings. */
struct style {
	const char *bold, *severity, *hint, *caret, *reset;
};

static struct style style_for(bool color, enum severity severity)
{
	if (!color)
		return (struct style){"", "", "", "", ""};
	struct style style = {"\033[1m", "\033[1;36m", "\033[1;36m", "\033[1;32m", "\033[0m"};
	if (severity == SEVERITY_ERROR)
		style.severity = "\033[1;31m";
	else if (severity == SEVERITY_WARNING)
		style.severity = "\033[1;35m";
	return style;
}

static unsigned shown_width(int32_t c)
{
	return utf8_acts(c) ? 1 : utf8_width(c);
}

/* Appends S with U+FFFD in place of characters that act on a terminal, but for tabs. */
static void add_visible(struct strbuf *out, struct slice s)
{
	for (size_t at = 0, len; at < s.len; at += len) {
		int32_t c = utf8_decode(slice_tail(s, at), &len);
		if (utf8_acts(c) && c != '\t')
			strbuf_puts(out, "\xEF\xBF\xBD");
		else
			strbuf_add(out, slice_sub(s, at, at + len));
	}
}

static void add_source(struct strbuf *out, const struct style *style, const struct location *where)
{
	struct slice text = where->text;
	size_t count = utf8_length(text);
	size_t column = where->column > where->skipped ? where->column - where->skipped - 1 : 0;
	if (column > count)
		column = count;
	size_t from = 0, to = count;
	if (count > SHOWN) {
		from = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
		to = from + SHOWN < count ? from + SHOWN : count;
	}
	bool cut_front = from > 0 || where->skipped > 0;
	size_t place_end = where->length < to - column ? column + where->length : to;
	size_t begin = utf8_skip(text, 0, from), middle = utf8_skip(text, begin, column - from);
	struct slice before = slice_sub(text, begin, middle);
	struct slice place = slice_sub(text, middle, utf8_skip(text, middle, place_end - column));
	strbuf_fill(out, ' ', INDENT);
	strbuf_puts(out, cut_front ? "..." : "");
	add_visible(out, slice_sub(text, begin, utf8_skip(text, begin, to - from)));
	strbuf_puts(out, to < count ? "...\n" : "\n");
	if (where->column == 0)
		return;
	strbuf_fill(out, ' ', INDENT + (cut_front ? 3 : 0));
	/* A tab stays a tab, so that both lines reach the same tab stop. */
	for (size_t at = 0, len; at < before.len; at += len) {
		int32_t c = utf8_decode(slice_tail(before, at), &len);
		strbuf_fill(out, c == '\t' ? '\t' : ' ', c == '\t' ? 1 : shown_width(c));
	}
	strbuf_puts(out, style->caret);
	/* "^~~~" up to the place's first tab, whose width only the terminal knows. */
	size_t columns = 0;
	for (size_t at = 0, len; at < place.len && place.ptr[at] != '\t'; at += len)
		columns += shown_width(utf8_decode(slice_tail(place, at), &len));
	strbuf_addc(out, '^');
	strbuf_fill(out, '~', columns > 1 ? columns - 1 : 0);
	strbuf_printf(out, "%s\n", style->reset);
}

/* Appends one diagnostic as lines of text. */
static void text_diag(struct strbuf *out, bool color, struct slice name, const struct diag *diag)
{
	struct style style = style_for(color, diag->severity);
	strbuf_puts(out, style.bold);
	terminal_text(out, name);
	if (diag->where.cell > 0)
		strbuf_printf(out, ":cell %u", diag->where.cell);
	if (diag->where.line > 0)
		strbuf_printf(out, ":%u", diag->where.line);
	if (diag->where.line > 0 && diag->where.column > 0)
		strbuf_printf(out, ":%u", diag->where.column);
	strbuf_printf(out, ":%s %s%s:%s ", style.reset, style.severity,
	              diag_severity_name(diag->severity), style.reset);
	terminal_text(out, diag->message);
	strbuf_printf(out, " [%s]\n", diag_row(diag->kind)->name);
	if (diag->where.line > 0 && diag->where.text.len > 0)
		add_source(out, &style, &diag->where);
	if (diag->hint.len > 0) {
		strbuf_fill(out, ' ', INDENT);
		strbuf_printf(out, "%shint:%s ", style.hint, style.reset);
		terminal_text(out, diag->hint);
		strbuf_addc(out, '\n');
	}
}

/* ---- JSON ---- */

/* Members that do not apply are left out: "cell" for a place in the file, "line" for the file as a
 * whole. */
static void json_diag(struct json_writer *json, struct slice name, const struct diag *diag)
{
	const struct location *where = &diag->where;
	bool has_line = where->line > 0;
	json_put(json, "{'file': ?, 'cell': ?*, 'line': ?*, 'column': ?*, 'length': ?*", J(name),
	         json_positive(where->cell), json_positive(where->line),
	         json_positive(has_line ? where->column : 0),
	         json_positive(has_line ? where->length : 0));
	json_put(json, "'severity': ?, 'kind': ?, 'message': ?, 'hint': ?*",
	         J(diag_severity_name(diag->severity)), J(diag_row(diag->kind)->name),
	         J(diag->message), J(diag->hint));
	json_put(json, "'text': ?*, 'skipped': ?*}", J(where->text), json_positive(where->skipped));
}

/* ---- all formats ---- */

const char *diag_severity_name(enum severity severity)
{
	return severity == SEVERITY_ERROR     ? "error"
	       : severity == SEVERITY_WARNING ? "warning"
	                                      : "remark";
}

void diag_report_begin(struct diag_report *report, const struct diag_report_options *options,
                       struct strbuf *out)
{
	*report = (struct diag_report){
	        .options = *options, .out = out, .json.out = out, .times.arena = out->arena};
	if (options->format == DIAG_REPORT_JSON)
		json_put(&report->json, "{'diagnostics': [");
	else if (options->format == DIAG_REPORT_SARIF)
		sarif_begin(&report->json, options->version);
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

/* "DIGEST:N": the Nth diagnostic of its kind in the file about a line with this text. It stays the
 * same if cells are added or moved. */
static struct slice fingerprint(struct diag_report *report, struct slice name,
                                const struct diag *diag)
{
	struct slice line = slice_trim(diag->where.text);
	uint64_t digest = digest_add(DIGEST_START, slice_from(diag_row(diag->kind)->name));
	digest = digest_add(digest, line.len > 0 ? line : diag->message);
	size_t *times = number_map_at(&report->times, digest_add(digest, name));
	return arena_printf(report->out->arena, "%016" PRIx64 ":%zu", digest, ++*times);
}

void diag_report_add(struct diag_report *report, const struct diag_report_file *file,
                     const struct diags *diags)
{
	vec_each(const struct diag, diag, &diags->list) {
		struct diag_report_file about = file_of(file, diag);
		switch (report->options.format) {
		case DIAG_REPORT_TEXT:
			text_diag(report->out, report->options.color, about.name, diag);
			break;
		case DIAG_REPORT_JSON:
			json_diag(&report->json, about.name, diag);
			break;
		case DIAG_REPORT_SARIF:
			sarif_diag(&report->json, about.name, file_line(&about, &diag->where), diag,
			           fingerprint(report, about.name, diag));
			break;
		}
	}
	report->errors += diags->errors;
	report->warnings += diags->warnings;
}

void diag_report_end(struct diag_report *report)
{
	if (report->options.format == DIAG_REPORT_TEXT)
		return;
	if (report->options.format == DIAG_REPORT_JSON)
		json_put(&report->json, "], 'errors': ?, 'warnings': ?}", J(report->errors),
		         J(report->warnings));
	else
		json_put(&report->json, "]}]}");
	strbuf_addc(report->out, '\n');
}

void diag_report_counts(struct strbuf *out, size_t errors, size_t warnings)
{
	if (errors > 0)
		strbuf_printf(out, "%zu error%s%s", errors, errors == 1 ? "" : "s",
		              warnings > 0 ? ", " : "");
	if (warnings > 0)
		strbuf_printf(out, "%zu warning%s", warnings, warnings == 1 ? "" : "s");
	if (errors > 0 || warnings > 0)
		strbuf_addc(out, '\n');
}
