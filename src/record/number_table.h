/* Internal to src/record: numbers by keys that are not 0, with open addressing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct number_table {
	struct number_entry {
		uint64_t key; /* 0: free */
		uint32_t number;
	} * entries;
	uint32_t size, used; /* SIZE: a power of 2 */
};

/* The entry of KEY, or the free one that it would take. */
static inline struct number_entry *number_table_find(const struct number_table *table, uint64_t key)
{
	uint32_t mask = table->size - 1,
	         at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
	while (table->entries[at].key != 0 && table->entries[at].key != key)
		at = (at + 1) & mask;
	return &table->entries[at];
}

/* Makes sure that there is room for a key more. Returns false without memory. */
static inline bool number_table_reserve(struct number_table *table)
{
	struct number_table larger = {.used = table->used,
	                              .size = table->size == 0 ? 256 : table->size * 2};
	if (table->used * 2 < table->size)
		return true;
	larger.entries = calloc(larger.size, sizeof *larger.entries);
	if (larger.entries == NULL)
		return false;
	for (uint32_t i = 0; i < table->size; i++) {
		if (table->entries[i].key != 0)
			*number_table_find(&larger, table->entries[i].key) = table->entries[i];
	}
	free(table->entries);
	*table = larger;
	return true;
}

/* Gives KEY a NUMBER in ENTRY, which number_table_find() found free. */
static inline void number_table_put(struct number_table *table, struct number_entry *entry,
                                    uint64_t key, uint32_t number)
{
	*entry = (struct number_entry){key, number};
	table->used++;
}
