/* An arena hands out memory that is released all at once. One arena serves one compilation unit:
 * nothing inside cells, tokens or IR is freed one by one.
 *
 * When memory runs out, the allocation does not return: the arena jumps to the handler that its
 * owner installed, so no caller needs a check after each allocation. A caller that holds a resource
 * other than arena memory across an allocation (an open file, a libyaml parser) has a guard release
 * it: arena_guard(). */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/slice.h"

struct arena_block;

/* Releases a resource; made by arena_guard(). */
struct arena_guard {
	void (*release)(void *data);
	void *data;
	struct arena_guard *before;
	const jmp_buf *on_failure; /* the handler before which it acts */
};

struct arena {
	struct arena_block
	        *blocks;     /* newest first; a large allocation has its own, movable block */
	char *next, *end;    /* the free part of the newest shared block */
	size_t block_count;  /* shared ones */
	jmp_buf *on_failure; /* where to jump when memory runs out; NULL: abort() */
	struct arena_guard *guards; /* newest first */
	struct arena *outer;        /* which fails in place of this one, or NULL */
	struct arena_guard own;     /* of OUTER; releases this one */
};

/* Makes an empty arena. ON_FAILURE must outlive all allocations; the caller has called setjmp() on
 * it. */
void arena_init(struct arena *arena, jmp_buf *on_failure);

/* Makes an empty arena that fails as OUTER does. It is a guard of OUTER, which releases it. */
void arena_init_inner(struct arena *arena, struct arena *outer);

/* Keeps memory that arenas free for the next ones, up to some megabytes. By default, the C library
 * would give it back to the system at once, and each notebook of a run would need new pages.
 * Affects the whole process. */
void arena_keep_memory(void);

/* Frees everything the arena handed out. The arena may be initialised again. */
void arena_release(struct arena *arena);

/* Installs another handler and returns the previous one. */
jmp_buf *arena_set_handler(struct arena *arena, jmp_buf *on_failure);

/* Lets a failure of ARENA call RELEASE(DATA) before it jumps to the handler that is installed now. GUARD
 * must last until arena_unguard(), which ends the newest guard and calls its RELEASE. */
void arena_guard(struct arena *arena, struct arena_guard *guard, void (*release)(void *data),
                 void *data);
void arena_unguard(struct arena *arena);

/* Calls what the handler's guards release, and jumps to the handler, as a failing allocation does. */
_Noreturn void arena_fail(struct arena *arena);

/* SIZE zeroed bytes, aligned for pointers and for numbers of eight bytes. Never NULL, also for SIZE 0. */
void *arena_alloc(struct arena *arena, size_t size);

/* COUNT * SIZE zeroed bytes; an overflow is handled as running out of memory. */
void *arena_calloc(struct arena *arena, size_t count, size_t size);

/* A block of NEW_SIZE bytes that begins with the bytes at OLD, of which there are OLD_SIZE. If OLD was the last
 * allocation, it grows in place, or its end is free again. OLD must not be used again; it may be NULL. The remaining
 * bytes are not initialised. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);

/* A copy of S that lives as long as the arena. A NUL follows it, which its length does not
 * include. */
struct slice arena_dup(struct arena *arena, struct slice s);

/* The same as a C string. The string ends at the first NUL of S, if S has one. */
char *arena_cstr(struct arena *arena, struct slice s);

/* printf into the arena. */
__attribute__((format(printf, 2, 3))) struct slice arena_printf(struct arena *arena,
                                                                const char *format, ...);

/* The same with a va_list, which is consumed. */
__attribute__((format(printf, 2, 0))) struct slice arena_vprintf(struct arena *arena,
                                                                 const char *format, va_list args);

/* The finite VALUE with so many DECIMALS; what is rounded to zero has no sign. */
struct slice arena_decimal(struct arena *arena, double value, int decimals);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
