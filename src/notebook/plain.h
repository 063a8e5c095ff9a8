/* The plain characters of a JSON string: ASCII that stands for itself. Nearly all bytes of a notebook
 * with images are of this kind, so they are passed with the widest instructions that the processor
 * has. Every kernel gives the same results. */
#ifndef NBSCOREP_NOTEBOOK_PLAIN_H
#define NBSCOREP_NOTEBOOK_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PLAIN_BLOCK = 64, /* bytes that a kernel looks at together */
	PLAIN_PAD = 128,  /* bytes that it may read from the one it finds on */
};

struct plain_kernel {
	const char *name;
	bool (*is_supported)(void);
	/* The first byte from AT on that is a quote, a backslash, a control character or not ASCII.
	 * There is one, and PLAIN_PAD bytes from it on can be read. */
	const char *(*end)(const char *at);
	/* The same of the PLAIN_BLOCK bytes at AT: bit I is set where byte I ends the plain ones. They
	 * can be read, and PLAIN_PAD bytes from the first that is set. */
	uint64_t (*mask)(const char *at);
	/* Bit I is set where byte I of the PLAIN_BLOCK bytes at AT, which can be read, is no digit. */
	uint64_t (*digits)(const char *at);
};

/* All kernels of this build, the fastest first; the last one runs everywhere. */
extern const struct plain_kernel plain_kernels[];
extern const size_t plain_kernel_count;

/* The fastest kernel that this processor can run. */
const struct plain_kernel *plain_best_kernel(void);

#endif
