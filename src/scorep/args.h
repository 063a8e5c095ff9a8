/* The arguments that a notebook hands to `python -m scorep`: splitting their text into words, and
 * checking the words before they cost a run. */
#ifndef NBSCOREP_SCOREP_ARGS_H
#define NBSCOREP_SCOREP_ARGS_H

#include "base/slice.h"
#include "base/vector.h"
#include "diag/diag.h"

enum scorep_arg_form {
	SCOREP_ARG_FLAG,    /* --name */
	SCOREP_ARG_VALUE,   /* --name=value */
	SCOREP_ARG_LIST,    /* --name or --name=value */
	SCOREP_ARG_MODE,    /* --name or --name:mode */
	SCOREP_ARG_REFUSED, /* must not be given: nothing would be measured */
	SCOREP_ARG_OLD_MPI, /* --mpi, rewritten to --mpp=mpi */
};

enum scorep_arg_owner {
	SCOREP_ARG_BINDINGS, /* the bindings take it themselves */
	SCOREP_ARG_CONFIG,   /* they hand it to scorep-config */
};

struct scorep_arg_row {
	struct slice name;
	enum scorep_arg_form form;
	enum scorep_arg_owner owner;
	struct slice allowed; /* values, comma-separated; empty: any */
	const char *doc;
};

/* All rows of args.def; *COUNT is set. */
const struct scorep_arg_row *scorep_arg_rows(size_t *count);

/* The row of the option NAME (with its dashes, without a value), or NULL. */
const struct scorep_arg_row *scorep_arg_find(struct slice name);

/* Text of arguments and where it stands. */
struct scorep_arg_text {
	struct slice text;
	unsigned cell;       /* TEXT is bytes [offset, offset + text.len) of this cell's source */
	struct slice source; /* that source */
	size_t offset;
	struct source_mark *mark; /* of that source; not NULL */
	struct location
	        place; /* with CELL 0 (command line, configuration): the place of all words */
};

struct scorep_word {
	struct slice text;  /* after quotes and backslashes; arena memory or part of a literal */
	size_t offset, len; /* the word as written, in scorep_arg_text.text */
	bool expands; /* every $NAME and ${NAME} in it expands when the run script runs; false: they
	                 are literal */
};

struct scorep_words {
	VECTOR(struct scorep_word) list;
};

/* Splits TEXT into words and appends them to WORDS. Words are separated by blanks and line ends;
 * '...', "..." and backslash quote as in a shell, a backslash at a line's end joins it with the
 * next, # at the beginning of a word starts a comment. $NAME and ${NAME} outside '...' are kept for
 * run time ($NAME may come out as ${NAME}). Nothing else of the shell has a meaning. Returns -1 after an error was added. */
int scorep_split_args(struct diags *diags, const struct scorep_arg_text *text,
                      struct scorep_words *words);

/* Is there an option NAME (with or without value) among WORDS? */
bool scorep_args_have(const struct scorep_words *words, struct slice name);

/* The place of bytes [OFFSET, OFFSET+LEN) of TEXT. */
struct location scorep_arg_place(const struct scorep_arg_text *text, size_t offset, size_t len);

#endif
