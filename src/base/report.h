/* Prints diagnostics: as a compiler does (text), as JSON, or as SARIF 2.1.0
 * (https://docs.oasis-open.org/sarif/sarif/v2.1.0/). One report serves a run over several files:
 * report_begin(), report_add() per file, report_end(). Everything goes into a strbuf, which the
 * caller may write out and empty after each call.
 *
 * What a stranger's notebook holds never reaches the terminal raw: control characters, bidirectional
 * overrides and malformed bytes are shown as U+FFFD in text, and are escaped in JSON and SARIF. */
#ifndef NBSCOREP_BASE_REPORT_H
#define NBSCOREP_BASE_REPORT_H

#include "base/diag.h"
#include "base/json_writer.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_SARIF };

struct report_options {
	enum report_format format;
	bool color;          /* escape sequences in REPORT_TEXT */
	const char *version; /* of nbscorep, for REPORT_SARIF */
};

/* A file that diagnostics are about. */
struct report_file {
	struct slice name;          /* as the user gave it */
	const unsigned *cell_lines; /* of cell i + 1: the line of the file on which its source */
	size_t cell_count;          /* begins, or 0; SARIF shows it. May be NULL and 0 */
	const struct report_file *included; /* another one that the list may be about, or NULL */
};

struct report {
	struct report_options options;
	struct strbuf *out;
	struct json_writer json;
	size_t errors, warnings; /* of all files so far */
};

/* Begins a report that writes to OUT. OPTIONS is copied. */
void report_begin(struct report *report, const struct report_options *options, struct strbuf *out);

/* Adds the diagnostics of one file, and of those that it includes, in the order of the list: call diags_sort() before. */
void report_add(struct report *report, const struct report_file *file, const struct diags *diags);

/* Ends the document. Text has no end; report_counts() is for the last line of a run. */
void report_end(struct report *report);

/* Appends "2 errors, 1 warning" and a line end; nothing when there are none. */
void report_counts(struct strbuf *out, size_t errors, size_t warnings);

/* "error", "warning" or "remark". */
const char *report_severity(enum severity severity);

#endif
