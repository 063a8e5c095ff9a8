/* Writes YAML 1.1 through libyaml, which is used only in this folder. */
#pragma once

#include "base/base.h"

/* Appends the value of JSON, a text of json_writer.h, as a YAML document to OUT. Strings are in double quotes, because
 * a plain `no` or `1.0` would be read as something else; keys are plain words. If memory runs out, libyaml's memory is
 * freed and OUT's arena fails. */
void yaml_write_json(struct strbuf *out, struct slice json);
