/* cmocka, and what unit tests have in common. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/slice.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the state, which a test need not use */

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A test with the file's own set_up() and tear_down(). */
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#define RUN(...)                                                                                   \
	int main(void)                                                                             \
	{                                                                                          \
		static const struct CMUnitTest tests[] = {__VA_ARGS__};                            \
		return cmocka_run_group_tests(tests, NULL, NULL);                                  \
	}

static inline void assert_text(struct slice text, const char *expected)
{
	if (!slice_eq(text, slice_from(expected)))
		fail_msg("'%.*s' is not '%s'", SLICE_ARG(text), expected);
}
