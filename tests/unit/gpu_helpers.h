/* What the tests of GPUs have in common. */
#ifndef NBSCOREP_TESTS_GPU_HELPERS_H
#define NBSCOREP_TESTS_GPU_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sample/gpu.h"

/* One has all there is, the other no power. */
#define TWO_GPUS                                                                                   \
	"gpu name=Double-A total=1000 used=100,200,300 util=50 band=20 power=70000\n"              \
	"gpu name=Double-B total=2000 used=7 util=3 band=1\n"

static struct arena arena;

static inline int setup(void **state)
{
	(void)state;
	arena_init(&arena, NULL);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static inline void assert_text(struct slice actual, const char *expected)
{
	assert_string_equal(arena_cstr(&arena, actual), expected);
}

static inline void play(const char *script)
{
	assert_int_equal(setenv("NBSCOREP_NVML_DOUBLE", script, 1), 0);
}

static inline int64_t value(const struct gpu_reading *reading, unsigned gpu, enum gpu_value which)
{
	assert_true(gpu < reading->gpus.count);
	return reading->gpus.items[gpu].values[which];
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
