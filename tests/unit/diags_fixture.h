/* Set-up and teardown of a test with an arena and diagnostics in it. Include it after cmocka.h. */
#ifndef NBSCOREP_TESTS_UNIT_DIAGS_FIXTURE_H
#define NBSCOREP_TESTS_UNIT_DIAGS_FIXTURE_H

#include "diag/diag.h"

struct fixture {
	struct arena arena;
	struct diags diags;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	arena_init(&fixture.arena, NULL);
	diags_init(&fixture.diags, &fixture.arena);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	arena_release(&fixture->arena);
	return 0;
}

#endif
