/* Set-up and teardown of a test with an arena. */
#pragma once

#include "base/arena.h"
#include "unit.h"

static struct arena arena;

static int set_up(void **state)
{
	arena_init(&arena, NULL);
	*state = &arena;
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&arena);
	return 0;
}
