/* Prints diagnostics: as a compiler does (text), as JSON, or as SARIF 2.1.0
 * (https://docs.oasis-open.org/sarif/sarif/v2.1.0/). One report covers a run over several files:
 * diag_report_begin(), diag_report_add() per file, diag_report_end(). All output goes into a
 * strbuf, which the caller may write out and empty after each call.
 *
 * Text of an untrusted notebook never reaches the terminal raw: control characters, bidirectional
 * overrides and malformed bytes are shown as U+FFFD in text, and are escaped in JSON and SARIF. */
#pragma once

#include "base/json_writer.h"
#include "base/number_map.h"
#include "diag/diag.h"

enum diag_report_format { DIAG_REPORT_TEXT, DIAG_REPORT_JSON, DIAG_REPORT_SARIF };

struct diag_report_options {
	enum diag_report_format format;
	bool color;          /* escape sequences in DIAG_REPORT_TEXT */
	const char *version; /* of nbscorep, for DIAG_REPORT_SARIF */
};

/* Line numbers in the file, for SARIF; 0: not known. */
struct diag_report_cell {
	unsigned begins;     /* where the cell's source begins */
	unsigned lines_from; /* its first source line, if each source line has its own line */
};

/* A file that diagnostics are about. */
struct diag_report_file {
	struct slice name;                    /* as the user gave it */
	const struct diag_report_cell *cells; /* the first is cell 1; may be NULL */
	size_t cell_count;
	const struct diag_report_file
	        *included; /* another file that diagnostics in the list can refer to, or NULL */
};

struct diag_report {
	struct diag_report_options options;
	struct strbuf *out;
	struct json_writer json;
	size_t errors, warnings; /* of all files so far */
	struct number_map times; /* for SARIF: how often each file and source line was seen */
};

/* Begins a report that writes to OUT. OPTIONS is copied. */
void diag_report_begin(struct diag_report *report, const struct diag_report_options *options,
                       struct strbuf *out);

/* Adds the diagnostics of one file and of the files that it includes, in the order of the list:
 * call diags_sort() before. */
void diag_report_add(struct diag_report *report, const struct diag_report_file *file,
                     const struct diags *diags);

/* Ends the document. Text needs no end; diag_report_counts() makes the last line of a run. */
void diag_report_end(struct diag_report *report);

/* Appends "2 errors, 1 warning" and a line end; nothing if both counts are 0. */
void diag_report_counts(struct strbuf *out, size_t errors, size_t warnings);

/* "error", "warning" or "remark". */
const char *diag_severity_name(enum severity severity);
