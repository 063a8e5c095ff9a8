/* The tables of a measurement: a column is described here once, for all forms. */
#ifndef NBSCOREP_REPORT_PROFILE_TABLES_H
#define NBSCOREP_REPORT_PROFILE_TABLES_H

#include "report/profile.h"

enum { PROFILE_TABLES = 6 };

/* The tables of PROFILE: cells, efficiency, functions, calls, locations, messages. */
void profile_tables(const struct profile *profile, struct figure_table tables[PROFILE_TABLES]);

#endif
