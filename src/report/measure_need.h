/* How much memory a run needs. */
#ifndef NBSCOREP_REPORT_MEASURE_NEED_H
#define NBSCOREP_REPORT_MEASURE_NEED_H

#include "report/measure.h"

/* The most memory that LEVEL, which is PROCESS or SLURM, took at once in the run: as the peak of
 * measure_figures(), but a page that several processes of the program share counts once, if PSS was
 * sampled. NaN: not known. */
double measure_need(const struct series *series, enum level level);

#endif
