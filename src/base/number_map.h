/* A map from numbers to numbers, such as indices, in linear time. */
#ifndef NBSCOREP_BASE_NUMBER_MAP_H
#define NBSCOREP_BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct number_entry {
	uint64_t key;
	size_t value;
	bool used;
};

struct number_map {
	struct arena *arena;
	struct number_entry *slots; /* open addressing */
	size_t slot_count, count;
};

void number_map_init(struct number_map *map, struct arena *arena);

/* The value of KEY, which is added with 0 if it is new; it may move when another one is added. */
size_t *number_map_at(struct number_map *map, uint64_t key);

/* The value of KEY, or 0 where it was not added. */
size_t number_map_get(const struct number_map *map, uint64_t key);

#endif
