/* The options of a build, which its outputs record: `run` and `submit` use them again. */
#ifndef NBSCOREP_CLI_RECORDED_H
#define NBSCOREP_CLI_RECORDED_H

#include "cli/options.h"

/* OPTIONS are those of ARGV for COMMAND. If none of them is one of a build, adds those that the run script
 * of the notebook records, and prints them; else prints those of them that are no longer set. Returns 0, or -1 with a
 * message (no line end) in ERROR. */
int recorded_use(struct arena *arena, enum command_id command, int argc, char **argv,
                 struct options *options, struct strbuf *error);

#endif
