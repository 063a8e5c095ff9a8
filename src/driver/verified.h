/* A cache, for the next builds of this user, of texts that Python has compiled without a fault. The keys
 * are digests of texts and of the Python, in the file "nbscorep/verified" of $XDG_CACHE_HOME or
 * ~/.cache.
 *
 * The file is a hash table of fixed size, of 4096 rows of four keys of 16 bytes; a new key may overwrite an
 * old one of a full row. Several processes may use it at once without locks, because each reads and writes single keys.
 * A torn or damaged key does not equal any other key, so at worst a text is checked again. A cache that
 * cannot be read or written is not an error; nothing is cached then. */
#ifndef NBSCOREP_DRIVER_VERIFIED_H
#define NBSCOREP_DRIVER_VERIFIED_H

#include <stdbool.h>
#include <stdint.h>

#include "process/environment.h"

struct verified_key {
	uint64_t first, second;
};

/* The key of an empty text, and the key of KEY's text with PART after it. */
struct verified_key verified_key_start(void);
struct verified_key verified_key_add(struct verified_key key, struct slice part);

struct verified {
	struct arena *arena;
	const char *path; /* the file to create; NULL: none */
	int descriptor;   /* -1: not open */
	bool may_write;
};

/* Opens the cache of ENVIRONMENT, whose arena must live as long. Creates nothing. */
struct verified verified_open(struct environment *environment);

/* True if KEY is in the cache. */
bool verified_has(const struct verified *verified, struct verified_key key);

/* Adds KEY. Creates the file, and folders for this user only, if they are missing. */
void verified_add(struct verified *verified, struct verified_key key);

void verified_close(struct verified *verified);

#endif
