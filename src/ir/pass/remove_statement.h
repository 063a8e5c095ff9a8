/* Removes a statement that has another meaning in a script than in a cell. */
#ifndef NBSCOREP_IR_PASS_REMOVE_STATEMENT_H
#define NBSCOREP_IR_PASS_REMOVE_STATEMENT_H

#include "ir/pass.h"

/* Removes a statement from BLOCK, from its first to its last token, and keeps the number of lines.
 * ALONE: its lines contain no other code, so a comment can show it. */
void block_remove_statement(struct arena *arena, struct block *block, uint32_t first_token,
                            uint32_t last_token, bool alone);

#endif
