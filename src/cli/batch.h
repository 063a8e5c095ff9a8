/* What a notebook's job asks its batch system for: the configuration's `slurm`, --slurm, --batch. */
#ifndef NBSCOREP_CLI_BATCH_H
#define NBSCOREP_CLI_BATCH_H

#include "cli/cli.h"
#include "cli/compile.h"

/* Refuses what --slurm cannot be. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int batch_check_options(struct arena *arena, const struct options *options);

/* Puts --slurm on top of c->config.slurm, and makes c->batch and c->templates. Problems become
 * diagnostics. Returns 0 or -1. */
int batch_configure(struct compilation *c, const struct options *options);

/* The header of PROGRAM's run script, or an empty text where nobody has asked for one. Returns 0,
 * or -1 with diagnostics. */
int batch_header(struct compilation *c, const struct options *options,
                 const struct program *program, struct slice *out);

/* Do the settings say where the output of the job goes? */
bool batch_names_output(const struct compilation *c);

#endif
