/* Settings as data: a row describes how the text of an option or key becomes a typed field of a
 * struct. */
#ifndef NBSCOREP_SETTINGS_SETTING_H
#define NBSCOREP_SETTINGS_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/vector.h"

enum setting_type {
	SETTING_FLAG,     /* bool */
	SETTING_TEXT,     /* const char *; NULL: not given */
	SETTING_OPTIONAL, /* struct optional_text: the text is optional */
	SETTING_CHOICE,   /* an enum: the position of the word in ARGUMENT, from 1; 0: not given */
	SETTING_LIST,     /* text_list, one more text each time */
	SETTING_SIZE,    /* size_t, 1 to SETTING_SIZE_MAX, with K, M or G for 1024 and its powers */
	SETTING_COUNT,   /* size_t, 1 to 9999999; 0: not given */
	SETTING_SECONDS, /* struct optional_seconds: a time as timeout(1) takes it */
	SETTING_PARAMETERS, /* parameter_option_list, which the command line fills itself */
};

/* Places in a text have 32 bits, and printf() takes lengths as int. */
enum { SETTING_SIZE_MAX_M = 2047, SETTING_SIZE_MAX = SETTING_SIZE_MAX_M << 20 };

typedef VECTOR(const char *) text_list;

struct optional_text {
	bool given;
	const char *text; /* NULL: the setting was given without a text */
};

struct optional_seconds {
	bool given;
	double seconds;
};

/* One option of -p, -r, -f or -y. */
struct parameter_option {
	char kind;          /* 'p', 'r', 'f' or 'y' */
	const char *first;  /* NAME, NAME=TEXT, or the argument */
	const char *second; /* TEXT if it was a word of its own, else NULL */
};
typedef VECTOR(struct parameter_option) parameter_option_list;

struct setting_row {
	const char *name; /* without dashes; NULL: it has a short form only */
	const char
	        *argument; /* its name in the help, or the words of a choice: "a|b"; NULL: none */
	const char *help;
	size_t offset; /* of the field */
	enum setting_type type;
};

/* Sets the field of ROW in the struct at BASE to TEXT (NULL: without a text). Lists grow in ARENA.
 * Returns 0, or -1 and adds the rest of a sentence to ERROR: "must be one of a|b, not 'c'". */
int setting_set(struct arena *arena, const struct setting_row *row, const char *text, void *base,
                struct strbuf *error);

/* True if the field of ROW in the struct at BASE was set. */
bool setting_is_given(const void *base, const struct setting_row *row);

/* Reads a time as timeout(1) takes it: "90", "1.5", "10m". Returns false if TEXT is not one. */
bool setting_read_seconds(const char *text, double *out);

/* Reads a whole number from 1 to 9999999. Returns false if TEXT is not one; *OUT is then 0. */
bool setting_read_count(const char *text, size_t *out);

#endif
