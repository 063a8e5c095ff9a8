/* Templates: the files of templates/, compiled into the binary. In a template, @name@ is replaced by a text of the emitter, which must be
 * quoted for the language of the template. */
#pragma once

#include "base/base.h"

struct template_file {
	struct slice name; /* path below templates/ */
	struct slice text;
};

/* All built-in templates, generated at build time by cmake/embed.cmake. */
extern const struct template_file template_files[];
extern const size_t template_file_count;

/* The name of the runtime package, templates/scorep_notebook, in the outputs: the version and, in the
 * version that is not released, a digest of the content. */
extern const char runtime_package_name[];

struct template_value {
	struct slice name, value;
};

/* Returns the text of the built-in template NAME. Aborts if it does not exist. */
struct slice template_text(struct slice name);

/* Appends the built-in template NAME to OUT, with each @name@ replaced by its value. An @ that does
 * not begin a name of VALUES is copied unchanged (bash has "$@"). */
void template_expand(struct strbuf *out, const char *name, const struct template_value *values,
                     size_t count);
