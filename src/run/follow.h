/* Following a file that another process writes, as `tail -f` does. Score-P prints the same two lines each
 * time that it writes a part of a trace, hundreds of times: each is passed on once. */
#ifndef NBSCOREP_RUN_FOLLOW_H
#define NBSCOREP_RUN_FOLLOW_H

#include <stdbool.h>
#include <sys/stat.h>

struct follow {
	const char *path;
	int target;   /* the descriptor that what is written goes to */
	off_t offset; /* of what comes next */
	bool inside;  /* of a line */
	bool seen[2]; /* which of Score-P's two lines */
	bool found;   /* the file has been there */
	bool is_old;  /* it is as BEFORE says, so its writer has not begun yet */
	struct stat before;
	bool ended; /* set by the caller: the writer has ended, so an unfinished line is a whole one */
};

/* What the file holds now is not the writer's, who will begin it again or, where it APPENDS, go on
 * behind that. */
void follow_mark_old(struct follow *follow, bool appends);

/* Passes on what is new. A file that has become shorter was begun again. Returns 1 when there was
 * something, 0 when not, also where there is no file (yet), -1 with errno when TARGET cannot be
 * written. */
int follow_pass_on(struct follow *follow);

#endif
