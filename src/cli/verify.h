/* Compiling a notebook with Python as a witness: check, build --verify, --broken-cells=raise.
 * Jupyter runs a notebook in which a cell is no Python; such a script does not start. */
#ifndef NBSCOREP_CLI_VERIFY_H
#define NBSCOREP_CLI_VERIFY_H

#include "cli/compile.h"
#include "cli/options.h"

/* What is asked for, for all notebooks of a run. */
struct verifier {
	const char *python; /* which one to start */
	bool wanted;        /* let Python compile the script */
	bool required;      /* that it cannot be done is an error, not a remark */
	bool raises;        /* a cell that is no Python raises its error when it is reached */
	bool told;          /* the user knows that there is no such Python */
	bool hinted;        /* and of --broken-cells=raise */
};

/* Which Python is started is for the command line and the environment to say: a configuration may
 * be a stranger's. */
struct verifier verifier_make(struct arena *arena, const struct options *options);

/* Takes over what is asked for, for one notebook. */
void verifier_configure(struct verifier *verifier, enum command_id command,
                        const struct options *options);

/* Compiles the notebook of C, which was read, and where it is wanted lets Python compile the
 * result, all in memory. Each cell that is no Python is reported at its place, as an error or as a
 * warning. Returns 0 when the IR can be emitted. */
int verify_compile(struct verifier *verifier, struct compilation *c,
                   const struct ir_options *options);

#endif
