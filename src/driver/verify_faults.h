/* Faults that Python or the lexer finds in the cells of a compilation, at places of the notebook. */
#ifndef NBSCOREP_DRIVER_VERIFY_FAULTS_H
#define NBSCOREP_DRIVER_VERIFY_FAULTS_H

#include "driver/compile.h"
#include "driver/python.h"
#include "emit/emit.h"

/* A cell with a syntax error, or an included text. */
struct fault {
	struct location where; /* all 0: the script does not compile, but no cell is at fault */
	struct slice type, message; /* of Python's exception */
	unsigned taken_by;          /* as in struct python_fault */
	const struct block *block;  /* of the cell; NULL: no cell */
};

typedef VECTOR(struct fault) fault_list;

/* Adds the faults that CHECKER's Python finds in the cells of TRIAL, and in the scripts of C, the same
 * notebook as it will run, to OUT. Returns what python_check() does. */
enum python_answer python_faults(struct python_checker *checker, struct compilation *c,
                                 const struct compilation *trial, fault_list *out,
                                 struct slice *reason);

/* Adds to OUT what the lexer reported about cells of C that run: the first fault of each. */
void lexer_faults(struct compilation *c, fault_list *out);

/* True if the lexer reports KIND. */
bool is_lexer_kind(enum diag_kind kind);

#endif
