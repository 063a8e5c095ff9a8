/* What Python finds in the scripts that their author may not expect (templates/names.py, lints.py). */
#ifndef NBSCOREP_DRIVER_FINDINGS_H
#define NBSCOREP_DRIVER_FINDINGS_H

#include "driver/verify_faults.h"

/* Reports each of FINDINGS in c->diags. */
void findings_report(struct compilation *c, const finding_list *findings);

#endif
