/* Internal to src/ir: what pass_parameters.c asks of names and values. */
#ifndef NBSCOREP_IR_ANALYSIS_CELL_PARAMETERS_H
#define NBSCOREP_IR_ANALYSIS_CELL_PARAMETERS_H

#include "base/name_set.h"
#include "base/value.h"
#include "ir/pass.h"

/* Notes what the cell of BLOCK sets: program->parameters. */
void parameters_read(struct arena *arena, const struct block *block, struct program *program);

/* Can VALUE be meant for a parameter of TYPE, which may be empty or not known here? */
bool parameters_agree(struct slice type, const struct value *value);

/* Reports the names and values given that cannot be: KNOWN are those of all programs. */
void parameters_check(struct pass_context *context, const struct name_set *known);

#endif
