#include "base/name_set.h"

#include "base/digest.h"

/* The slot that holds NAME, or the free one where it belongs. */
static uint32_t *find_slot(const struct name_set *set, struct slice name)
{
	size_t mask = set->slot_count - 1;
	for (size_t i = (size_t)digest_add(DIGEST_START, name) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &set->slots[i];
		if (*slot == 0 || slice_eq(set->names.items[*slot - 1], name))
			return slot;
	}
}

size_t name_set_add(struct name_set *set, struct slice name)
{
	if (2 * set->names.count >= set->slot_count) {
		set->slot_count = set->slot_count == 0 ? 8 : 2 * set->slot_count;
		set->slots = arena_calloc(set->arena, set->slot_count, sizeof *set->slots);
		for (size_t i = 0; i < set->names.count; i++)
			*find_slot(set, set->names.items[i]) = (uint32_t)i + 1;
	}
	uint32_t *slot = find_slot(set, name);
	if (*slot == 0) {
		vec_push(set->arena, &set->names, name);
		*slot = (uint32_t)set->names.count;
	}
	return *slot - 1;
}

bool name_set_has(const struct name_set *set, struct slice name)
{
	return set->slot_count > 0 && *find_slot(set, name) != 0;
}
