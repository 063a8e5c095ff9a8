#include "ir/lower/lowering.h"

#include <stdlib.h>

#include "ir/ir.h"

static const struct lowering rows[] = {
#define LOWERED(name, form, use, function, front, effect, gives_value)                             \
	{SLICE_INIT(name),  SLICE_INIT(PACKAGE_ALIAS "." function),                                \
	 SLICE_INIT(front), EFFECT_##effect,                                                       \
	 FORM_##form,       USE_##use,                                                             \
	 gives_value},
#include "ir/lower/lowered.def"
#undef LOWERED
};

const struct lowering *lowering_find(struct slice name, enum magic_form form)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].form == form && slice_eq(rows[i].name, name))
			return &rows[i];
	}
	abort();
}

struct slice lowering_text(struct arena *arena, const struct lowering *lowering, struct slice args)
{
	struct slice front = lowering->front;
	size_t at = slice_find_slice(front, SLICE("%l"), 0);
	struct slice text =
	        arena_printf(arena, "%.*s%.*s%.*s", SLICE_ARG(slice_sub(front, 0, at)),
	                     SLICE_ARG(args), SLICE_ARG(slice_sub(front, at + 2, front.len)));
	return args.len == 0 ? slice_trim_end(text) : text;
}
