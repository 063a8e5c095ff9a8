/* Compiling a notebook with Python as a witness: by default for all commands but ir. Jupyter runs a
 * notebook in which a cell has a syntax error; such a script does not start. */
#pragma once

#include "driver/compile.h"
#include "driver/python.h"
#include "process/environment.h"

/* For all notebooks of a call there is one Python, unless their configurations name different ones. */
struct verifier {
	struct arena *arena; /* of the call */
	struct environment environment;
	const char *named; /* which Python it is, as the user knows it */
	int missing;       /* errno if it is not found */
	bool is_script;    /* not the interpreter itself, but a script that starts one */
	struct python_checker checker;
	const char *known_problem; /* of this Python, which was reported to the user, or NULL */
	bool hinted;               /* --broken-cells=raise was suggested to the user */
	/* For the notebook that is compiled: */
	bool wanted;    /* let Python compile the script */
	bool required;  /* if it cannot, that is an error instead of a remark */
	bool raises;    /* a cell with a syntax error raises it when it is reached */
	bool uncertain; /* another Python may run the script */
};

struct verifier verifier_make(struct arena *arena);

/* Compiles the notebook of C, which was read, and on request has Python compile the result, all in memory.
 * Each cell with a syntax error is reported at its place, as an error or as a warning; one tagged
 * raises-exception is expected to be none. Returns 0 if the IR can be emitted.
 *
 * GIVEN are the options of the command line, C->options those in force for the notebook. The command line, the
 * environment, and the configuration of the user and the system decide which Python is started; that of a
 * project or notebook may be untrusted, and only run starts it. */
int verify_compile(struct verifier *verifier, struct compilation *c,
                   const struct build_settings *given);

/* The Python of the configuration of C, if it may be started: see verify_compile(). Otherwise NULL. */
const char *verify_configured_python(struct compilation *c);

/* Ends the Python. */
void verifier_end(struct verifier *verifier);
