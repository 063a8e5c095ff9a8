/* Base64 (RFC 4648, chapter 4). */
#ifndef NBSCOREP_BASE_BASE64_H
#define NBSCOREP_BASE_BASE64_H

#include "base/strbuf.h"

/* Appends BYTES, padded with "=". */
void base64_put(struct strbuf *out, struct slice bytes);

#endif
