/* A common interface for structured data, so that the JSON and the YAML dump cannot differ. */
#ifndef NBSCOREP_EMIT_STRUCTURE_H
#define NBSCOREP_EMIT_STRUCTURE_H

#include "base/slice.h"

/* A writer. Begin and end calls must balance. In a map, key() must be called before each value. */
struct structure {
	void (*begin_map)(void *data);
	void (*end_map)(void *data);
	void (*begin_list)(void *data);
	void (*end_list)(void *data);
	void (*key)(void *data, const char *name);
	void (*text)(void *data, struct slice value);
	void (*number)(void *data, long long value);
	void (*boolean)(void *data, bool value);
};

#endif
