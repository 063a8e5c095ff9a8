/* The configuration in force for one notebook: what nbscorep.yaml files, the notebook's metadata and
 * the command line say together, the strongest last (nbscorep.yaml(5)). The notebook's magics are not
 * in it: they are stronger than files and metadata, weaker than the command line. */
#ifndef NBSCOREP_SETTINGS_CONFIG_H
#define NBSCOREP_SETTINGS_CONFIG_H

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

/* A value with the layer that it comes from. The layer's file and line are VALUE->where. */
struct config_value {
	enum config_source source;
	struct slice profile;      /* in which it stands; empty: in none */
	const struct value *value; /* NULL: not set */
};

/* A value that has a name: an environment variable, an option of sbatch, a parameter. Each name
 * stands once in its list. */
struct config_pair {
	struct slice name;
	struct location name_where;
	struct config_value value;
};
typedef VECTOR(struct config_pair) config_pair_list;

/* Lists of lines or words: the strongest layer that has the key gives all of them. */
typedef VECTOR(struct config_value) config_value_list;

/* The most entries of a map that is looked up by name, and of profiles: it bounds what a stranger's
 * file costs. */
enum { CONFIG_MAX_ENTRIES = 2048 };

struct config {
	config_pair_list env, slurm, build;
	config_pair_list parameters; /* a VALUE_NULL is a value: Python's None */
	config_value_list modules, setup, teardown;
	struct config_value args; /* a list of words, or one text to split */
	struct config_value python, launcher, ranks, sweep;
	struct config_value trust_notebooks; /* a VALUE_BOOL; not set: warn */
	VECTOR(struct slice) files;          /* paths of the files read, for dependency files */
};

/* What one file, the notebook or an option says. */
struct config_layer {
	enum config_source source;
	const struct value *map; /* as it was read: any kind of value */
};
typedef VECTOR(struct config_layer) config_layer_list;

/* The text of a scalar that is set, else an empty one. */
struct slice config_text(const struct config_value *value);

/* The pair NAME of LIST, or NULL. */
const struct config_pair *config_find(const config_pair_list *list, struct slice name);

#endif
