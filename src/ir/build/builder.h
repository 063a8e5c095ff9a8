/* Builds the IR from the cells of a notebook or of an included file. */
#pragma once

#include "ir/ir.h"
#include "lex/lex.h"

/* Lexes the cells and runs the kernel's modes over them. Appends the blocks to OUT, whose memory belongs to ARENA or to
 * NOTEBOOK. Problems are added to DIAGS. The blocks are usable if none of them is an error. FILE is the path of an
 * included file, in which magics of Score-P's kernel have no effect; empty for the notebook itself. */
void ir_build(struct arena *arena, const struct notebook *notebook, struct slice file,
              const struct ir_options *options, struct diags *diags, block_list *out);
