/* An arena hands out memory that is released all at once. One arena serves one compilation unit:
 * nothing inside cells, tokens or IR is freed one by one.
 *
 * Running out of memory does not return: the arena jumps to the handler that its owner installed,
 * so that no caller needs a check after each allocation. Whoever holds something else than arena
 * memory across an allocation (a jansson tree, an open file) installs a handler of its own with
 * arena_set_handler(), cleans up, and passes on with arena_fail(). */
#ifndef NBSCOREP_BASE_ARENA_H
#define NBSCOREP_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/slice.h"

struct arena_block;

struct arena {
	struct arena_block
	        *blocks;     /* newest first; what is large has one of its own, which can move */
	char *next, *end;    /* the free part of the newest one that is shared */
	jmp_buf *on_failure; /* where to jump when memory runs out; NULL: abort() */
};

/* Makes an empty arena. ON_FAILURE must outlive all allocations; setjmp() has been called on it. */
void arena_init(struct arena *arena, jmp_buf *on_failure);

/* Lets memory that arenas free serve the next ones, up to some megabytes, where the C library would
 * give it back to the system at once: in a run over many notebooks each had its pages made anew.
 * For the whole process. */
void arena_keep_memory(void);

/* Frees everything the arena handed out. The arena may be initialised again. */
void arena_release(struct arena *arena);

/* Installs another handler and returns the one before. */
jmp_buf *arena_set_handler(struct arena *arena, jmp_buf *on_failure);

/* Jumps to the handler, as a failing allocation does. */
_Noreturn void arena_fail(struct arena *arena);

/* SIZE zeroed bytes, aligned for any type. Never NULL, also for SIZE 0. */
void *arena_alloc(struct arena *arena, size_t size);

/* COUNT * SIZE zeroed bytes; an overflow counts as running out of memory. */
void *arena_calloc(struct arena *arena, size_t count, size_t size);

/* A block of NEW_SIZE bytes, at least OLD_SIZE, that begins with the OLD_SIZE bytes at OLD (in place
 * where OLD was the last allocation), which are not to be used again. OLD may be NULL. The rest is to
 * fill. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);

/* A copy of S that lives as long as the arena, with a NUL behind it that does not count. */
struct slice arena_dup(struct arena *arena, struct slice s);

/* The same as a C string; S holds no NUL, or it ends there. */
char *arena_cstr(struct arena *arena, struct slice s);

/* printf into the arena. */
__attribute__((format(printf, 2, 3))) struct slice arena_printf(struct arena *arena,
                                                                const char *format, ...);

/* The same for a caller that has the arguments as a va_list, which is used up. */
__attribute__((format(printf, 2, 0))) struct slice arena_vprintf(struct arena *arena,
                                                                 const char *format, va_list args);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

#endif
