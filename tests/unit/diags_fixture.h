/* Set-up and teardown of a test with an arena and diagnostics in it. */
#pragma once

#include "diag/diag.h"
#include "unit.h"

static struct arena arena;
static struct diags diags;

static int set_up(void **state)
{
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&arena);
	return 0;
}
