#include "driver/configuration.h"

#include "base/name_set.h"
#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "base/value.h"
#include "driver/batch.h"
#include "driver/config_files.h"
#include "driver/project.h"
#include "driver/read_sweep.h"
#include "process/process.h"
#include "scorep/args.h"
#include "settings/config.h"
#include "settings/yaml_reader.h"

/* ---- settings that run code ---- */

static const struct code_row {
	const char *key, *names, *begins;
} code_rows[] = {
#define RUNS_CODE(key, names, begins) {key, names, begins},
#include "settings/runs_code.def"
};

/* True if the entry NAME of KEY with the value TEXT runs code, by a row about the key as a whole, about entries of this
 * name, or about words with a text in them. */
static bool runs_code(const struct config_key *key, struct slice name, struct slice text)
{
	for (size_t i = 0; i < sizeof code_rows / sizeof *code_rows; i++) {
		const struct code_row *row = &code_rows[i];
		if (strcmp(row->key, key->name) != 0)
			continue;
		if (row->names == NULL)
			return true;
		struct slice rest = slice_from(row->names), wanted;
		while (slice_next_part(&rest, '|', &wanted)) {
			bool matches = slice_eq(name, wanted);
			if (key->shape == CONFIG_WORDS)
				matches = slice_find_slice(text, wanted, 0) < text.len;
			else if (slice_ends_with(wanted, SLICE("*")))
				matches = slice_starts_with(name,
				                            slice_sub(wanted, 0, wanted.len - 1));
			if (matches && (row->begins == NULL ||
			                slice_starts_with(text, slice_from(row->begins))))
				return true;
		}
	}
	return false;
}

/* Reports the value SET of KEY, or of its entry NAME, as KIND if the notebook sets it and it runs code, and counts it in
 * *REPORTED. Shows the first item of a list, or the first that runs code if its items are words. */
static void check_code_value(struct compilation *c, enum diag_kind kind, size_t *reported,
                             const struct config_key *key, struct slice name,
                             const struct config_value *set)
{
	enum { SHOWN = 100 }; /* bytes of a value */
	const struct value *value = set->value, *shown = value;
	if (value == NULL || set->source != CONFIG_NOTEBOOK)
		return;
	bool is_map = config_shape_is_map(key->shape), is_words = key->shape == CONFIG_WORDS;
	size_t count = value->items.count, at = 0;
	while (is_words && at < count && !runs_code(key, name, value->items.items[at]->text))
		at++;
	bool is_list = count > 0 || key->shape == CONFIG_NAMES || key->shape == CONFIG_LINES;
	if (is_list && at == count)
		return;
	if (is_list)
		shown = value->items.items[at];
	if (!runs_code(key, name, is_map ? value->text : shown->text))
		return;
	if (is_map)
		name = arena_printf(c->arena, "%s.%.*s", key->name, SLICE_ARG(name));
	size_t len = shown->text.len > SHOWN ? utf8_start(shown->text, SHOWN) : shown->text.len;
	struct slice others = is_words || count < 2
	                              ? slice_make("", 0)
	                              : arena_printf(c->arena, " (and %zu more)", count - 1);
	diag_add(&c->diags, kind, is_map || is_words ? value->where : shown->where,
	         "the notebook's metadata sets '%.*s' to '%.*s%s'%.*s, which runs code besides the "
	         "cells",
	         SLICE_ARG(name), SLICE_ARG(slice_sub(shown->text, 0, len)),
	         len < shown->text.len ? "..." : "", SLICE_ARG(others));
	if ((*reported)++ == 0)
		diag_hint(&c->diags, kind,
		          "use --no-notebook-config to ignore the metadata, or --set "
		          "trust-notebooks=true to trust it");
}

/* Returns -1 if such settings are refused. */
static int check_code(struct compilation *c)
{
	const struct value *trust = c->config.trust_notebooks.value;
	enum diag_kind kind = trust != NULL ? DIAG_CODE_REFUSED : DIAG_NOTEBOOK_CODE;
	size_t reported = 0;
	if (trust != NULL && trust->boolean)
		return 0;
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];
		const void *field = (const char *)&c->config + key->offset;
		const config_pair_list *list = field;
		if (!config_shape_is_map(key->shape))
			check_code_value(c, kind, &reported, key, slice_from(key->name), field);
		for (size_t k = 0; config_shape_is_map(key->shape) && k < list->count; k++)
			check_code_value(c, kind, &reported, key, list->items[k].name,
			                 &list->items[k].value);
	}
	return kind == DIAG_CODE_REFUSED && reported > 0 ? -1 : 0;
}

/* ---- all settings ---- */

/* What the values of --set have in place of a file's name. */
#define SET_NAME SLICE("--set")

/* A map of one entry. */
static struct value *map_of(struct arena *arena, struct slice name, struct location where,
                            const struct value *value)
{
	struct value *map = ARENA_NEW(arena, struct value);
	*map = (struct value){.kind = VALUE_MAP, .where = where};
	vec_push(arena, &map->entries, (struct value_entry){name, where, value});
	return map;
}

/* A project's file and the notebook do not decide whether the notebook is trusted. */
static void refuse_trust(struct compilation *c, const struct value *map)
{
	static const struct slice name = SLICE_INIT("trust-notebooks");
	vec_each(const struct value_entry, entry, &map->entries) {
		if (slice_eq(entry->name, name)) {
			diag_add(&c->diags, DIAG_CONFIG_KEY, entry->where,
			         "'%.*s' is a key of the user's and the system's file only",
			         SLICE_ARG(name));
			diag_hint(&c->diags, DIAG_CONFIG_KEY,
			          "set it there, or use --set trust-notebooks=false");
		} else if (slice_eq(entry->name, CONFIG_PROFILES)) {
			for (size_t k = 0; k < entry->value->entries.count; k++)
				refuse_trust(c, entry->value->entries.items[k].value);
		}
	}
}

static int read_layers(struct compilation *c, const struct build_settings *given,
                       config_layer_list *layers)
{
	const struct value *map = c->notebook.config;
	int status = config_files_read(c, given, layers);
	if (map != NULL && !given->untrusted.given && !given->no_notebook_config)
		vec_push(c->arena, layers, (struct config_layer){CONFIG_NOTEBOOK, map});
	else if (map != NULL)
		diag_add(&c->diags, DIAG_METADATA_IGNORED, map->where,
		         "the configuration in the notebook's metadata is ignored (%s)",
		         given->untrusted.given ? "--untrusted" : "--no-notebook-config");
	for (size_t i = 0; i < given->set.count; i++) { /* KEY=VALUE, KEY.NAME=VALUE */
		struct slice text = slice_from(given->set.items[i]);
		size_t equals = slice_find(text, '=', 0), dot = slice_find(text, '.', 0);
		struct slice key = slice_sub(text, 0, dot < equals ? dot : equals);
		struct slice name = slice_sub(text, key.len + 1, equals);
		struct location where = location_in_line(0, 1, text, 0, equals);
		where.file = SET_NAME;
		const struct value *value =
		        yaml_read(c->arena, SET_NAME, slice_tail(text, equals + 1), &c->diags);
		if (value == NULL) {
			status = -1;
			continue;
		}
		if (dot < equals)
			value = map_of(c->arena, name, where, value);
		struct config_layer layer = {CONFIG_COMMAND_LINE,
		                             map_of(c->arena, key, where, value)};
		vec_push(c->arena, layers, layer);
	}
	if (config_check(&c->diags, layers) < 0)
		return -1;
	size_t errors = c->diags.errors;
	for (size_t i = 0; i < layers->count; i++) {
		enum config_source source = layers->items[i].source;
		if (source == CONFIG_PROJECT || source == CONFIG_NOTEBOOK)
			refuse_trust(c, layers->items[i].map);
	}
	return c->diags.errors > errors ? -1 : status;
}

/* An option that is a key of the configuration, too, is its strongest layer. */
static void add_option(struct compilation *c, config_layer_list *layers, const char *key,
                       enum value_kind kind, const char *text)
{
	if (text == NULL)
		return;
	struct location where = {.file = arena_printf(c->arena, "--%s", key)};
	struct value *value = ARENA_NEW(c->arena, struct value);
	*value = (struct value){.kind = kind, .text = slice_from(text), .where = where};
	struct config_layer layer = {CONFIG_COMMAND_LINE,
	                             map_of(c->arena, slice_from(key), where, value)};
	vec_push(c->arena, layers, layer);
}

/* Lets bash read the lines of LIST without running them: after a quote or here-document that is not
 * closed, bash would take the rest of the run script for text, and end with status 0. Where bash is
 * not installed, nothing is checked. */
static int check_shell(struct compilation *c, value_list list)
{
	static const char *const argv[] = {"bash", "-n", NULL};
	struct process_result result = {0};
	struct strbuf text = {.arena = c->arena};
	for (size_t i = 0; i < list.count; i++)
		strbuf_printf(&text, "%.*s\n", SLICE_ARG(list.items[i]->text));
	struct process_order order = {
	        .argv = argv,
	        .input = strbuf_slice(&text),
	        .limit = 1 << 16,
	        .limits.seconds = 10,
	        .own_group = true,
	};
	if (list.count == 0 || c->tree.limit == TREE_CLOSED ||
	    process_run(c->arena, &order, &result) != 0 ||
	    (result.status == 0 && result.err.len == 0))
		return 0;
	struct slice said = slice_trim(slice_sub(result.err, 0, slice_find(result.err, '\n', 0)));
	return diag_add(&c->diags, DIAG_CONFIG_SHELL, list.items[0]->where,
	                "bash cannot read these lines: %.*s", SLICE_ARG(said));
}

/* The files, the metadata and the command line, merged into C->config, and the options GIVEN, with defaults from its
 * `build`, into C->options. */
static int merge_layers(struct compilation *c, const struct build_settings *given)
{
	struct build_settings *configured = &c->options.build;
	config_layer_list layers = {0};
	const char *profile = given->profile != NULL ? given->profile : getenv("NBSCOREP_PROFILE");
	*configured = *given;
	if (read_layers(c, given, &layers) < 0)
		return -1;
	add_option(c, &layers, "ranks", VALUE_INT,
	           given->ranks == 0 ? NULL : arena_printf(c->arena, "%zu", given->ranks).ptr);
	add_option(c, &layers, "launcher", VALUE_TEXT, given->launcher);
	add_option(c, &layers, "python", VALUE_TEXT, given->python);
	if (config_merge(c->arena, &c->diags, &layers, slice_from(profile != NULL ? profile : ""),
	                 &c->config) < 0 ||
	    check_code(c) < 0)
		return -1;
	const struct value *launcher = c->config.launcher.value;
	if (build_options_apply(&c->diags, &c->config, c->path, given, configured,
	                        &c->set_by_notebook, &c->output_folder) < 0)
		return -1;
	/* As the options --launcher and --tag-output exclude each other. */
	if (launcher != NULL && configured->tag_output)
		return diag_add(
		        &c->diags, DIAG_CONFIG_VALUE, launcher->where,
		        "'tag-output' is for a launcher that is found; give '%.*s' its own option",
		        SLICE_ARG(launcher->text));
	if (check_shell(c, config_items(&c->config.setup)) < 0 ||
	    check_shell(c, config_items(&c->config.teardown)) < 0)
		return -1;
	return sweep_configure(c);
}

/* ---- parameters ---- */

/* NAMES are those of C->options.parameters, in their order. */
static void put_parameter(struct compilation *c, struct name_set *names,
                          const struct parameter *parameter)
{
	size_t at = name_set_add(names, parameter->name);
	if (at == c->options.parameters.count)
		vec_push(c->arena, &c->options.parameters, *parameter);
	else
		c->options.parameters.items[at] = *parameter;
}

/* -f and -y */
static int add_text(struct compilation *c, struct name_set *names,
                    const struct parameter_option *option)
{
	struct slice origin = SLICE("--parameters-yaml"), text = slice_from(option->first);
	if (option->kind == 'f') {
		origin = text;
		if (project_read(c, SLICE("parameters-file"), origin, YAML_MAX_BYTES, &text) < 0)
			return -1;
	}
	const struct value *value = yaml_or_json_read(c->arena, origin, text, &c->diags);
	if (value == NULL)
		return -1;
	if (value->kind != VALUE_MAP && value->kind != VALUE_NULL)
		return diag_add(&c->diags, DIAG_PARAMETER_VALUE, (struct location){.file = origin},
		                "expected names with values, found %s",
		                value_kind_name(value->kind));
	vec_each(const struct value_entry, entry, &value->entries) {
		struct parameter parameter = {
		        .name = entry->name,
		        .value = entry->value,
		        .where = entry->where,
		        .given = true,
		};
		put_parameter(c, names, &parameter);
	}
	return 0;
}

/* Fills C->options.parameters: those of C->config, then those of the command line, in its order. */
static int collect_parameters(struct compilation *c)
{
	struct name_set names = {.arena = c->arena};
	int status = 0;
	vec_each(const struct config_pair, pair, &c->config.parameters) {
		struct parameter parameter = {
		        .name = pair->name,
		        .value = pair->value.value,
		        .where = pair->name_where,
		        .shared = pair->value.source < CONFIG_NOTEBOOK,
		};
		put_parameter(c, &names, &parameter);
	}
	vec_each(const struct parameter_option, option, &c->options.build.parameters) {
		if (option->kind == 'f' || option->kind == 'y') {
			if (add_text(c, &names, option) < 0)
				status = -1;
			continue;
		}
		/* -p and -r: the value is the second word, or after "=". */
		struct slice name = slice_from(option->first), text;
		if (option->second != NULL) {
			text = slice_from(option->second);
		} else {
			size_t equals = slice_find(name, '=', 0);
			text = slice_tail(name, equals + 1);
			name = slice_sub(name, 0, equals);
		}
		struct value *raw = ARENA_NEW(c->arena, struct value);
		*raw = (struct value){.kind = VALUE_TEXT, .text = text};
		struct parameter parameter = {.name = name, .value = raw, .given = true};
		if (option->kind == 'p')
			parameter.value = python_value_of_word(c->arena, text);
		put_parameter(c, &names, &parameter);
	}
	return status;
}

/* ---- what is compiled ---- */

/* The command line's values have no place to show. */
static struct location place_of(const struct config_value *value, struct location where)
{
	const struct location nowhere = {0};
	return value->source == CONFIG_COMMAND_LINE ? nowhere : where;
}

/* The environment and the arguments of the bindings. */
static int add_program_options(struct compilation *c)
{
	struct ir_options *out = &c->options;
	const struct value *args = c->config.args.value;
	int status = 0;
	vec_each(const struct config_pair, pair, &c->config.env) {
		const struct value *value = pair->value.value;
		struct setting setting = {
		        .name = pair->name,
		        .value = value->text,
		        .name_where = place_of(&pair->value, pair->name_where),
		        .value_where = place_of(&pair->value, value->where),
		};
		vec_push(c->arena, &out->settings, setting);
	}
	const value_list one = {.items = &args, .count = args != NULL};
	bool is_list = args != NULL && args->kind == VALUE_LIST;
	value_list values = is_list ? args->items : one;
	for (size_t i = 0; i < values.count; i++) {
		struct slice written = values.items[i]->text;
		struct location where = place_of(&c->config.args, values.items[i]->where);
		struct scorep_arg_text text = {.text = written, .place = where};
		struct scorep_words words = {0}, checked = {0};
		struct scorep_word whole = {written, 0, written.len, bash_has_expansion(written)};
		if (is_list) /* an element is one word, blanks and all */
			vec_push(c->arena, &words.list, whole);
		if ((!is_list && scorep_split_args(&c->diags, &text, &words) < 0) ||
		    scorep_check_args(&c->diags, &text, &words, &checked) < 0)
			status = -1;
		vec_each(const struct scorep_word, word, &checked.list) {
			struct argument argument = {
			        .text = word->text, .where = where, .expands = word->expands};
			vec_push(c->arena, &out->arguments, argument);
		}
	}
	return status;
}

static struct slice folder_from_notebook(struct compilation *c, struct slice folder)
{
	struct slice from = os_real_path(c->arena, compile_folder(c));
	struct slice to = os_real_path(c->arena, folder);
	/* A folder that does not exist is reported when the file is used. */
	return from.len == 0 || to.len == 0 ? folder : path_relative(c->arena, from, to);
}

struct slice configuration_python(struct compilation *c)
{
	struct slice name = config_text(&c->config.python);
	if (slice_find(name, '/', 0) == name.len || name.ptr[0] == '/')
		return name;
	/* NAME may be there on another machine only. */
	struct slice folder = build_option_folder(c->path, &c->config.python.value->where);
	return path_join(c->arena, folder_from_notebook(c, folder), name);
}

int configuration_make(struct compilation *c, const struct build_settings *given)
{
	struct ir_options *options = &c->options;
	const struct build_settings *configured = &options->build;
	if (merge_layers(c, given) < 0 || batch_configure(c) < 0 || collect_parameters(c) < 0)
		return -1;
	if (given->purpose != BUILD_TO_RUN || configured->sweep.given)
		sweep_check_parameters(c);
	if (configured->unknown_magics == UNKNOWN_MAGICS_ERROR)
		(void)diags_switch(&c->diags, SLICE("error=unknown-magic"));
	struct slice filter = slice_from(configured->filter != NULL ? configured->filter : "");
	struct slice script = slice_make(NULL, 0);
	bool is_measured = !configured->no_scorep && configured->measurement != MEASUREMENT_NONE;
	/* It is relative to the current folder, but the script starts in the notebook's. */
	if (filter.len > 0 && filter.ptr[0] != '/')
		filter = path_join(c->arena, folder_from_notebook(c, path_folder(filter)),
		                   path_file(filter));
	/* A name without .py cannot hide a module. */
	if (configured->output != NULL) {
		script = slice_from(configured->output);
		script = slice_ends_with(script, SLICE(".py"))
		                 ? slice_sub(script, 0, script.len - 3)
		                 : SLICE("-");
	}
	options->filter = filter;
	options->program_name = compile_program_name(c->path);
	options->script_name = script;
	options->ranks = is_measured ? config_number(&c->config.ranks) : 0;
	options->install_packages = configured->package_installs == PACKAGE_INSTALLS_RUN;
	return add_program_options(c);
}
