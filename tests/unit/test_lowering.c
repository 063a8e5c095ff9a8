/* The tables of magics fit together: what magics.def lowers has its row in lowered.def, and that one's
 * snippet of the prelude exists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emit/template.h"
#include "ir/lower/lowering.h"

static void check_form(struct arena *arena, const struct magic_row *row, enum magic_form form)
{
	if (!(row->form & form))
		return;
	/* Both abort when there is none. */
	const struct lowering *lowering = lowering_find(row->name, form);
	struct slice text = template_snippet(arena, lowering->snippet);
	bool around = lowering->use == USE_AROUND || lowering->use == USE_AROUND_NAMED;
	struct slice definition =
	        around ? arena_printf(arena, "class %.*s:", SLICE_ARG(lowering->function))
	               : arena_printf(arena, "def %.*s(", SLICE_ARG(lowering->function));
	assert_true(slice_find_slice(text, definition, 0) < text.len);
}

static void test_every_lowered_magic_has_its_helper(void **state)
{
	struct arena arena;
	arena_init(&arena, NULL);
	size_t count, lowered = 0;
	const struct magic_row *rows = magic_rows(&count);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].action != ACTION_LOWER)
			continue;
		check_form(&arena, &rows[i], FORM_LINE);
		check_form(&arena, &rows[i], FORM_CELL);
		check_form(&arena, &rows[i], FORM_ESCAPE);
		lowered++;
	}
	assert_true(lowered > 20);
	arena_release(&arena);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_every_lowered_magic_has_its_helper),
	};
	return cmocka_run_group_tests_name("lowering", tests, NULL, NULL);
}
