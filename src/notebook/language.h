/* Names of languages and of kernels. */
#ifndef NBSCOREP_NOTEBOOK_LANGUAGE_H
#define NBSCOREP_NOTEBOOK_LANGUAGE_H

#include <stdbool.h>

#include "base/slice.h"

/* True if LANGUAGE, as notebooks name it, is Python. */
bool language_is_python(struct slice language);

/* True if NAME, of a kernel or of a language, contains "python", as in "pythonkernel". */
bool language_hints_at_python(struct slice name);

/* True if NAME is like the names of Python kernels: "python3", "conda-env-x". */
bool notebook_is_python_kernel(struct slice name);

#endif
