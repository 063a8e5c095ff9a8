/* The forms of a report of a measurement. */
#ifndef NBSCOREP_REPORT_REPORT_PROFILE_H
#define NBSCOREP_REPORT_REPORT_PROFILE_H

#include "report/diagnosis.h"

/* Appends what was measured, FINDINGS, and the tables; all but the call paths, or if TABLE is not empty that one. */
void report_profile_text(struct strbuf *out, const struct profile *profile,
                         const finding_list *findings, struct slice directory, struct slice table);

void report_profile_json(struct strbuf *out, const struct profile *profile,
                         const finding_list *findings, struct slice directory);

/* Appends TABLE, or if it is empty that of the cells. */
void report_profile_csv(struct strbuf *out, const struct profile *profile,
                        const finding_list *findings, struct slice table);

/* Appends the cells and functions of two measurements side by side, and how they differ. */
void report_profile_compare_text(struct strbuf *out, const struct profile *a,
                                 const struct profile *b, struct slice name_a, struct slice name_b);
void report_profile_compare_json(struct strbuf *out, const struct profile *a,
                                 const struct profile *b, struct slice name_a, struct slice name_b);

#endif
