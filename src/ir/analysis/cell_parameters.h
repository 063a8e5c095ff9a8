/* Internal to src/ir: names and values of parameters, for pass_parameters.c. */
#ifndef NBSCOREP_IR_ANALYSIS_CELL_PARAMETERS_H
#define NBSCOREP_IR_ANALYSIS_CELL_PARAMETERS_H

#include "base/name_set.h"
#include "base/value.h"
#include "ir/pass.h"

/* Adds the names that the cell of BLOCK sets to program->parameters. */
void parameters_read(struct arena *arena, const struct block *block, struct program *program);

/* True if VALUE may be meant for a parameter of TYPE. An empty or unknown TYPE fits all values. */
bool parameters_agree(struct slice type, const struct value *value);

/* Reports given parameters with an invalid name or value. KNOWN: the names of all programs. */
void parameters_check(struct pass_context *context, const struct name_set *known);

#endif
