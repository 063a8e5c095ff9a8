#include "ir/lowering.h"

#include <stdlib.h>

const struct lowering *lowering_find(struct slice name, enum magic_form form)
{
	static const struct lowering rows[] = {
#define LOWERED(name, form, function, front, snippet, gives_value)                                 \
	{SLICE_INIT(name),    SLICE_INIT(function), SLICE_INIT(front),                             \
	 SLICE_INIT(snippet), FORM_##form,          gives_value},
#include "ir/lowered.def"
#undef LOWERED
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].form == form && slice_eq(rows[i].name, name))
			return &rows[i];
	}
	abort();
}
