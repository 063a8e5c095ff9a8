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

#endif
