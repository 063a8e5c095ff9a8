/* What doctor looks at of a notebook: the modules that it imports, and which Python is to have them. */
#ifndef NBSCOREP_CLI_DOCTOR_NOTEBOOK_H
#define NBSCOREP_CLI_DOCTOR_NOTEBOOK_H

#include "base/name_set.h"
#include "cli/cli.h"

struct doctor_import {
	unsigned cell; /* that imports it first */
	bool optional; /* it is only imported below a header: if, try, def */
};

struct doctor_notebook {
	struct arena *arena; /* of the call */
	struct slice name;   /* as in diagnostics */
	struct name_set
	        folders; /* in which Python looks for modules: the notebook's, then those that cells
	                            add; absolute */
	bool changes_path; /* a cell uses sys.path: there may be more */
	struct name_set names;
	VECTOR(struct doctor_import) imports; /* for each of the names */
	const char *python;                   /* of a configuration that may choose it, or NULL */
	struct slice refused_python; /* of a configuration that may not choose it; empty: none */
	bool has_steps;              /* modules or a setup come first, which may bring modules */
};

/* Compiles the operand of INVOCATION and fills OUT, without the modules of the project: those beside the notebook
 * and those that a cell writes. Returns EXIT_DONE, or another status after the notebook's errors were
 * reported. */
int doctor_read_notebook(struct invocation *invocation, struct doctor_notebook *out);

#endif
