/* What an installed Score-P supports, as the text of `scorep-config --help` tells: it lists the
 * options and values of the features that it was built with, and leaves out the others.
 *
 * For the check of an option before a run: fill a struct scorep_capabilities (run/discovery.h does
 * that for the Score-P on PATH), ask scorep_supports(), refuse what is SCOREP_SUPPORT_NO. */
#ifndef NBSCOREP_SCOREP_CAPABILITIES_H
#define NBSCOREP_SCOREP_CAPABILITIES_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/vector.h"

enum scorep_support {
	SCOREP_SUPPORT_UNKNOWN, /* the text does not tell: let Score-P decide */
	SCOREP_SUPPORT_NO,      /* scorep-config would end with an error, and so would the run */
	SCOREP_SUPPORT_YES,
};

/* An option of scorep-config. */
struct scorep_capability {
	struct slice option;         /* with its dashes: "--thread", "--nocuda" */
	VECTOR(struct slice) values; /* that are listed; empty where it takes none or any */
};

/* All zero: nothing is known. */
struct scorep_capabilities {
	VECTOR(struct scorep_capability) options;
	bool known; /* the text was the help of a scorep-config */
};

/* Reads HELP, what `scorep-config --help` printed, into OUT, whose slices are parts of HELP. Any
 * text may be given; where it is not that help, OUT->known is false. */
void scorep_read_capabilities(struct arena *arena, struct slice help,
                              struct scorep_capabilities *out);

/* The option NAME ("--thread"), or NULL where it is not listed. */
const struct scorep_capability *scorep_capability_find(
        const struct scorep_capabilities *capabilities, struct slice name);

/* May one Score-P take WORD and another refuse it? Where not, nobody needs to be asked. */
bool scorep_support_varies(struct slice word);

/* Does this Score-P take WORD, one word of binding arguments ("--thread=pthread", "--cuda",
 * "--io=runtime:posix")? Options of the bindings themselves are always SCOREP_SUPPORT_YES. */
enum scorep_support scorep_supports(const struct scorep_capabilities *capabilities,
                                    struct slice word);

/* The values listed for the option NAME, for a message: "none, pthread"; empty where there are
 * none. */
struct slice scorep_supported_values(struct arena *arena,
                                     const struct scorep_capabilities *capabilities,
                                     struct slice name);

#endif
