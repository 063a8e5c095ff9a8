/* What the configuration gives to each program: environment, binding arguments, Python. */
#ifndef NBSCOREP_DRIVER_CONFIG_PROGRAM_H
#define NBSCOREP_DRIVER_CONFIG_PROGRAM_H

#include "driver/compile.h"

/* Gives OUT the settings and arguments of C->config. Returns 0, or -1 after an error. */
int config_program_options(struct compilation *c, struct ir_options *out);

/* PATH, which is relative to the current folder, relative to the notebook's folder. */
struct slice config_path_from_notebook(struct compilation *c, struct slice path);

/* The Python of C->config as the run finds it, which starts in the notebook's folder; empty: none. */
struct slice config_program_python(struct compilation *c);

#endif
