/* How long a program may take that was asked to end: as long as its files grow, it writes what it has
 * measured, and a kill would leave them broken. */
#ifndef NBSCOREP_PROCESS_GROWTH_H
#define NBSCOREP_PROCESS_GROWTH_H

#include <stdbool.h>

struct growth {
	long long (*measure)(
	        void *data); /* bytes of the files so far; throws nothing. NULL: none */
	void *data;
	long long size; /* at the last call */
	unsigned times; /* growth_goes_on() was true */
};

/* Notes the size when the program is asked to end. */
void growth_begin(struct growth *growth);

/* True if the files have grown since the last call, at most 20 times: a program that never ends can
 * write as well. */
bool growth_goes_on(struct growth *growth);

#endif
