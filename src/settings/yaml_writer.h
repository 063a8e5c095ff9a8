/* Writes YAML 1.1 through libyaml's emitter. Calls of begin and end must balance; in a map, yaml_key()
 * must come before each value. libyaml is used only in this folder. */
#ifndef NBSCOREP_SETTINGS_YAML_WRITER_H
#define NBSCOREP_SETTINGS_YAML_WRITER_H

#include "base/strbuf.h"

struct yaml_writer;

/* Writes one document into OUT; BODY makes the calls below. If memory runs out, libyaml's memory is
 * freed and OUT's arena fails. */
void yaml_write_document(struct strbuf *out, void (*body)(struct yaml_writer *yaml, void *data),
                         void *data);

/* '{' and '}' for a map, '[' and ']' for a list. */
void yaml_begin(struct yaml_writer *yaml, char bracket);
void yaml_end(struct yaml_writer *yaml, char bracket);

/* A key of a map: a plain word. */
void yaml_key(struct yaml_writer *yaml, const char *name);

/* A string, always in double quotes. Malformed UTF-8 becomes U+FFFD. */
void yaml_text(struct yaml_writer *yaml, struct slice value);
void yaml_number(struct yaml_writer *yaml, long long value);
void yaml_bool(struct yaml_writer *yaml, bool value);

#endif
