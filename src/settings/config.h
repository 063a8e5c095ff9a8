/* The configuration of one notebook, merged from nbscorep.yaml files, the notebook's metadata and the
 * command line, the strongest last (nbscorep.yaml(5)). The notebook's magics are not included: they
 * are stronger than files and metadata, and weaker than the command line. */
#pragma once

#include "base/value.h"
#include "diag/diag.h"

/* Where a layer of the configuration comes from, weakest first. */
enum config_source {
	CONFIG_BUILT_IN,
	CONFIG_SYSTEM,   /* /etc/nbscorep.yaml */
	CONFIG_USER,     /* ~/.config/nbscorep/config.yaml */
	CONFIG_PROJECT,  /* the nearest nbscorep.yaml, from the notebook's folder upwards */
	CONFIG_NOTEBOOK, /* metadata.nbscorep */
	CONFIG_COMMAND_LINE,
};

/* A value and the layer that it comes from. VALUE->where has the file and line. */
struct config_value {
	enum config_source source;
	struct slice profile;      /* that sets it; empty: none */
	const struct value *value; /* NULL: not set */
};

/* A value that has a name: an environment variable, an option of sbatch, a parameter. A list has each
 * name once. */
struct config_pair {
	struct slice name;
	struct location name_where;
	struct config_value value;
};
typedef VECTOR(struct config_pair) config_pair_list;

/* The maximum number of entries of a map that is looked up by name, and of profiles. It limits the
 * cost of an untrusted file. */
enum { CONFIG_MAX_ENTRIES = 2048 };

struct config {
	config_pair_list env, slurm, build;
	config_pair_list parameters;                  /* a VALUE_NULL is a value: Python's None */
	struct config_value modules, setup, teardown; /* each a VALUE_LIST of texts */
	struct config_value args;                     /* a list of words, or one text to split */
	struct config_value python, launcher, ranks, sweep;
	struct config_value trust_notebooks; /* a VALUE_BOOL; not set: warn */
	VECTOR(struct slice) files;          /* paths of the files read, for dependency files */
};

/* The configuration in one file, in the notebook or in an option. */
struct config_layer {
	enum config_source source;
	const struct value *map; /* as read: any kind of value */
};
typedef VECTOR(struct config_layer) config_layer_list;

/* True if modules or lines of a setup come before the program: they may choose its Python, PATH and
 * more, which is known only when the run script runs. */
bool config_has_steps(const struct config *config);

/* Returns the text of a scalar, or an empty slice if it is not set. */
struct slice config_text(const struct config_value *value);

/* Returns the number of a CONFIG_COUNT, or 0 if it is not set. */
size_t config_number(const struct config_value *value);

/* The items of a key that is a list, or an empty list if it is not set. */
value_list config_items(const struct config_value *value);

/* Returns the pair NAME of LIST, or NULL. */
struct config_pair *config_find(const config_pair_list *list, struct slice name);

/* ---- keys ---- */

/* The table of configuration keys. */

enum config_shape {
	CONFIG_TEXT,      /* a text that is not empty: config_value */
	CONFIG_COUNT,     /* a whole number, at least 1: config_value */
	CONFIG_FLAG,      /* true or false: config_value */
	CONFIG_ANY,       /* a list, a map or a text: config_value */
	CONFIG_WORDS,     /* a list of scalars, or one text: config_value */
	CONFIG_NAMES,     /* a list of texts, or one text split at blanks: config_value, a list */
	CONFIG_LINES,     /* a list of texts, or one text of lines: config_value, a list */
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

/* All rows of settings.def. */
extern const struct config_key config_keys[];
extern const size_t config_key_count;

/* Returns the row NAME, or NULL. */
const struct config_key *config_key_find(struct slice name);

/* True if a value of SHAPE is a map. */
bool config_shape_is_map(enum config_shape shape);

/* The bits of enum value_kind for all scalars but null. */
enum { CONFIG_SET_SCALAR = 1 << VALUE_BOOL | 1 << VALUE_INT | 1 << VALUE_FLOAT | 1 << VALUE_TEXT };

/* Checks that VALUE, called NAME, is of one of KINDS, bits of enum value_kind, and each item of a list of one of
 * ITEM_KINDS. WANTED and WANTED_ITEMS name these in a message. Returns false after an error. */
bool config_fits(struct diags *diags, const struct value *value, struct slice name, unsigned kinds,
                 const char *wanted, unsigned item_kinds, const char *wanted_items);

/* ---- making it ---- */

/* Checks all LAYERS, weakest first, including profiles that are not selected, against the table of keys.
 * Problems become DIAG_CONFIG_KEY and DIAG_CONFIG_VALUE errors. Returns 0, or -1 after an error. */
int config_check(struct diags *diags, const config_layer_list *layers);

/* Merges the checked LAYERS into OUT; OUT->files does not change. PROFILE (empty: none) and those that
 * it inherits are stronger than the other keys of their layer. An inherited profile is weaker than the
 * profile that inherits it. Returns 0, or -1 after an error: an unknown profile, a profile that
 * inherits itself, or a map with too many entries. All memory comes from ARENA. */
int config_merge(struct arena *arena, struct diags *diags, const config_layer_list *layers,
                 struct slice profile, struct config *out);

/* Adds the values and defaults of CONFIG to OUT as a YAML map, in the order of the table of keys. A
 * comment after each value has its origin. NOTEBOOK is the origin of values from metadata. */
void config_print(struct strbuf *out, const struct config *config, struct slice notebook);
