/* The program's own tables as roff, for the manual pages: what a table holds is never typed by hand
 * there. All write items for the macros of man(7). */
#ifndef NBSCOREP_CLI_MAN_TABLES_H
#define NBSCOREP_CLI_MAN_TABLES_H

#include "base/strbuf.h"

/* Appends TEXT so that roff shows each of its characters; `words` in backquotes become bold. TEXT is
 * one line, at the beginning of a line. */
void man_text(struct strbuf *out, struct slice text);

/* The same with a capital at its front, a full stop and a line end. */
void man_sentence(struct strbuf *out, struct slice text);

void man_table_magics(struct strbuf *out);
void man_table_diagnostics(struct strbuf *out);
void man_table_commands(struct strbuf *out);
void man_table_blocks(struct strbuf *out); /* kinds of blocks of the IR */
void man_table_things(struct strbuf *out); /* what doctor looks for */
void man_table_features(struct strbuf *out);
void man_table_sbatch(struct strbuf *out);    /* options for #SBATCH lines */
void man_table_config(struct strbuf *out);    /* keys of nbscorep.yaml */
void man_table_buildkeys(struct strbuf *out); /* of its `build` */
void man_table_levels(struct strbuf *out);    /* whose use */
/* Appends the table called NAME: "magics-table", "diagnostics-table", "commands-table",
 * "blocks-table", "things-table", "features-table", "sbatch-table", "config-table",
 * "buildkeys-table", "metrics-table", "levels-table" or "signatures-table". Returns
 * false for any other name. */
bool man_table(struct strbuf *out, struct slice name);

#endif
