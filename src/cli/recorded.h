/* The options of a build, which its outputs record: `run` and `submit` use them again. */
#ifndef NBSCOREP_CLI_RECORDED_H
#define NBSCOREP_CLI_RECORDED_H

#include "cli/options.h"

/* OPTIONS are those of ARGV for COMMAND. If none of them is an option of a build, adds those that the
 * notebook's run script records, and prints what it adds. Otherwise adds nothing, and prints the
 * recorded options that ARGV leaves out. Returns 0, or -1 with a message (no line end) in ERROR. */
int recorded_use(struct arena *arena, enum command_id command, int argc, char **argv,
                 struct options *options, struct strbuf *error);

#endif
