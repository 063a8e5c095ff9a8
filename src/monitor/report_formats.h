/* The forms of a report: each writes all of it to OUT, but the CSV. */
#ifndef NBSCOREP_MONITOR_REPORT_FORMATS_H
#define NBSCOREP_MONITOR_REPORT_FORMATS_H

#include "monitor/report.h"

/* What each form begins with, whatever it is about. */
#define REPORT_TEXT_MARKER "----------------------------------------\nJUmPER Performance "
#define REPORT_JSON_MARKER "{\n  \"nbscorep_report\": "
#define REPORT_CSV_MARKER "time,memory,io_read_count,"
#define REPORT_HTML_MARKER "<!DOCTYPE html>\n<!-- nbscorep report -->\n"
#define REPORT_SVG_MARKER "<!-- nbscorep report -->\n<svg xmlns=\"http://www.w3.org/2000/svg\""

void report_text(struct strbuf *out, const struct report *report);
void report_json(struct strbuf *out, const struct report *report);

/* Lines that are too many to be held. */
struct report_lines {
	struct strbuf out;
	/* Takes TEXT, the next ones. Returns 0, or -1 with errno, which ends the report. NULL: all
	 * stay in OUT. */
	int (*write)(void *data, struct slice text);
	void *data;
	/* The file of samples that report_csv() could not read, or NULL. */
	const char *unread;
};

/* Puts a line for each sample. Reads files of which not all samples were kept again, a part at a time.
 * Returns 0, or -1 with errno: WRITE has failed, or UNREAD is set. */
int report_csv(struct report_lines *lines, const struct report *report);

/* A figure for papers: processor use, memory, storage and, where there are any, GPUs over time,
 * and the cells that ran; all nodes together. Lines are told apart without colours. */
void report_svg(struct strbuf *out, const struct report *report);

/* What the HTML page is made of: HTML with the marks @style-source@, @script-source@, @style@,
 * @data@ and @script@, in this order. STYLE and
 * SCRIPT take the places of their marks; they do not hold the end of their element. */
struct report_page {
	struct slice html, style, script;
};

/* One page that needs nothing besides itself, with timelines, figures and cells of each node. The
 * texts of samples are data in it: none of them can end the element that holds them. Malformed
 * UTF-8 becomes U+FFFD. Of a long run only as many samples are kept as a browser can hold, with
 * the highest values in between. */
void report_html(struct strbuf *out, const struct report *report, const struct report_page *page);

/* The table of cells alone, which report_text() has below that of the run. */
void report_cells_text(struct strbuf *out, const struct report *report);

/* What the text of one run and that of two have in common. The state of ROW where its cell did not
 * end well, else nothing; "0 node1"; "status 0". */
struct slice report_trouble(const struct report_row *row);
struct slice report_node_name(struct arena *arena, const struct series_head *head);
struct slice report_end_text(struct arena *arena, const struct series_end *end);

/* Two runs, cell by cell: the one of B that has the same number, and ran before as often. */
void report_compare_text(struct strbuf *out, const struct report *a, const struct report *b);
void report_compare_json(struct strbuf *out, const struct report *a, const struct report *b);

#endif
