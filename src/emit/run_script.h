/* Emits the run script of a program. */
#ifndef NBSCOREP_EMIT_RUN_SCRIPT_H
#define NBSCOREP_EMIT_RUN_SCRIPT_H

#include "emit/emit.h"

/* True if the run script of PROGRAM can start ranks. */
bool emit_can_launch(const struct program *program, const struct launch_settings *launch);

void emit_run_script(struct strbuf *out, const struct program *program,
                     const struct run_script_parts *parts);

/* The lines of the run script that export variables, in their order, each with where its value comes
 * from behind it as a comment. */
void emit_environment(struct strbuf *out, const struct program *program,
                      const struct template_set *templates, struct slice notebook);

/* The line of the script that carries the build id, with its line end. */
void emit_build_line(struct strbuf *out, struct slice build);

#endif
