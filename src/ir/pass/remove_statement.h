/* Removes a statement that means something else in a script than in a cell. */
#ifndef NBSCOREP_IR_PASS_REMOVE_STATEMENT_H
#define NBSCOREP_IR_PASS_REMOVE_STATEMENT_H

#include "ir/pass.h"

/* Takes a statement out of BLOCK, from its first to its last token; the number of lines stays.
 * ALONE: it has its lines for itself, so that a comment shows it. */
void block_remove_statement(struct arena *arena, struct block *block, uint32_t first_token,
                            uint32_t last_token, bool alone);

#endif
