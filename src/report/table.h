/* Tables of text with columns as wide as their content. */
#ifndef NBSCOREP_REPORT_TABLE_H
#define NBSCOREP_REPORT_TABLE_H

#include "base/strbuf.h"
#include "base/vector.h"

struct table {
	struct arena *arena;
	size_t columns;
	unsigned left;               /* bit mask of the columns that are aligned left */
	VECTOR(struct slice) fields; /* row by row */
};

/* The next field. TEXT stays the caller's; what would act on a terminal is not shown as it is. */
void table_text(struct table *table, struct slice text);

/* The finite VALUE with DECIMALS decimals, as all forms of a report write it: what is rounded to
 * zero has no sign. */
struct slice table_decimal(struct arena *arena, double value, int decimals);

/* The next field: VALUE with DECIMALS decimals, or "-" if it is not finite. */
void table_number(struct table *table, double value, int decimals);

/* Adds the table to OUT, with INDENT blanks before each line. */
void table_put(const struct table *table, struct strbuf *out, size_t indent);

#endif
