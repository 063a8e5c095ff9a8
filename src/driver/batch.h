/* What a notebook's job asks its batch system for: the configuration's `slurm`, --slurm, --batch. */
#pragma once

#include "driver/compile.h"

/* Refuses what --slurm cannot be. Returns EXIT_DONE, or EXIT_USAGE with a message. */
int batch_check_options(struct arena *arena, const struct build_settings *settings);

/* Puts --slurm on top of c->config.slurm, and makes c->batch and c->own_template. Problems become
 * diagnostics. Returns 0 or -1. */
int batch_configure(struct compilation *c);

/* The header of PROGRAM's run script, or an empty text if the user did not request one.
 * Returns 0, or -1 with diagnostics. */
int batch_header(struct compilation *c, const struct program *program, struct slice *out);
