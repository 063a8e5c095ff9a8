/* Lowers magics and escapes to calls of helpers. */
#ifndef NBSCOREP_IR_LOWER_LOWER_CALL_H
#define NBSCOREP_IR_LOWER_LOWER_CALL_H

#include "ir/lower/lower.h"

/* True if the magic includes a file as FORM, which pass_include() has refused with a warning. Call it
 * only for magics that are lowered, not for those whose file was included. */
bool site_was_refused(const struct site *site, enum include_form form);

/* A place for messages of the running script: "heat.ipynb, cell 7, line 3"; LINE 0: the cell. */
struct slice lower_place(const struct pass_context *context, const struct block *block,
                         unsigned line);

/* What becomes of MAGIC, a part of SITE's or the same, as a call. False: it has none. A diagnostic
 * is added where something is to be said about it. */
bool lower_to_call(const struct site *site, const struct magic *magic, struct call *out);

/* The expression `f("text", globals(), locals())`, line ends of SITE's magic inside its brackets if
 * LINE_ENDS. */
void call_add(const struct site *site, const struct call *call, bool line_ends, struct strbuf *out);

/* CALL becomes the magic's replacement, shown if its value is. */
void call_replace(const struct site *site, struct call *call);

#endif
