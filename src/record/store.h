/* Internal to src/record: files of a recording that are mapped into memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file in memory. What is stored in it is in the file, even if the process is killed, unless the file system
 * has no shared mappings: then it is when the store is flushed or closed. */
struct store {
	char *at; /* NULL: not mapped */
	size_t size;
	bool is_plain; /* not shared */
	char path[];
};

/* Names the file NAME of FOLDER, which is not opened yet. Returns NULL and sets errno without memory. */
struct store *store_new(const char *folder, const char *name);

/* Maps the first SIZE bytes, more than before. Makes the file if necessary. The disk's space is allocated
 * before, so that a full disk is an error here and no SIGBUS later; bytes that are new are zero. Returns 0, or -1
 * and sets errno; then the mapping is as before. */
int store_map(struct store *store, size_t size);

/* Writes what is not in the file yet, because it is not shared. */
void store_flush(const struct store *store);

/* Unmaps the file, of which the first USED bytes are kept (SIZE_MAX: all), and frees the store. */
void store_close(struct store *store, size_t used);

/* Writes SIZE bytes to the file NAME of FOLDER, at OFFSET or, where that is -1, at its end and at once. Returns
 * 0, or -1 and sets errno. */
int store_write(const char *folder, const char *name, const void *bytes, size_t size, off_t offset);
