/* Diagnostics: everything that nbscorep has to say about a notebook. They are collected here,
 * with their place, and printed by diag_report.h. The closed set of kinds is diag.def. */
#ifndef NBSCOREP_DIAG_DIAG_H
#define NBSCOREP_DIAG_DIAG_H

#include "base/arena.h"
#include "base/location.h"
#include "base/name_set.h"
#include "base/vector.h"

enum severity { SEVERITY_IGNORED, SEVERITY_REMARK, SEVERITY_WARNING, SEVERITY_ERROR };

enum diag_kind {
#define DIAG(id, name, severity, doc) DIAG_##id,
#include "diag/diag.def"
#undef DIAG
	DIAG_KIND_COUNT
};

struct diag_row {
	const char *name; /* as in -W<name> and in brackets behind the message */
	enum severity severity;
	const char *doc; /* one line for nbscorep-diagnostics and --help */
};

/* The row of a kind. */
const struct diag_row *diag_row(enum diag_kind kind);

/* The kind called NAME, or DIAG_KIND_COUNT. */
enum diag_kind diag_by_name(struct slice name);

struct diag {
	enum diag_kind kind;
	enum severity severity;
	struct location where;
	struct slice message, hint; /* hint: a second line "did you mean ...", may be empty */
	bool hidden;                /* neither shows anything of the file */
};

struct diags {
	struct arena *arena;
	VECTOR(struct diag) list;
	enum severity severity[DIAG_KIND_COUNT]; /* in force: table, then -W switches */
	bool warnings_are_errors;                /* -Werror was given */
	size_t errors, warnings;
	struct slice file; /* while an included file is read: of places that name none */
	/* Files of which nothing is shown: a diagnostic in one has no line, no hint, and the text of
	 * its kind as its message. An empty name is the notebook itself. NULL: none. */
	const struct name_set *hidden;
};

/* An empty list with the table's severities. Texts are copied into ARENA. */
void diags_init(struct diags *diags, struct arena *arena);

/* Applies one -W switch (the text behind "-W"): NAME, no-NAME, error, error=NAME, no-error=NAME.
 * They work from left to right, but for "error", which also holds for kinds switched on later.
 * Kinds whose table severity is error cannot be lowered: no such switch exists. Returns -1 if no
 * such switch exists. */
int diags_switch(struct diags *diags, struct slice text);

/* Adds a diagnostic; an ignored kind is dropped. Very long messages are cut. The message follows git's grammar: lower case, no
 * full stop, subject in quotes. */
__attribute__((format(printf, 4, 5))) void diag_add(struct diags *diags, enum diag_kind kind,
                                                    struct location where, const char *format, ...);

/* Gives the diagnostic added last by diag_add() a hint line, unless that one was ignored. */
__attribute__((format(printf, 3, 4))) void diag_hint(struct diags *diags, enum diag_kind kind,
                                                     const char *format, ...);

/* Removes what was added after BEFORE, a copy of DIAGS. */
void diags_rewind(struct diags *diags, const struct diags *before);

/* Takes those off the list that are UNWANTED. */
void diags_remove(struct diags *diags, bool (*unwanted)(const struct diag *diag, void *data),
                  void *data);

/* Orders the list by place: file (the notebook itself first), then cell, line, column; equal places
 * keep their order. What is said of an included file is kept once, however often it is included. */
void diags_sort(struct diags *diags);

#endif
