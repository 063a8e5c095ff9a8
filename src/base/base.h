/* What every file uses: the C library's common headers, and slices, arenas, strings and vectors. Each header of the
 * project brings it. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vector.h"
