/* The table of configuration keys. */
#ifndef NBSCOREP_SETTINGS_KEYS_H
#define NBSCOREP_SETTINGS_KEYS_H

#include "settings/config.h"

enum config_shape {
	CONFIG_TEXT,      /* a text that is not empty: config_value */
	CONFIG_COUNT,     /* a whole number, at least 1: config_value */
	CONFIG_FLAG,      /* true or false: config_value */
	CONFIG_ANY,       /* a list, a map or a text: config_value */
	CONFIG_WORDS,     /* a list of scalars, or one text: config_value */
	CONFIG_NAMES,     /* a list of texts, or one text split at blanks: config_value_list */
	CONFIG_LINES,     /* a list of texts, or one text of lines: config_value_list */
	CONFIG_VARIABLES, /* a map of names of variables to scalars: config_pair_list */
	CONFIG_SETTINGS,  /* a map to scalars or lists of them: config_pair_list */
	CONFIG_VALUES,    /* a map to any values, including null: config_pair_list */
	CONFIG_OPTIONS,   /* a map of options to scalars or lists of them: config_pair_list */
};

struct config_key {
	const char *name;
	enum config_shape shape;
	const char *initial; /* NULL: none */
	const char *example; /* of its value, or of one of its entries; NULL: none */
	const char *doc;
	size_t offset; /* of the field in struct config */
};

/* Keys that are not in the table. A file may have CONFIG_PROFILES, a map of names to maps of the keys
 * in the table. Such a map may have CONFIG_INHERITS, a name or a list of names. */
#define CONFIG_PROFILES SLICE("profiles")
#define CONFIG_INHERITS SLICE("inherits")
#define CONFIG_PROFILES_DOC                                                                        \
	"named sets of these keys; --profile selects one, which then overrides the other keys of " \
	"the file"
#define CONFIG_INHERITS_DOC "a profile, or a list of profiles, that this one inherits from"

/* Returns all rows and sets *COUNT. */
const struct config_key *config_keys(size_t *count);

/* Returns the row NAME, or NULL. */
const struct config_key *config_key_find(struct slice name);

/* True if a value of SHAPE is a map. */
bool config_shape_is_map(enum config_shape shape);

#endif
