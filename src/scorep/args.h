/* The arguments that a notebook passes to `python -m scorep`: the table of options, the splitting of
 * a text into words, and the check of these. */
#pragma once

#include "diag/diag.h"

enum scorep_arg_form {
	SCOREP_ARG_FLAG,    /* --name */
	SCOREP_ARG_VALUE,   /* --name=value */
	SCOREP_ARG_LIST,    /* --name or --name=value */
	SCOREP_ARG_MODE,    /* --name or --name:mode */
	SCOREP_ARG_REFUSED, /* not allowed: nothing would be measured */
	SCOREP_ARG_OLD_MPI, /* --mpi, rewritten to --mpp=mpi */
};

enum scorep_arg_owner {
	SCOREP_ARG_BINDINGS, /* the bindings use it themselves */
	SCOREP_ARG_CONFIG,   /* the bindings pass it to scorep-config */
};

struct scorep_arg_row {
	struct slice name;
	enum scorep_arg_form form;
	enum scorep_arg_owner owner;
	struct slice allowed; /* values, "a, b"; empty: any */
};

/* Returns the row of args.def of the option NAME (with its dashes, without a value), or NULL. */
const struct scorep_arg_row *scorep_arg_find(struct slice name);

/* The text of arguments and its place. */
struct scorep_arg_text {
	struct slice text;
	unsigned cell;       /* TEXT is bytes [offset, offset + text.len) of this cell's source */
	struct slice source; /* the source of that cell */
	size_t offset;
	struct source_mark *mark; /* of SOURCE; not NULL */
	struct location
	        place; /* the place of all words if CELL is 0 (command line, configuration) */
};

struct scorep_word {
	struct slice text;  /* without quotes and backslashes; arena memory or a string literal */
	size_t offset, len; /* the word as written, in scorep_arg_text.text */
	bool expands;       /* $NAME and ${NAME} in it expand when the run script runs; false: they
	                 are literal */
};

struct scorep_words {
	VECTOR(struct scorep_word) list;
};

/* Splits TEXT into words and appends them to WORDS. Blanks and line ends separate words. '...',
 * "..." and backslash quote as in a shell. A backslash at the end of a line joins it with the next
 * line. # at the beginning of a word starts a comment. $NAME and ${NAME} outside '...' are kept for
 * run time ($NAME may become ${NAME}). Other shell syntax has no meaning. Returns 0, or -1 after
 * adding an error. */
int scorep_split_args(struct diags *diags, const struct scorep_arg_text *text,
                      struct scorep_words *words);

/* The place of bytes [OFFSET, OFFSET+LEN) of TEXT. */
struct location scorep_arg_place(const struct scorep_arg_text *text, size_t offset, size_t len);

/* Checks the words of TEXT and appends the accepted ones to OUT. Options with a newer spelling are
 * rewritten. Returns 0, or -1 after adding an error; OUT then holds only accepted words. */
int scorep_check_args(struct diags *diags, const struct scorep_arg_text *text,
                      const struct scorep_words *words, struct scorep_words *out);
