/* The builder's inside: the kernel's modes as a state machine, and the contents of env and args
 * cells. Only files of src/ir include this. */
#ifndef NBSCOREP_IR_BUILD_BUILDER_H
#define NBSCOREP_IR_BUILD_BUILDER_H

#include "base/name_set.h"
#include "ir/ir.h"
#include "lex/lex.h"

/* The blocks of an included file, appended to OUT; no magic of Score-P's kernel has a meaning in
 * it. OWN_MAGICS: of the notebooks so far. */
void build_included(struct arena *arena, const struct included_file *file,
                    const struct ir_options *options, struct name_set *own_magics,
                    struct diags *diags, block_list *out);

enum { BARE_MAGIC_COUNT = 12 };

/* What the first COUNT cells of a notebook tell of names that are magics; zeroed: nothing yet. */
struct bare_magics {
	size_t count;
	bool stands[BARE_MAGIC_COUNT];   /* the name may be something else's */
	bool assigned[BARE_MAGIC_COUNT]; /* it is */
	bool any_unseen;                 /* any may: something brings names that are not seen */
};

/* Lexes the cells and runs the kernel's modes over them. Everything in the result lives in ARENA or
 * in NOTEBOOK. Problems become diagnostics; the IR is usable when none of them is an error. */
void ir_build(struct arena *arena, const struct notebook *notebook,
              const struct ir_options *options, struct diags *diags, struct ir *out);

#endif
