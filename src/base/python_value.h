/* Values in Python: literals for scripts, and the type of a word of the command line. */
#ifndef NBSCOREP_BASE_PYTHON_VALUE_H
#define NBSCOREP_BASE_PYTHON_VALUE_H

#include "base/strbuf.h"
#include "base/value.h"

/* Python refuses to read an integer with more decimal digits (sys.int_info, since 3.11). An integer
 * in another base is counted in decimal, because it is decimal in JSON. */
enum { PYTHON_DIGITS_MAX = 4300 };

/* Appends VALUE as a Python expression on one line, made of literals, that has exactly that value.
 * Values without a literal become float("inf"), float("-inf") or float("nan"). Numbers of VALUE
 * have the syntax of Python, YAML or JSON. */
void python_value(struct strbuf *out, const struct value *value);

/* True if Python can read all integers in VALUE: none has more than PYTHON_DIGITS_MAX digits. */
bool python_value_fits(const struct value *value);

/* The value that papermill makes of the word TEXT after -p (papermill.cli._resolve_type): True,
 * False, None, what int() accepts, what float() accepts, else a text. In ARENA; it has no place. */
const struct value *python_value_of_word(struct arena *arena, struct slice text);

#endif
