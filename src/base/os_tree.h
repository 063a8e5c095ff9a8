/* Files that a notebook names: they are opened only where the tree allows it. A path is resolved and
 * checked on open descriptors, so that no link can be changed between the check and the opening. Files
 * of /proc, /sys and /dev outside of the tree's top are never opened. */
#ifndef NBSCOREP_BASE_OS_TREE_H
#define NBSCOREP_BASE_OS_TREE_H

#include <limits.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/os.h"
#include "base/slice.h"
#include "base/strbuf.h"

enum tree_limit {
	TREE_PROJECT, /* links are followed; the file that they lead to is below the top */
	TREE_CLOSED,  /* no link is followed, and nothing outside of the top is looked at */
	TREE_ANY,     /* files outside of the top, too */
};

struct tree {
	enum tree_limit limit;
	struct slice top;   /* absolute, without links */
	struct slice given; /* the top as the user names it, absolute */
	const char *top_path;
};

/* TREE with the folder TOP ("." is the current one). Returns 0, or -1 with errno: the folder cannot be
 * found. Texts are in ARENA. */
int tree_init(struct tree *tree, struct arena *arena, enum tree_limit limit, struct slice top);

/* An open file of a tree. */
struct tree_file {
	int fd;
	bool inside;             /* below the top */
	char name[NAME_MAX + 1]; /* its last component, after links */
};

/* Opens the regular file PATH for reading. Returns 0; the caller closes the descriptor. Returns -1
 * and sets errno, for which tree_problem() has a text. */
int tree_open(const struct tree *tree, struct arena *arena, struct slice path,
              struct tree_file *out);

/* The same of a folder, whose entries can be listed. */
int tree_open_folder(const struct tree *tree, struct arena *arena, struct slice path,
                     struct tree_file *out);

/* Reads the file PATH to its end, and closes it. Returns 0 with its text added to OUT, or -1 with
 * errno: also EFBIG when it is longer than LIMIT. */
int tree_read(const struct tree *tree, struct slice path, struct strbuf *out, size_t limit,
              struct tree_file *file);

/* 1 if there is a regular file, or a folder, at PATH; 0 if not; -1 and errno where the system fails to
 * say, or, with TREE_CLOSED, if it is outside or reached by a link. */
int tree_find_file(const struct tree *tree, struct arena *arena, struct slice path);
int tree_find_folder(const struct tree *tree, struct arena *arena, struct slice path);

/* True if ERROR says that the tree does not allow the file. */
bool tree_is_refusal(int error);

/* What ERROR of a function of the tree says, for a message: "it is outside of the project". */
const char *tree_problem(const struct tree *tree, int error);

#endif
