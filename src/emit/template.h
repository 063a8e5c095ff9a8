/* Templates: the files of templates/, compiled into the binary. In a template, @name@ stands for a
 * text that the emitter hands in, already quoted for the language of the template. */
#ifndef NBSCOREP_EMIT_TEMPLATE_H
#define NBSCOREP_EMIT_TEMPLATE_H

#include "base/strbuf.h"

struct template_file {
	struct slice name; /* path below templates/ */
	struct slice text;
};

/* All of them; made at build time by cmake/embed.cmake. */
extern const struct template_file template_files[];
extern const size_t template_file_count;

struct template_value {
	struct slice name, value;
};

/* The text of the template NAME. It exists: names are literals of the emitters. */
struct slice template_text(struct slice name);

/* The text of prelude/NAME.py. */
struct slice template_snippet(struct arena *arena, struct slice name);

/* Adds the template NAME to OUT, each @name@ replaced by its value. An @ that begins no name of
 * VALUES is copied as it is (bash has "$@"). */
void template_expand(struct strbuf *out, const char *name, const struct template_value *values,
                     size_t count);

#endif
