/* Files that a notebook names: they are opened only where the tree allows it. A path is resolved and checked, and
 * then opened without following a link, so that no link can be changed between the check and the
 * opening. Files of /proc, /sys and /dev outside of the tree's top are never opened. */
#pragma once

#include <sys/stat.h>

#include "base/base.h"

enum tree_limit {
	TREE_PROJECT, /* links are followed; the target must be below the top */
	TREE_CLOSED,  /* no link is followed, and nothing outside of the top is accessed */
	TREE_ANY,     /* files outside of the top are allowed, too */
};

struct tree {
	enum tree_limit limit;
	struct slice top;   /* absolute, without links */
	struct slice given; /* the top as the user specified it, absolute */
	const char *top_path;
};

/* Initialises TREE with the folder TOP (".": the current one). Returns 0, or -1 and sets errno if
 * the folder cannot be found. Texts are in ARENA. */
int tree_init(struct tree *tree, struct arena *arena, enum tree_limit limit, struct slice top);

/* An open file of a tree. */
struct tree_file {
	int fd;
	bool inside;             /* below the top */
	char name[NAME_MAX + 1]; /* its last component, with links resolved */
};

/* Opens the regular file PATH for reading. Returns 0; the caller closes the descriptor. Returns -1
 * and sets errno on failure; tree_problem() describes it. */
int tree_open(const struct tree *tree, struct arena *arena, struct slice path,
              struct tree_file *out);

/* Reads the file PATH to its end and closes it. Returns 0 and appends the content to OUT. Returns
 * -1 and sets errno on failure; to EFBIG if the file is larger than LIMIT. */
int tree_read(const struct tree *tree, struct slice path, struct strbuf *out, size_t limit,
              struct tree_file *file);

/* 1 if something of TYPE, S_IFREG or S_IFDIR, is at PATH; 0 if not. -1 and sets errno if this is not
 * known, or, with TREE_CLOSED, if PATH is outside or reached by a link. */
int tree_find(const struct tree *tree, struct arena *arena, struct slice path, mode_t type);

/* True if ERROR means that the tree does not allow the file. */
bool tree_is_refusal(int error);

/* Describes ERROR of a function of the tree for a message: "it is outside of the project". */
const char *tree_problem(const struct tree *tree, int error);
