#include "base/number_map.h"

#include "base/digest.h"

/* The slot that holds KEY, or the free one where it belongs. */
static struct number_entry *find_slot(const struct number_map *map, uint64_t key)
{
	const struct slice bytes = slice_make((const char *)&key, sizeof key);
	size_t mask = map->slot_count - 1;
	for (size_t i = (size_t)digest_add(DIGEST_START, bytes) & mask;; i = (i + 1) & mask) {
		struct number_entry *slot = &map->slots[i];
		if (!slot->used || slot->key == key)
			return slot;
	}
}

size_t *number_map_at(struct number_map *map, uint64_t key)
{
	if (2 * map->count >= map->slot_count) {
		const struct number_map old = *map;
		map->slot_count = old.slot_count == 0 ? 32 : 2 * old.slot_count;
		map->slots = arena_calloc(map->arena, map->slot_count, sizeof *map->slots);
		for (size_t i = 0; i < old.slot_count; i++) {
			if (old.slots[i].used)
				*find_slot(map, old.slots[i].key) = old.slots[i];
		}
	}
	struct number_entry *slot = find_slot(map, key);
	if (!slot->used) {
		*slot = (struct number_entry){.key = key, .used = true};
		map->count++;
	}
	return &slot->value;
}

size_t number_map_get(const struct number_map *map, uint64_t key)
{
	return map->slot_count > 0 ? find_slot(map, key)->value : 0;
}
