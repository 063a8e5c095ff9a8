#include "driver/batch.h"

#include "base/paths.h"
#include "batch/job_header.h"
#include "batch/sbatch.h"
#include "diag/message.h"
#include "driver/read_sweep.h"
#include "driver/templates.h"
#include "emit/emit.h"
#include "emit/run_header.h"

/* Reads KEY=VALUE, or KEY alone. As in YAML, true and false are booleans. */
static struct config_pair pair_of(struct arena *arena, const char *text)
{
	struct slice all = slice_from(text);
	size_t equals = slice_find(all, '=', 0);
	struct value *value = ARENA_NEW(arena, struct value);
	*value = (struct value){.kind = VALUE_TEXT, .text = slice_sub(all, equals + 1, all.len)};
	if (equals == all.len)
		value->kind = VALUE_NULL;
	value->boolean = slice_eq(value->text, SLICE("true"));
	if (value->boolean || slice_eq(value->text, SLICE("false")))
		value->kind = VALUE_BOOL;
	return (struct config_pair){.name = slice_sub(all, 0, equals),
	                            .value = {.source = CONFIG_COMMAND_LINE, .value = value}};
}

int batch_check_options(struct arena *arena, const struct build_settings *settings)
{
	struct batch_setting setting;
	struct batch_problem problem;
	for (size_t i = 0; i < settings->slurm.count; i++) {
		struct config_pair pair = pair_of(arena, settings->slurm.items[i]);
		if (pair.name.len == 0)
			return message_usage(arena, "'--slurm' requires KEY=VALUE or KEY, not '%s'",
			                     settings->slurm.items[i]);
		if (batch_make_setting(arena, pair.name, pair.value.value, &setting, &problem) < 0)
			return message_usage(
			        arena, "'--slurm': %.*s%s%.*s", SLICE_ARG(problem.message),
			        problem.hint.len > 0 ? "; " : "", SLICE_ARG(problem.hint));
	}
	return EXIT_DONE;
}

static void put_pair(struct compilation *c, const struct config_pair *pair)
{
	struct slice name = sbatch_name(c->arena, pair->name);
	for (size_t i = 0; i < c->config.slurm.count; i++) {
		struct config_pair *there = &c->config.slurm.items[i];
		if (slice_eq(sbatch_name(c->arena, there->name), name)) {
			*there = *pair;
			return;
		}
	}
	vec_push(c->arena, &c->config.slurm, *pair);
}

static void add_pair(struct compilation *c, const struct config_pair *pair)
{
	struct batch_setting setting;
	struct batch_problem problem;
	if (batch_make_setting(c->arena, pair->name, pair->value.value, &setting, &problem) == 0) {
		batch_put(c->arena, &c->batch, &setting);
	} else {
		bool is_name = sbatch_find(setting.name) == NULL;
		diag_add(&c->diags, DIAG_SLURM_OPTION,
		         is_name ? pair->name_where : pair->value.value->where, "%.*s",
		         SLICE_ARG(problem.message));
		if (problem.hint.len > 0)
			diag_hint(&c->diags, DIAG_SLURM_OPTION, "%.*s", SLICE_ARG(problem.hint));
	}
}

/* The weakest first: job_name in one file and job-name in another are the same. */
static void add_pairs(struct compilation *c)
{
	const config_pair_list *list = &c->config.slurm;
	for (int source = CONFIG_BUILT_IN; source <= CONFIG_COMMAND_LINE; source++) {
		for (size_t i = 0; i < list->count; i++) {
			if (list->items[i].value.source == (enum config_source)source)
				add_pair(c, &list->items[i]);
		}
	}
}

/* The settings win over --ranks in the header, so that both numbers must agree. */
static void check_ranks(struct compilation *c)
{
	const struct batch_setting *said;
	long ranks, tasks = batch_tasks(&c->batch, &said);
	if (tasks == 0 || !batch_read_number(config_text(&c->config.ranks), &ranks) ||
	    ranks == tasks)
		return;
	diag_add(&c->diags, DIAG_BATCH_RANKS, said->where,
	         "the job asks for %ld task%s, but starts %ld rank%s", tasks, tasks == 1 ? "" : "s",
	         ranks, ranks == 1 ? "" : "s");
	diag_hint(&c->diags, DIAG_BATCH_RANKS,
	          "a launcher starts no more ranks than the job has tasks; use the same number");
}

int batch_configure(struct compilation *c, const struct build_settings *settings)
{
	size_t errors = c->diags.errors;
	c->batch.system = settings->batch == BATCH_CHOICE_PBS   ? BATCH_PBS
	                  : settings->batch == BATCH_CHOICE_LSF ? BATCH_LSF
	                                                        : BATCH_SLURM;
	for (size_t i = 0; i < settings->slurm.count; i++) {
		struct config_pair pair = pair_of(c->arena, settings->slurm.items[i]);
		put_pair(c, &pair);
	}
	add_pairs(c);
	check_ranks(c);
	if (settings->template_dir != NULL &&
	    templates_read(c, slice_from(settings->template_dir)) < 0)
		return -1;
	batch_check_use(&c->batch,
	                template_text_in(&c->templates, batch_header_name(c->batch.system)),
	                &c->diags);
	return c->diags.errors == errors ? 0 : -1;
}

/* A sweep is a job array with a job for each set, unless the user selects some of the sets. */
static void add_array(struct compilation *c, struct batch_settings *settings)
{
	const struct sweep *sweep = &c->sweep;
	struct batch_setting array = {.name = SLICE("array"), .is_default = true};
	if (batch_value_of(settings, array.name).len > 0)
		return;
	array.value = arena_printf(c->arena, "1-%zu%s%.*s", sweep->sets.count,
	                           sweep->limit.len > 0 ? "%" : "", SLICE_ARG(sweep->limit));
	batch_put(c->arena, settings, &array);
	struct batch_settings alone = {.system = settings->system};
	array.is_default = false; /* it must not be lost silently */
	batch_put(c->arena, &alone, &array);
	batch_check_use(&alone, template_text_in(&c->templates, batch_header_name(alone.system)),
	                &c->diags);
}

/* The settings of one program. */
static struct batch_settings settings_of(struct compilation *c, const struct program *program)
{
	struct batch_settings settings = {.system = c->batch.system};
	for (size_t i = 0; i < c->batch.list.count; i++)
		batch_put(c->arena, &settings, &c->batch.list.items[i]);
	batch_add_defaults(c->arena, &settings, path_file(program->name),
	                   config_text(&c->config.ranks));
	if (sweep_sets_of(c, program) > 0)
		add_array(c, &settings);
	return settings;
}

bool batch_names_output(const struct compilation *c)
{
	return batch_value_of(&c->batch, SLICE("output")).len > 0;
}

int batch_header(struct compilation *c, const struct build_settings *settings,
                 const struct program *program, struct slice *out)
{
	struct strbuf text;
	*out = slice_make("", 0);
	if (batch_is_empty(&c->batch) && settings->batch == BATCH_DEFAULT &&
	    sweep_sets_of(c, program) == 0 && config_text(&c->config.ranks).len == 0 &&
	    !template_is_own(&c->templates, batch_header_name(c->batch.system)))
		return 0;
	struct batch_settings job = settings_of(c, program);
	strbuf_init(&text, c->arena);
	if (emit_header(&text, &job, &c->templates, &c->diags) < 0)
		return -1;
	*out = strbuf_slice(&text);
	return 0;
}
