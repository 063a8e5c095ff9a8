/* Templates: the files of templates/, compiled into the binary, and those of the user's that take the
 * place of some of them. In a template, @name@ stands for a text that the emitter hands in, already
 * quoted for the language of the template. */
#ifndef NBSCOREP_EMIT_TEMPLATE_H
#define NBSCOREP_EMIT_TEMPLATE_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vector.h"

struct template_file {
	struct slice name; /* path below templates/ */
	struct slice text;
};

/* All of them; made at build time by cmake/embed.cmake. */
extern const struct template_file template_files[];
extern const size_t template_file_count;

/* Templates of the user's. A NULL instead of a set: none. */
struct template_set {
	VECTOR(struct template_file) files;
};

/* The names of templates that a user's may take the place of. */
const struct slice *template_replaceable(size_t *count);

/* The text of the template NAME as SET has it, else the built-in one. */
struct slice template_text_in(const struct template_set *set, struct slice name);

/* Does SET hold the template NAME? */
bool template_is_own(const struct template_set *set, struct slice name);

struct template_value {
	struct slice name, value;
};

/* The text of the template NAME. It exists: names are literals of the emitters. */
struct slice template_text(struct slice name);

/* The text of prelude/NAME.py. */
struct slice template_snippet(struct arena *arena, struct slice name);

/* Adds the template NAME of SET to OUT, each @name@ replaced by its value. An @ that begins no name
 * of VALUES is copied as it is (bash has "$@"). */
void template_expand(struct strbuf *out, const struct template_set *set, const char *name,
                     const struct template_value *values, size_t count);

#endif
