/* Diagnostics: everything that nbscorep reports about a notebook. They are collected here with
 * their place, and printed by diag_report.h. The closed set of kinds is diag.def. */
#pragma once

#include "base/location.h"
#include "base/name_set.h"

enum severity { SEVERITY_IGNORED, SEVERITY_REMARK, SEVERITY_WARNING, SEVERITY_ERROR };

enum diag_kind {
#define DIAG(id, name, severity, doc) DIAG_##id,
#include "diag/diag.def"
	DIAG_KIND_COUNT
};

struct diag_row {
	const char *name; /* as in -W<name> and in brackets after the message */
	enum severity severity;
	const char *doc; /* one line for nbscorep-diagnostics and --help */
};

/* The row of a kind. */
const struct diag_row *diag_row(enum diag_kind kind);

/* The kind with the name NAME, or DIAG_KIND_COUNT. */
enum diag_kind diag_by_name(struct slice name);

struct diag {
	enum diag_kind kind;
	enum severity severity;
	struct location where;
	struct slice message, hint; /* hint: a second line "did you mean ...", may be empty */
	bool hidden;                /* message and hint show nothing of the file */
};

struct diags {
	struct arena *arena;
	VECTOR(struct diag) list;
	enum severity severity[DIAG_KIND_COUNT]; /* in force: table, then -W switches */
	bool warnings_are_errors;                /* -Werror was given */
	size_t errors, warnings;
	bool failed; /* one was about the system or a file in the way; diags_rewind() does not change it */
	struct slice file; /* while an included file is read: the file of places that have none */
	/* Files whose content is never shown: a diagnostic in one has no source line and no hint,
	 * and its message is the text of its kind. An empty name is the notebook itself. NULL: no
	 * such files. */
	struct name_set *hidden;
};

/* An empty list with the table's severities. Texts are copied into ARENA. */
void diags_init(struct diags *diags, struct arena *arena);

/* Applies one -W switch (the text after "-W"): NAME, no-NAME, error, error=NAME, no-error=NAME.
 * Switches apply from left to right, but "error" also affects kinds that are switched on later.
 * Returns 0, or -1 if the switch does not exist; no switch lowers a kind that is an error in the
 * table. */
int diags_switch(struct diags *diags, struct slice text);

/* Adds a diagnostic, unless its kind is ignored. Cuts very long messages. The message follows git's
 * grammar: lower case, no full stop, subject in quotes. Returns -1, which a caller that fails returns. */
__attribute__((format(printf, 4, 5))) int diag_add(struct diags *diags, enum diag_kind kind,
                                                   struct location where, const char *format, ...);

/* Gives the diagnostic that diag_add() added last a hint line, unless that diagnostic was
 * ignored. Returns -1. */
__attribute__((format(printf, 3, 4))) int diag_hint(struct diags *diags, enum diag_kind kind,
                                                    const char *format, ...);

/* The same with "did you mean 'X'?", where X is the candidate that is nearest to WORD. Returns false if none is
 * near. */
bool diag_suggest(struct diags *diags, enum diag_kind kind, struct slice word,
                  const struct slice *candidates, size_t count);

/* Removes all diagnostics that were added after the copy BEFORE of DIAGS was made. */
void diags_rewind(struct diags *diags, const struct diags *before);

/* Removes all diagnostics for which UNWANTED returns true. */
void diags_remove(struct diags *diags, bool (*unwanted)(const struct diag *diag, void *data),
                  void *data);

/* Sorts the list by place: file (the notebook itself first), then cell, line, column; equal places
 * keep their order. Repeated diagnostics about an included file are removed. */
void diags_sort(struct diags *diags);
