/* Which program of a notebook is run or submitted: its only one, or that of --program. */
#ifndef NBSCOREP_DRIVER_CHOOSE_PROGRAM_H
#define NBSCOREP_DRIVER_CHOOSE_PROGRAM_H

#include "ir/ir.h"

struct program_choice {
	const char *wanted;    /* --program, or NULL */
	struct slice programs; /* those there are, by name */
	size_t count;
	bool unclear; /* none was chosen */
};

/* Leaves in IR the program that is to run, or makes CHOICE unclear and returns -1. What CHOICE keeps
 * lives in ARENA. */
int program_choose(struct arena *arena, struct program_choice *choice, struct ir *ir);

/* Says why none was chosen. Returns EXIT_USAGE. */
int program_refuse_choice(struct arena *arena, const struct program_choice *choice);

#endif
