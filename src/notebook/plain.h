/* The plain characters of a JSON string: ASCII characters that are not escaped. Nearly all bytes of
 * a notebook with images are plain, so they are skipped with AVX2 where the processor has it. Every
 * kernel gives the same results. */
#pragma once

#include "base/base.h"

enum {
	PLAIN_BLOCK = 64, /* bytes that a kernel checks together */
	PLAIN_PAD = 128,  /* bytes that it may read, starting at the byte that it finds */
};

struct plain_kernel {
	const char *name;
	bool (*is_supported)(void);
	/* The first byte from AT on that is a quote, a backslash, a control character or not ASCII.
	 * Such a byte must exist, and PLAIN_PAD bytes from it on must be readable. */
	const char *(*end)(const char *at);
	/* The same for the PLAIN_BLOCK bytes at AT: bit I is set if byte I is such a byte. The
	 * block, and PLAIN_PAD bytes from the first such byte on, must be readable. */
	uint64_t (*mask)(const char *at);
	/* Bit I is set if byte I of the PLAIN_BLOCK bytes at AT is not a digit. The block must be
	 * readable. */
	uint64_t (*digits)(const char *at);
};

/* All kernels of this build, the fastest first; the last one runs everywhere. */
extern const struct plain_kernel plain_kernels[];
extern const size_t plain_kernel_count;

/* The fastest kernel that this processor can run. */
const struct plain_kernel *plain_best_kernel(void);
