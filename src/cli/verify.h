/* Compiling a notebook with Python as a witness: by default for all commands but ir. Jupyter runs a
 * notebook in which a cell is no Python; such a script does not start. */
#ifndef NBSCOREP_CLI_VERIFY_H
#define NBSCOREP_CLI_VERIFY_H

#include "cli/compile.h"
#include "cli/options.h"
#include "run/python.h"
#include "run/python_file.h"
#include "run/verified.h"

struct invocation;

/* For all notebooks of a call there is one Python, unless their configurations name different ones. */
struct verifier {
	struct arena *arena; /* of the call */
	struct environment environment;
	const char *named;       /* which Python it is, as the user knows it */
	struct python_file file; /* no path: there is none */
	int missing;             /* then: errno */
	struct python_checker checker;
	struct verified verified;
	const char *known_problem; /* of this Python, which the user has been told of, or NULL */
	bool hinted;               /* the user has been told of --broken-cells=raise */
	/* For the notebook that is compiled: */
	bool wanted;    /* let Python compile the script */
	bool required;  /* if it cannot, that is an error instead of a remark */
	bool raises;    /* a cell that is no Python raises its error when it is reached */
	bool uncertain; /* another Python may run the script */
};

struct verifier verifier_make(struct arena *arena);

/* Takes over what INVOCATION and, for the notebook of C, its configuration OPTIONS ask for. Which Python is
 * started is up to the command line, the environment, and the configuration of the user and
 * the system; that of a project or notebook may be untrusted, and only run starts it. */
void verifier_configure(struct verifier *verifier, const struct invocation *invocation,
                        struct compilation *c, const struct options *options);

/* Compiles the notebook of C, which was read, and if wanted lets Python compile the result, all in memory.
 * Each cell that is no Python is reported at its place, as an error or as a warning; one tagged
 * raises-exception is expected to be none. Returns 0 if the IR can be emitted. */
int verify_compile(struct verifier *verifier, struct compilation *c,
                   const struct ir_options *options);

/* Ends the Python. */
void verifier_end(struct verifier *verifier);

#endif
