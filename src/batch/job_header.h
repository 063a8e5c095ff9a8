/* The variables of a header template: what settings are called in it, and what their values are for a
 * batch system. */
#ifndef NBSCOREP_BATCH_JOB_HEADER_H
#define NBSCOREP_BATCH_JOB_HEADER_H

#include "batch/job_settings.h"
#include "diag/diag.h"

struct batch_variable {
	struct slice name;  /* as templates have it */
	struct slice value; /* of length 0: the settings say nothing of it */
};
typedef VECTOR(struct batch_variable) batch_variable_list;

/* Does a header template of SYSTEM know the variable NAME: one of sbatch's options, with underscores,
 * or one that is made of several of them? */
bool batch_is_variable(enum batch_system system, struct slice name);

/* The values that SETTINGS give. What the system cannot say is an error, at the setting's place.
 * Returns 0 or -1. */
int batch_make_variables(struct arena *arena, const struct batch_settings *settings,
                         struct diags *diags, batch_variable_list *out);

/* Warns of each setting that is in no variable that TEMPLATE, the text of a header, uses. */
void batch_check_use(const struct batch_settings *settings, struct slice template,
                     struct diags *diags);

/* Cuts the next @name@ off the front of *REST: NAME is what stands between the signs, BEFORE the
 * text in front of them. False when there is none left; then BEFORE is all of it. */
bool batch_next_variable(struct slice *rest, struct slice *before, struct slice *name);

#endif
