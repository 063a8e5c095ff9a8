#include "driver/config_program.h"

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "scorep/args.h"
#include "settings/build_settings.h"

typedef VECTOR(struct setting) setting_list;
typedef VECTOR(struct argument) argument_list;

/* The command line's values have no place to show. */
static struct location place_of(const struct config_value *value, struct location where)
{
	const struct location nowhere = {0};
	return value->source == CONFIG_COMMAND_LINE ? nowhere : where;
}

static void add_setting(struct compilation *c, const struct config_pair *pair, setting_list *out)
{
	const struct value *value = pair->value.value;
	struct setting setting = {
	        .name = pair->name,
	        .value = value->text,
	        .name_where = place_of(&pair->value, pair->name_where),
	        .value_where = place_of(&pair->value, value->where),
	};
	vec_push(c->arena, out, setting);
}

/* WORDS of VALUE, checked. */
static int add_words(struct compilation *c, const struct value *value,
                     const struct scorep_words *words, argument_list *out)
{
	struct location where = place_of(&c->config.args, value->where);
	struct scorep_arg_text text = {.text = value->text, .place = where};
	struct scorep_words checked = {0};
	if (scorep_check_args(&c->diags, &text, words, &checked) < 0)
		return -1;
	for (size_t i = 0; i < checked.list.count; i++) {
		const struct scorep_word *word = &checked.list.items[i];
		struct argument argument = {
		        .text = word->text, .where = where, .expands = word->expands};
		vec_push(c->arena, out, argument);
	}
	return 0;
}

/* An element of a list is one word, blanks and all. */
static int add_word(struct compilation *c, const struct value *value, argument_list *out)
{
	struct scorep_words words = {0};
	struct scorep_word word = {value->text, 0, value->text.len,
	                           bash_has_expansion(value->text)};
	vec_push(c->arena, &words.list, word);
	return add_words(c, value, &words, out);
}

static int add_arguments(struct compilation *c, const struct value *args, argument_list *out)
{
	if (args->kind == VALUE_TEXT) {
		struct scorep_words words = {0};
		struct scorep_arg_text text = {.text = args->text,
		                               .place = place_of(&c->config.args, args->where)};
		return scorep_split_args(&c->diags, &text, &words) < 0
		               ? -1
		               : add_words(c, args, &words, out);
	}
	int status = 0;
	for (size_t i = 0; i < args->items.count; i++)
		status |= add_word(c, args->items.items[i], out);
	return status;
}

int config_program_options(struct compilation *c, struct ir_options *out)
{
	setting_list settings = {0};
	argument_list arguments = {0};
	for (size_t i = 0; i < c->config.env.count; i++)
		add_setting(c, &c->config.env.items[i], &settings);
	if (c->config.args.value != NULL && add_arguments(c, c->config.args.value, &arguments) < 0)
		return -1;
	out->settings = settings.items;
	out->setting_count = settings.count;
	out->arguments = arguments.items;
	out->argument_count = arguments.count;
	return 0;
}

static struct slice from_notebook(struct compilation *c, struct slice folder)
{
	struct slice from = os_real_path(c->arena, compile_folder(c));
	struct slice to = os_real_path(c->arena, folder);
	/* A folder that does not exist is reported when the file is used. */
	return from.len == 0 || to.len == 0 ? folder : path_relative(c->arena, from, to);
}

struct slice config_path_from_notebook(struct compilation *c, struct slice path)
{
	if (path.len == 0 || path.ptr[0] == '/')
		return path;
	return path_join(c->arena, from_notebook(c, path_folder(path)), path_file(path));
}

struct slice config_program_python(struct compilation *c)
{
	struct slice name = config_text(&c->config.python);
	if (slice_find(name, '/', 0) == name.len || name.ptr[0] == '/')
		return name;
	/* NAME may be there on another machine only. */
	struct slice folder = build_option_folder(c->path, &c->config.python.value->where);
	return path_join(c->arena, from_notebook(c, folder), name);
}
