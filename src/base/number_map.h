/* A map from numbers to numbers, such as indices. Lookups and insertions are O(1) on average. */
#pragma once

#include "base/base.h"

struct number_entry {
	uint64_t key;
	size_t value;
	bool used;
};

/* {.arena = arena} is an empty one. */
struct number_map {
	struct arena *arena;
	struct number_entry *slots; /* open addressing */
	size_t slot_count, count;
};

/* A pointer to the value of KEY. Adds KEY with the value 0 if it is new. The pointer is valid until
 * the next insertion. */
size_t *number_map_at(struct number_map *map, uint64_t key);

/* The value of KEY, or 0 if KEY was not added. */
size_t number_map_get(const struct number_map *map, uint64_t key);
