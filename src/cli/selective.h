/* What the user wants to have measured besides cells, or left out: --imports, --regions,
 * --instrument-module. */
#ifndef NBSCOREP_CLI_SELECTIVE_H
#define NBSCOREP_CLI_SELECTIVE_H

#include "cli/compile.h"
#include "cli/options.h"

struct runtime_wishes;

/* Can TEXT be the name of a module of Python: identifiers with dots between them? */
bool selective_is_module(struct slice text);

/* Reads the OPTIONS, and the file that --regions names, which is noted in c->needed. Problems
 * become diagnostics of C. Returns 0 or -1. */
int selective_read(struct compilation *c, const struct options *options,
                   struct runtime_wishes *out);

#endif
