/* Follows a file that another process writes, as `tail -f` does. Score-P prints the same two lines each
 * time that it writes a part of a trace, hundreds of times; each of them is passed on once. */
#ifndef NBSCOREP_RUN_FOLLOW_H
#define NBSCOREP_RUN_FOLLOW_H

#include <stdbool.h>
#include <sys/stat.h>

struct follow {
	const char *path;
	int target;   /* the descriptor to write to */
	off_t offset; /* of the next byte */
	bool inside;  /* the next byte is inside a line */
	bool seen[2]; /* Score-P's two lines */
	bool found;   /* the file has existed */
	bool is_old;  /* it matches BEFORE, so its writer has not begun yet */
	struct stat before;
	bool ended; /* set by the caller: the writer has ended, so an unfinished line is complete */
};

/* Marks the current content of the file as older than the writer. The writer replaces the content or,
 * if it APPENDS, continues after it. */
void follow_mark_old(struct follow *follow, bool appends);

/* Passes on new text. A file that has become shorter was begun again. Returns 1 if text was passed on,
 * 0 if not (or the file does not exist yet), or -1 and sets errno if TARGET cannot be written. */
int follow_pass_on(struct follow *follow);

#endif
