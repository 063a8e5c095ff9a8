/* How long a program may take to end after it was asked to: while its files grow, it writes its
 * measurements, and a kill would leave broken files. */
#ifndef NBSCOREP_PROCESS_GROWTH_H
#define NBSCOREP_PROCESS_GROWTH_H

#include <stdbool.h>

struct growth {
	long long (*measure)(
	        void *data); /* bytes of the files so far; must not longjmp. NULL: none */
	void *data;
	long long size; /* at the last call */
	unsigned times; /* how often growth_goes_on() was true */
};

/* Records the size when the program is asked to end. */
void growth_begin(struct growth *growth);

/* True if the files have grown since the last call. True at most 20 times, because a program that
 * never ends may keep writing. */
bool growth_goes_on(struct growth *growth);

#endif
