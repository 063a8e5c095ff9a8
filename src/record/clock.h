/* The clock of a recording: the processor's counter where its rate is constant, because clock_gettime() takes
 * 24 to 37 ns more per call. Its rate is found by comparing it with CLOCK_MONOTONIC at the start and later. */
#pragma once

#include <time.h>

#include "record/recording.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static inline int64_t clock_nanoseconds(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Which clock this processor has. On x86-64 the counter is invariant by CPUID (Intel's manual, volume
 * 3, 18.17.1); on AArch64 the generic timer always is. */
static inline enum recording_clock clock_choose(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0)
		return RECORDING_CLOCK_COUNTER;
#elif defined(__aarch64__)
	return RECORDING_CLOCK_COUNTER;
#endif
	return RECORDING_CLOCK_NANOSECONDS;
}

static inline uint64_t clock_ticks(enum recording_clock clock)
{
	if (clock == RECORDING_CLOCK_NANOSECONDS)
		return (uint64_t)clock_nanoseconds(CLOCK_MONOTONIC);
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

static inline struct recording_instant clock_instant(enum recording_clock clock)
{
	struct recording_instant now;
	now.monotonic = (uint64_t)clock_nanoseconds(CLOCK_MONOTONIC);
	now.ticks = clock_ticks(clock);
	now.since_1970 = clock_nanoseconds(CLOCK_REALTIME);
	return now;
}
