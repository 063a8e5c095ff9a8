/* The environment of a program to start: a copy that can be changed. */
#pragma once

#include "base/base.h"

/* {.arena = arena} is an empty one, in which everything lives in ARENA. */
struct environment {
	struct arena *arena;
	VECTOR(char *) entries; /* "NAME=VALUE", without the NULL at the end */
};

/* Makes a copy of this program's environment. */
void environment_init(struct environment *environment, struct arena *arena);

/* The value of NAME, or NULL. */
const char *environment_get(const struct environment *environment, struct slice name);

/* Sets NAME to VALUE, up to its first NUL. */
void environment_set(struct environment *environment, struct slice name, struct slice value);

/* Returns the entries for execve(); valid until the next environment_set(). */
char **environment_list(struct environment *environment);

/* Returns the file that execvp(3) starts for NAME in this environment: NAME itself if it contains a
 * slash, else the first match on PATH (arena memory). Returns NULL if this user may not execute it or
 * if it is not a regular file; for a NAME with a slash, errno has the reason. */
const char *environment_find_program(const struct environment *environment, const char *name);
