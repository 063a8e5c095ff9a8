/* The tables of magics fit together: what magics.def lowers has its row in lowered.def, and that one's
 * function is one of the runtime package. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emit/template.h"
#include "ir/ir.h"
#include "ir/lower/lower_call.h"

static void check_form(struct arena *arena, const struct magic_row *row, enum magic_form form)
{
	if (!(row->form & form))
		return;
	/* Both abort when there is none. */
	const struct lowering *lowering = lowering_find(row->name, form);
	struct slice front = template_text(SLICE("scorep_notebook/__init__.py"));
	struct slice name =
	        slice_sub(lowering->function, strlen(PACKAGE_ALIAS "."), lowering->function.len);
	assert_true(slice_find_slice(front, arena_printf(arena, " %.*s ", SLICE_ARG(name)), 0) <
	                    front.len ||
	            slice_find_slice(front, arena_printf(arena, "\"%.*s", SLICE_ARG(name)), 0) <
	                    front.len ||
	            slice_find_slice(front, arena_printf(arena, " %.*s\"", SLICE_ARG(name)), 0) <
	                    front.len);
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
