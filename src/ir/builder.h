/* The builder's inside: the kernel's modes as a state machine, and the contents of env and args
 * cells. Only files of src/ir include this. */
#ifndef NBSCOREP_IR_BUILDER_H
#define NBSCOREP_IR_BUILDER_H

#include "ir/ir.h"
#include "lex/lex.h"

/* Fills an ENV block from the rest of the head line and the lines below %%scorep_env. */
void build_env(struct arena *arena, struct diags *diags, struct block *block,
               const struct magic *head);

/* Fills an ARGS block from the rest of the head line and the lines below
 * %%scorep_python_binding_arguments. */
void build_args(struct arena *arena, struct diags *diags, struct block *block,
                const struct magic *head);

/* The program name that `%%start_writefile [name]` gives: default "jupyter_to_script", without ".py".
 * An empty slice after an error. */
struct slice build_section_name(struct arena *arena, struct diags *diags, const struct magic *magic,
                                struct location where, const struct ir_options *options);

/* Warns that the magic NAME is not known and left out, with the name that was meant if one is near. */
void report_unknown_magic(struct diags *diags, struct location where, enum magic_kind kind,
                          struct slice name);

#endif
