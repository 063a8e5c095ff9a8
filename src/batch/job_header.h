/* The variables of a header template: the names of settings in the template, and their values for a
 * batch system. */
#pragma once

#include "batch/job_settings.h"
#include "diag/diag.h"

struct batch_variable {
	struct slice name;  /* as in templates */
	struct slice value; /* of length 0: not set, like a variable that is missing */
};
typedef VECTOR(struct batch_variable) batch_variable_list;

/* True if a header template of SYSTEM has the variable NAME: an option of sbatch, with underscores, or
 * a variable that combines several of them. */
bool batch_is_variable(enum batch_system system, struct slice name);

/* Adds the variables of SETTINGS to OUT. A value that the batch system does not support is an error
 * at the setting's place. Returns 0, or -1 after an error. */
int batch_make_variables(struct arena *arena, const struct batch_settings *settings,
                         struct diags *diags, batch_variable_list *out);

/* Warns about each setting that TEMPLATE, the text of a header, does not use in any variable. */
void batch_check_use(const struct batch_settings *settings, struct slice template,
                     struct diags *diags);

/* Cuts the text up to the next @name@, and @name@ itself, off *REST: *NAME is the name, *BEFORE the
 * text before it. Returns false if there is no @name@; *BEFORE is then all of the text. */
bool batch_next_variable(struct slice *rest, struct slice *before, struct slice *name);
