/* Recognises a cell of one line that is a line magic without its %. */
#ifndef NBSCOREP_LEX_AUTOMAGIC_H
#define NBSCOREP_LEX_AUTOMAGIC_H

#include "lex/lexer.h"

/* Where the magic begins when TEXT is a cell of one line that is one without its "%", or SIZE_MAX. */
size_t automagic_find(struct slice text);

#endif
