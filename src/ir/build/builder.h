/* Builds the IR from the cells of a notebook or of an included file. */
#pragma once

#include "ir/ir.h"
#include "lex/lex.h"

/* Appends the blocks of an included file to OUT. Magics of Score-P's kernel have no effect in it. */
void build_included(struct arena *arena, const struct included_file *file,
                    const struct ir_options *options, struct diags *diags, block_list *out);

/* Lexes the cells and runs the kernel's modes over them. The memory of OUT belongs to ARENA or to
 * NOTEBOOK. Problems are added to DIAGS. The IR is usable if none of them is an error. */
void ir_build(struct arena *arena, const struct notebook *notebook,
              const struct ir_options *options, struct diags *diags, struct ir *out);
