/* Diagnostics: everything that nbscorep has to say about a notebook. They are collected here,
 * with their place, and printed by base/diag_report. The closed set of kinds is diag.def. */
#ifndef NBSCOREP_BASE_DIAG_H
#define NBSCOREP_BASE_DIAG_H

#include "base/arena.h"
#include "base/name_set.h"
#include "base/slice.h"
#include "base/vector.h"

enum severity { SEVERITY_IGNORED, SEVERITY_REMARK, SEVERITY_WARNING, SEVERITY_ERROR };

enum diag_kind {
#define DIAG(id, name, severity, doc) DIAG_##id,
#include "base/diag.def"
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

/* A place. With CELL > 0, LINE and COLUMN count inside that cell's source; with CELL 0 they count
 * in the file; LINE 0 is the file as a whole. All are 1-based. COLUMN and LENGTH count characters
 * (code points), as editors do. TEXT is the source line that the place is in, without its line
 * end; it may be empty when there is none to show. Of a very long line TEXT is only the part around
 * the place; SKIPPED characters of the line stand before it. FILE is one that the notebook
 * includes; it is empty for a place in the notebook itself. */
struct location {
	unsigned cell, line, column, length;
	struct slice text;
	unsigned skipped;
	struct slice file;
};

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

/* How far a line was counted when a place on it was asked for; zeroed: no line yet. */
struct line_mark {
	const char *line;
	size_t len;    /* of the line, in bytes */
	size_t offset; /* of the last place, in bytes */
	size_t before; /* characters in front of it */
};

/* As location_in_line(), in time of what lies between this place and the one before, if both are on
 * the line of MARK, which is TEXT's. */
struct location location_in_marked_line(unsigned cell, unsigned line, struct slice text,
                                        size_t offset, size_t len, struct line_mark *mark);

/* The place of bytes [OFFSET, OFFSET+LEN) of a cell's SOURCE; LEN is cut at the line's end. Takes
 * time for all lines before the place: who knows the line calls location_in_line(). */
struct location location_in_cell(unsigned cell, struct slice source, size_t offset, size_t len);

/* How far the lines of a source were counted; zeroed: not yet. */
struct source_mark {
	size_t start;  /* of the line of the last place, in bytes */
	size_t number; /* of that line, from 1 on */
	struct line_mark line;
};

/* As location_in_cell(), in time of what lies between this place and the one before, if this one is
 * on the same line or behind it. MARK is SOURCE's. */
struct location location_in_marked_cell(unsigned cell, struct slice source, size_t offset,
                                        size_t len, struct source_mark *mark);

/* The place of bytes [OFFSET, OFFSET+LEN) of TEXT, which is line number LINE without its end. */
struct location location_in_line(unsigned cell, unsigned line, struct slice text, size_t offset,
                                 size_t len);

#endif
