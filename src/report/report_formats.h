/* The forms of a report: each writes all of it to OUT, but the CSV. */
#ifndef NBSCOREP_REPORT_REPORT_FORMATS_H
#define NBSCOREP_REPORT_REPORT_FORMATS_H

#include "report/report.h"

/* What each form begins with, whatever it is about. */
#define REPORT_TEXT_MARKER "----------------------------------------\nJUmPER Performance "
#define REPORT_JSON_MARKER "{\n  \"nbscorep_report\": "
#define REPORT_CSV_MARKER "time,memory,io_read_count,"
#define REPORT_HTML_MARKER "<!DOCTYPE html>\n<!-- nbscorep report -->\n"
#define REPORT_SVG_MARKER "<!-- nbscorep report -->\n<svg xmlns=\"http://www.w3.org/2000/svg\""

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

/* What the HTML page is made of: HTML with the marks @style-source@, @script-source@, @style@,
 * @data@ and @script@, in this order. STYLE and
 * SCRIPT take the places of their marks; they do not hold the end of their element. */
struct report_page {
	struct slice html, style, script;
};

#endif
