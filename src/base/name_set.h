/* A set of names in the order of insertion. Lookups and insertions are O(1) on average. An empty one is
 * {.arena = ARENA}. */
#pragma once

#include "base/base.h"

struct name_set {
	struct arena *arena;
	VECTOR(struct slice) names;
	uint32_t *slots; /* open addressing: 0, or 1 + an index of names */
	size_t slot_count;
};

/* The index of NAME. Adds NAME if it is new; its bytes must outlive the set. */
size_t name_set_add(struct name_set *set, struct slice name);

bool name_set_has(const struct name_set *set, struct slice name);
