#include "base/base.h"

#include <stdalign.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#ifdef NBSCOREP_ARENA_APART
/* Each allocation is malloc()'s, so that AddressSanitizer sees its bounds. */
enum { BLOCK_SIZE = 0, ALIGNMENT = 1 };
#else
/* An allocation that needs more than BLOCK_SIZE has its own block. */
enum { BLOCK_SIZE = 64 * 1024, ALIGNMENT = sizeof(uint64_t) };
#endif
enum { LARGE_SIZE = 2 << 20, MANY_BLOCKS = 32 }; /* an arena with more is large */

struct arena_block {
	struct arena_block *older, *newer;
	alignas(max_align_t) char bytes[];
};

void arena_init(struct arena *arena, jmp_buf *on_failure)
{
	*arena = (struct arena){.on_failure = on_failure};
}

void arena_keep_memory(void)
{
#ifdef __GLIBC__
	enum { KEPT = 32 << 20 }; /* glibc's maximum; it rejects both on 32-bit systems */
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_MMAP_THRESHOLD, KEPT);
#endif
}

void arena_release(struct arena *arena)
{
	for (struct arena_block *block = arena->blocks, *older; block != NULL; block = older) {
		older = block->older;
		free(block);
	}
	*arena = (struct arena){.on_failure = arena->on_failure};
}

jmp_buf *arena_set_handler(struct arena *arena, jmp_buf *on_failure)
{
	jmp_buf *before = arena->on_failure;
	arena->on_failure = on_failure;
	return before;
}

void arena_guard(struct arena *arena, struct arena_guard *guard, void (*release)(void *data),
                 void *data)
{
	*guard = (struct arena_guard){release, data, arena->guards, arena->on_failure};
	arena->guards = guard;
}

void arena_unguard(struct arena *arena)
{
	struct arena_guard *guard = arena->guards;
	arena->guards = guard->before;
	guard->release(guard->data);
}

static void release_inner(void *arena)
{
	arena_release(arena);
}

void arena_init_inner(struct arena *arena, struct arena *outer)
{
	*arena = (struct arena){.outer = outer};
	arena_guard(outer, &arena->own, release_inner, arena);
}

_Noreturn void arena_fail(struct arena *arena)
{
	while (arena->outer != NULL)
		arena = arena->outer;
	if (arena->on_failure == NULL)
		abort();
	while (arena->guards != NULL && arena->guards->on_failure == arena->on_failure)
		arena_unguard(arena);
	longjmp(*arena->on_failure, 1);
}

static size_t round_up(struct arena *arena, size_t size)
{
	if (size > SIZE_MAX / 2)
		arena_fail(arena);
	return size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A large arena lets the heap grow in huge pages, where the system has them: of 33,000 small ones for a notebook of
 * 50,000 cells, each of the first touches takes longer than what is done with the page. As with glibc's tunable
 * glibc.malloc.hugetlb, all that malloc() takes afterwards is in them. */
static void use_huge_pages(void)
{
#if defined __GLIBC__ && defined MADV_HUGEPAGE
	enum { STEP = 32 << 20, HUGE_PAGE = 2 << 20 };
	static char *advised; /* the end of the heap when it was asked last */
	char *end = sbrk(0);
	if (advised == NULL)
		mallopt(M_TOP_PAD, STEP); /* it grows by so much at a time */
	char *begin = advised - (uintptr_t)advised % HUGE_PAGE;
	if (advised != NULL && advised < end)
		(void)madvise(begin, (size_t)(end - begin), MADV_HUGEPAGE);
	advised = end;
#endif
}

/* Links BLOCK, which is new or was moved, between its neighbours. */
static void link_block(struct arena *arena, struct arena_block *block)
{
	*(block->newer == NULL ? &arena->blocks : &block->newer->older) = block;
	if (block->older != NULL)
		block->older->newer = block;
}

static struct arena_block *add_block(struct arena *arena, size_t size)
{
	struct arena_block *block = malloc(sizeof *block + size);
	if (block == NULL)
		arena_fail(arena);
	block->older = arena->blocks;
	block->newer = NULL;
	link_block(arena, block);
	return block;
}

/* SIZE bytes, not initialised. */
static char *arena_take(struct arena *arena, size_t size)
{
	size_t need = round_up(arena, size);
	if (need > BLOCK_SIZE)
		return add_block(arena, need)->bytes;
	if ((size_t)(arena->end - arena->next) < need) {
		if (++arena->block_count > MANY_BLOCKS)
			use_huge_pages();
		arena->next = add_block(arena, BLOCK_SIZE)->bytes;
		arena->end = arena->next + BLOCK_SIZE;
	}
	char *result = arena->next;
	arena->next += need;
	return result;
}

/* Resizes the block that holds only OLD, which may move. */
static char *resize(struct arena *arena, char *old, size_t need)
{
	struct arena_block *before =
	        (struct arena_block *)(void *)(old - offsetof(struct arena_block, bytes));
	struct arena_block *block = realloc(before, sizeof *block + need);
	if (block == NULL)
		arena_fail(arena);
	if (need > LARGE_SIZE)
		use_huge_pages();
	link_block(arena, block);
	return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	return memset(arena_take(arena, size), 0, size);
}

void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		arena_fail(arena);
	return arena_alloc(arena, total);
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
	if (old == NULL)
		return arena_take(arena, new_size);
	size_t old_need = round_up(arena, old_size), new_need = round_up(arena, new_size);
	if (old_need > BLOCK_SIZE)
		return resize(arena, old, new_need);
	char *end = (char *)old + old_need;
	if (end == arena->next && new_need <= old_need + (size_t)(arena->end - end)) {
		arena->next = (char *)old + new_need;
		return old;
	}
	if (new_size <= old_size)
		return old;
	char *result = arena_take(arena, new_size);
	memcpy(result, old, old_size);
	return result;
}

char *arena_cstr(struct arena *arena, struct slice s)
{
	char *copy = arena_take(arena, s.len + 1);
	if (s.len > 0)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}

struct slice arena_dup(struct arena *arena, struct slice s)
{
	return slice_make(arena_cstr(arena, s), s.len);
}

struct slice arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	char most[128]; /* most results fit */
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(most, sizeof most, format, args);
	size_t count = len < 0 ? 0 : (size_t)len;
	char *text = arena_take(arena, count + 1);
	if (count < sizeof most)
		memcpy(text, most, count);
	else
		vsnprintf(text, count + 1, format, again);
	text[count] = '\0';
	va_end(again);
	return slice_make(text, count);
}

struct slice arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	struct slice text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

struct slice arena_decimal(struct arena *arena, double value, int decimals)
{
	struct slice text = arena_printf(arena, "%.*f", decimals, value);
	bool is_zero = text.ptr[0] == '-' && strspn(text.ptr + 1, "0.") + 1 == text.len;
	return is_zero ? slice_tail(text, 1) : text;
}
