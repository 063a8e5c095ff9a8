#include "driver/batch.h"

#include "base/paths.h"
#include "base/utf8.h"
#include "batch/job_header.h"
#include "batch/job_settings.h"
#include "diag/message.h"
#include "driver/project.h"
#include "driver/read_sweep.h"
#include "emit/template.h"

/* ---- templates of the site: --template-dir ---- */

enum { TEMPLATE_MAX = 1 << 20 };

static int refuse_template(struct compilation *c, struct location where, struct slice path,
                           const char *problem, struct slice name)
{
	where.file = path;
	return diag_add(&c->diags, DIAG_TEMPLATE, where, "'%.*s' %s", SLICE_ARG(name), problem);
}

/* Reads and checks the template of the batch system in FOLDER. Problems become diagnostics, at their places. Returns
 * 0 or -1. Each line is a comment, or the comments that all settings are: values are not quoted for bash there, and a
 * command would end what the batch system reads. */
static int read_template(struct compilation *c, struct slice folder)
{
	struct slice path = path_join(c->arena, folder, batch_header_names[c->batch.system]);
	struct slice line, file = path_file(path), before, name;
	int status = 0;
	if (project_read(c, SLICE("template-dir"), path, TEMPLATE_MAX, &c->own_template) < 0)
		return -1;
	struct slice rest = c->own_template;
	for (unsigned number = 1; slice_next_line(&rest, &line); number++) {
		struct slice words = slice_trim_end(line), after = line;
		if (utf8_check(line) < line.len)
			return refuse_template(c, (struct location){.line = number}, path,
			                       "is not UTF-8", file);
		if (words.len > 0 && words.ptr[0] != '#' && !slice_eq(words, SLICE("@sbatch@"))) {
			status = refuse_template(c, location_in_line(0, number, line, 0, line.len),
			                         path, "has a line that is no comment", file);
			continue;
		}
		while (batch_next_variable(&after, &before, &name)) {
			if (batch_is_variable(c->batch.system, name))
				continue;
			size_t at = (size_t)(name.ptr - line.ptr) - 1;
			status = refuse_template(
			        c, location_in_line(0, number, line, at, name.len + 2), path,
			        "is no variable of this template", name);
			diag_hint(&c->diags, DIAG_TEMPLATE, "nbscorep-templates(7) lists them");
		}
	}
	return status;
}

static struct slice template_of(const struct compilation *c)
{
	return c->options.build.template_dir != NULL
	               ? c->own_template
	               : template_text(batch_header_names[c->batch.system]);
}

/* ---- settings of batch systems ---- */

/* Reads KEY=VALUE, or KEY alone. As in YAML, true and false are booleans. */
static struct config_pair pair_of(struct arena *arena, const char *text)
{
	struct slice all = slice_from(text);
	size_t equals = slice_find(all, '=', 0);
	struct value *value = ARENA_NEW(arena, struct value);
	*value = (struct value){.kind = VALUE_TEXT, .text = slice_tail(all, equals + 1)};
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

/* The settings win over --ranks in the header, so that both numbers must agree. */
static void check_ranks(struct compilation *c)
{
	const struct batch_setting *said;
	long ranks = (long)config_number(&c->config.ranks), tasks = batch_tasks(&c->batch, &said);
	if (tasks == 0 || ranks == 0 || ranks == tasks)
		return;
	diag_add(&c->diags, DIAG_BATCH_RANKS, said->where,
	         "the job asks for %ld task%s, but starts %ld rank%s", tasks, tasks == 1 ? "" : "s",
	         ranks, ranks == 1 ? "" : "s");
	diag_hint(&c->diags, DIAG_BATCH_RANKS,
	          "a launcher starts no more ranks than the job has tasks; use the same number");
}

int batch_configure(struct compilation *c)
{
	const struct build_settings *settings = &c->options.build;
	config_pair_list *list = &c->config.slurm;
	size_t errors = c->diags.errors;
	c->batch.system = settings->batch == 0 ? BATCH_SLURM : settings->batch - 1;
	for (size_t i = 0; i < settings->slurm.count; i++) {
		struct config_pair pair = pair_of(c->arena, settings->slurm.items[i]);
		struct slice name = sbatch_name(c->arena, pair.name);
		size_t k = 0;
		while (k < list->count &&
		       !slice_eq(sbatch_name(c->arena, list->items[k].name), name))
			k++;
		if (k == list->count)
			vec_push(c->arena, list, pair);
		else
			list->items[k] = pair;
	}
	/* The weakest first: job_name in one file and job-name in another are the same. */
	for (int source = CONFIG_BUILT_IN; source <= CONFIG_COMMAND_LINE; source++) {
		vec_each(const struct config_pair, pair, list) {
			struct batch_setting setting;
			struct batch_problem problem;
			if (pair->value.source != (enum config_source)source)
				continue;
			if (batch_make_setting(c->arena, pair->name, pair->value.value, &setting,
			                       &problem) == 0) {
				batch_put(c->arena, &c->batch, &setting);
				continue;
			}
			bool is_name = sbatch_find(setting.name) == NULL;
			diag_add(&c->diags, DIAG_SLURM_OPTION,
			         is_name ? pair->name_where : pair->value.value->where, "%.*s",
			         SLICE_ARG(problem.message));
			if (problem.hint.len > 0)
				diag_hint(&c->diags, DIAG_SLURM_OPTION, "%.*s",
				          SLICE_ARG(problem.hint));
		}
	}
	check_ranks(c);
	if (settings->template_dir != NULL &&
	    read_template(c, slice_from(settings->template_dir)) < 0)
		return -1;
	batch_check_use(&c->batch, template_of(c), &c->diags);
	return c->diags.errors == errors ? 0 : -1;
}

/* ---- the header ---- */

/* Adds LINE unless one of its variables has no value. */
static void add_header_line(struct strbuf *out, struct slice line,
                            const batch_variable_list *variables)
{
	size_t begin = out->len, i;
	struct slice before, name;
	while (batch_next_variable(&line, &before, &name)) {
		for (i = 0; i < variables->count && !slice_eq(variables->items[i].name, name); i++)
			;
		if (i == variables->count || variables->items[i].value.len == 0) {
			out->len = begin;
			return;
		}
		strbuf_add(out, before);
		strbuf_add(out, variables->items[i].value);
	}
	strbuf_add(out, before);
	strbuf_addc(out, '\n');
}

/* The requests are those of the batch system's template. */
int batch_header(struct compilation *c, const struct program *program, struct slice *out)
{
	struct slice line;
	*out = slice_make("", 0);
	if (batch_is_empty(&c->batch) && c->options.build.batch == 0 &&
	    sweep_sets_of(c, program) == 0 && config_text(&c->config.ranks).len == 0 &&
	    c->options.build.template_dir == NULL)
		return 0;
	struct batch_settings job = {.system = c->batch.system};
	for (size_t i = 0; i < c->batch.list.count; i++)
		batch_put(c->arena, &job, &c->batch.list.items[i]);
	batch_add_defaults(c->arena, &job, path_file(program->name), config_text(&c->config.ranks));
	/* A sweep is a job array with a job for each set, unless the user selects some of the sets. */
	struct batch_setting array = {.name = SLICE("array"), .is_default = true};
	if (sweep_sets_of(c, program) > 0 && batch_value_of(&job, array.name).len == 0) {
		const struct sweep *sweep = &c->sweep;
		struct batch_settings alone = {.system = job.system};
		array.value =
		        arena_printf(c->arena, "1-%zu%s%.*s", sweep->sets.count,
		                     sweep->limit.len > 0 ? "%" : "", SLICE_ARG(sweep->limit));
		batch_put(c->arena, &job, &array);
		array.is_default = false; /* it must not be lost silently */
		batch_put(c->arena, &alone, &array);
		batch_check_use(&alone, template_of(c), &c->diags);
	}
	batch_variable_list variables = {0};
	if (batch_make_variables(c->arena, &job, &c->diags, &variables) < 0)
		return -1;
	struct strbuf text = {.arena = c->arena};
	struct slice rest = template_of(c);
	while (slice_next_line(&rest, &line))
		add_header_line(&text, line, &variables);
	*out = strbuf_slice(&text);
	return 0;
}
