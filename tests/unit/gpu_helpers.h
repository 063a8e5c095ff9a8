/* What the tests of GPUs have in common. */
#pragma once

#include <stdlib.h>

#include "arena_fixture.h"
#include "sample/gpu.h"
#include "unit.h"

/* One has all there is, the other no power. */
#define TWO_GPUS                                                                                   \
	"gpu name=Double-A total=1000 used=100,200,300 util=50 band=20 power=70000\n"              \
	"gpu name=Double-B total=2000 used=7 util=3 band=1\n"

static inline void play(const char *script)
{
	assert_int_equal(setenv("NBSCOREP_NVML_DOUBLE", script, 1), 0);
}

static inline int64_t value(const struct gpu_reading *reading, unsigned gpu, enum gpu_value which)
{
	assert_true(gpu < reading->gpus.count);
	return reading->gpus.items[gpu].values[which];
}
