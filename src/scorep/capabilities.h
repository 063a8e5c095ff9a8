/* The capabilities of an installed Score-P, read from the output of `scorep-config --help`: it lists
 * the options and values of the features that Score-P was built with, and omits the others.
 *
 * To check an option before a run: fill a struct scorep_capabilities (run/discovery.h does this for
 * the Score-P on PATH), call scorep_supports(), and refuse SCOREP_SUPPORT_NO. */
#pragma once

#include "base/base.h"

enum scorep_support {
	SCOREP_SUPPORT_UNKNOWN, /* not known from the text: let Score-P decide */
	SCOREP_SUPPORT_NO,      /* scorep-config would end with an error, and so would the run */
	SCOREP_SUPPORT_YES,
};

/* An option of scorep-config. */
struct scorep_capability {
	struct slice option;         /* with its dashes: "--thread", "--nocuda" */
	VECTOR(struct slice) values; /* the listed ones; empty if it takes none or any */
};

/* Zeroed: nothing is known. */
struct scorep_capabilities {
	VECTOR(struct scorep_capability) options;
	bool known; /* the text was the help of a scorep-config */
};

/* Reads HELP, the output of `scorep-config --help`, into OUT. The slices of OUT are parts of HELP.
 * If HELP is any other text, OUT->known is false. */
void scorep_read_capabilities(struct arena *arena, struct slice help,
                              struct scorep_capabilities *out);

/* True if one Score-P may accept WORD and another may refuse it. If false, scorep-config need not
 * be asked. */
bool scorep_support_varies(struct slice word);

/* Returns whether this Score-P accepts WORD, one word of binding arguments ("--thread=pthread",
 * "--cuda", "--io=runtime:posix"). For options of the bindings it returns SCOREP_SUPPORT_YES. */
enum scorep_support scorep_supports(const struct scorep_capabilities *capabilities,
                                    struct slice word);

/* The values listed for the option NAME, for a message: "none, pthread"; empty if none are listed.
 * Arena memory. */
struct slice scorep_supported_values(struct arena *arena,
                                     const struct scorep_capabilities *capabilities,
                                     struct slice name);
