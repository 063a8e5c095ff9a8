/* Draws a report as an SVG figure. */
#pragma once

#include "report/report.h"

/* What a figure begins with. */
#define REPORT_SVG_MARKER "<!-- nbscorep report -->\n<svg xmlns=\"http://www.w3.org/2000/svg\""

/* A figure for papers: processor use, memory, storage and, if any, GPUs over time,
 * and the cells that ran; all nodes together. Lines can be distinguished without colours. */
void report_svg(struct strbuf *out, const struct report *report);

/* Reads the names of plots, of JUmPER, with commas between them, into report->plots. Returns false with *WRONG, the first that is
 * not one, or is empty. */
bool report_plots_read(struct slice text, unsigned *out, struct slice *wrong);
