/* A growing array of any type, in arena memory. Declare it with VECTOR(type), zero-initialise it,
 * append with vec_push(). Elements may move while it grows, and their old memory is freed: keep
 * indices, not pointers. Push to only one of two copies of a vector. */
#pragma once

#include <stdlib.h>

#include "base/arena.h"

#define VECTOR(type)                                                                               \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

/* The capacity of a vector of elements of SIZE bytes when it gets its first one: a cache line, as most
 * vectors of a cell stay short. */
static inline size_t vec_first(size_t size)
{
	return size < 32 ? 64 / size : 2;
}

/* Appends ITEM (evaluated once). */
#define vec_push(arena, vec, ...)                                                                  \
	do {                                                                                       \
		const size_t vec_size = sizeof *(vec)->items; /* NOLINT: or of pointers */         \
		if ((vec)->count == (vec)->capacity) {                                             \
			size_t vec_more =                                                          \
			        (vec)->capacity == 0 ? vec_first(vec_size) : (vec)->capacity * 2;  \
			(vec)->items =                                                             \
			        arena_grow((arena), (vec)->items, (vec)->capacity * vec_size,      \
			                   vec_more * vec_size);                                   \
			(vec)->capacity = vec_more;                                                \
		}                                                                                  \
		(vec)->items[(vec)->count++] = (__VA_ARGS__);                                      \
	} while (0)

/* A loop over the elements: ITEM, a pointer to TYPE, points to each in turn. VEC must not grow meanwhile. */
#define vec_each(type, item, vec) /* NOLINTNEXTLINE: a declaration has no parentheses */           \
	for (type *item = (vec)->items; item != NULL && item < (vec)->items + (vec)->count; item++)

/* Sorts the elements by COMPARE, as qsort() does, to which an empty vector has no array to give. */
#define vec_sort(vec, compare)                                                                     \
	do {                                                                                       \
		if ((vec)->count > 0)                                                              \
			qsort((vec)->items, (vec)->count, sizeof *(vec)->items, (compare));        \
	} while (0)

/* Allocates room for MOST elements of an empty vector. */
#define vec_reserve(arena, vec, most)                                                              \
	do {                                                                                       \
		(vec)->items = arena_calloc((arena), (most), sizeof *(vec)->items);                \
		(vec)->capacity = (most);                                                          \
	} while (0)

/* Gives back the room for more elements, if the vector was the last to grow. */
#define vec_trim(arena, vec)                                                                       \
	do {                                                                                       \
		if ((vec)->items != NULL)                                                          \
			(vec)->items = arena_grow((arena), (vec)->items,                           \
			                          (vec)->capacity * sizeof *(vec)->items,          \
			                          (vec)->count * sizeof *(vec)->items);            \
		(vec)->capacity = (vec)->count;                                                    \
	} while (0)
