/* Values as Python has them: literals for scripts, and what a word of the command line is. */
#ifndef NBSCOREP_BASE_PYTHON_VALUE_H
#define NBSCOREP_BASE_PYTHON_VALUE_H

#include "base/strbuf.h"
#include "base/value.h"

/* Python refuses to read a whole number with more decimal digits (sys.int_info, since 3.11). One
 * in another base counts as if it was decimal, which it is where it becomes JSON. */
enum { PYTHON_DIGITS_MAX = 4300 };

/* VALUE as a Python expression on one line, made of literals, which gives exactly that value. What
 * has no literal is float("inf"), float("-inf") or float("nan"). Its numbers are as Python, YAML or
 * JSON have them. */
void python_value(struct strbuf *out, const struct value *value);

/* Can Python read all numbers in VALUE: has none more than PYTHON_DIGITS_MAX digits? */
bool python_value_fits(const struct value *value);

/* What papermill makes of the word TEXT behind -p (papermill.cli._resolve_type): True, False, None,
 * what int() takes, what float() takes, else a text. In ARENA; it has no place. */
const struct value *python_value_of_word(struct arena *arena, struct slice text);

#endif
