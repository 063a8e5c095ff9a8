/* Recognises a cell of one line that is a line magic without its %. */
#ifndef NBSCOREP_LEX_AUTOMAGIC_H
#define NBSCOREP_LEX_AUTOMAGIC_H

#include "lex/lexer.h"

/* The offset of the magic if TEXT is one line and that is a line magic without its "%", else
 * SIZE_MAX. */
size_t automagic_find(struct slice text);

#endif
