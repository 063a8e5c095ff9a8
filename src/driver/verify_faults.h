/* What Python finds in the cells of a compilation, at places of the notebook. */
#pragma once

#include "driver/compile.h"
#include "driver/python.h"

/* Adds the faults that CHECKER's Python finds in the cells and the script of PROGRAM, one of C's, to FAULTS, and all else
 * to FINDINGS. Returns what python_check() does. */
enum python_answer python_faults(struct python_checker *checker, struct compilation *c,
                                 const struct program *program, fault_list *faults,
                                 finding_list *findings, struct slice *reason);
