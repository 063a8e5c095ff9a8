/* Building, as both build and run do it. */
#ifndef NBSCOREP_CLI_COMMAND_BUILD_H
#define NBSCOREP_CLI_COMMAND_BUILD_H

#include "base/name_set.h"
#include "cli/cli.h"
#include "cli/outputs.h"

/* Where files of this run went. */
struct taken {
	struct arena *arena; /* lives as long as the run */
	struct name_set paths;
	bool lists; /* with -v, the commands that a run would start are listed, too */
};

/* Is TEXT a number from 1 on, of less than eight digits? It is written to OUT. */
bool build_read_count(const char *text, size_t *out);

/* Refuses options that do not go together. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int build_check_options(struct invocation *invocation);

/* Makes the files of C's programs and writes them, unless this is a dry run; says what it does where
 * that is wanted. Errors go to c->diags. Returns 0 or -1. */
int build_write(struct compilation *c, const struct options *options, struct taken *taken,
                struct outputs *out);

#endif
