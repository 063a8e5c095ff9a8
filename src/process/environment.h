/* The environment of a program that is to be started: a copy, changed step by step. */
#ifndef NBSCOREP_PROCESS_ENVIRONMENT_H
#define NBSCOREP_PROCESS_ENVIRONMENT_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/vector.h"

struct environment {
	struct arena *arena;
	VECTOR(char *) entries; /* "NAME=VALUE", without the NULL at the end */
};

/* A copy of LIST, which ends with NULL. Everything in it lives in ARENA. */
void environment_init(struct environment *environment, struct arena *arena, char *const *list);

/* The value of NAME, or NULL. */
const char *environment_get(const struct environment *environment, struct slice name);

/* Sets NAME to VALUE, up to its first NUL. */
void environment_set(struct environment *environment, struct slice name, struct slice value);

/* The entries as execve() wants them; valid until the next environment_set(). */
char **environment_list(struct environment *environment);

/* The file that execvp(3) starts for NAME in this environment: NAME itself if it holds a slash, else the
 * first match on PATH. Returns NULL if that is not a regular file that this user may execute; then errno says
 * what is wrong with a NAME that holds a slash. Arena memory. */
const char *environment_find_program(const struct environment *environment, const char *name);

#endif
