/* Rules of the diagnosis about memory, and about what a job may have; findings.def says what each looks for. */
#ifndef NBSCOREP_REPORT_RESOURCE_RULES_H
#define NBSCOREP_REPORT_RESOURCE_RULES_H

#include "report/subject.h"

/* True if the rule applies to S with its LIMIT; then F has the evidence, the place, and what could be saved. */
bool find_out_of_memory(const struct subject *s, double limit, struct finding *f);
bool find_request(const struct subject *s, double limit, struct finding *f);
bool find_core_request(const struct subject *s, double limit, struct finding *f);
bool find_frequency(const struct subject *s, double limit, struct finding *f);
bool find_near_limit(const struct subject *s, double limit, struct finding *f);
bool find_swapping(const struct subject *s, double limit, struct finding *f);
bool find_faults(const struct subject *s, double limit, struct finding *f);
bool find_leak(const struct subject *s, double limit, struct finding *f);
bool find_peak(const struct subject *s, double limit, struct finding *f);

#endif
