#include "emit/run_script.h"

#include "base/quote.h"
#include "emit/emit.h"
#include "emit/run_steps.h"
#include "emit/sweep_table.h"
#include "emit/template.h"
#include "ir/ir.h"
#include "scorep/directory.h"

void emit_build_line(struct strbuf *out, struct slice build)
{
	strbuf_puts(out, "# nbscorep build ");
	strbuf_add(out, build);
	strbuf_addc(out, '\n');
}

static struct slice quoted(struct arena *arena, struct slice text,
                           void (*quote)(struct strbuf *, struct slice))
{
	struct strbuf out;
	strbuf_init(&out, arena);
	quote(&out, text);
	return strbuf_slice(&out);
}

static void add_directory(struct strbuf *out, const struct setting *setting)
{
	struct slice rest = setting->value, text;
	if (slice_find(rest, '%', 0) == rest.len || bash_is_literal(rest)) {
		bash_expandable(out, rest, setting->name);
		return;
	}
	strbuf_addc(out, '"');
	while (scorep_directory_part(&rest, &text)) {
		if (text.len > 0)
			bash_expandable_inside(out, text, setting->name);
		else
			strbuf_printf(out, "${%.*s:-%.*s}", SLICE_ARG(SCOREP_JOB_VARIABLE),
			              SLICE_ARG(SCOREP_NO_JOB));
	}
	strbuf_addc(out, '"');
}

static void add_setting(struct strbuf *out, const struct setting *setting)
{
	/* Names were checked when they were read: letters, digits and underscores. */
	strbuf_printf(out, "export %.*s=", SLICE_ARG(setting->name));
	if (setting->literal)
		bash_word(out, setting->value);
	else if (scorep_names_directory(setting->name))
		add_directory(out, setting);
	else
		bash_expandable(out, setting->value, setting->name);
}

static void add_origin(struct strbuf *out, const struct location *where, struct slice notebook)
{
	if (where->line == 0) {
		strbuf_puts(out, "  # command line");
		return;
	}
	strbuf_puts(out, "  # ");
	comment_inline(out, where->file.len > 0 ? where->file : notebook);
	if (where->cell > 0)
		strbuf_printf(out, ":cell %u", where->cell);
	strbuf_printf(out, ":%u", where->line);
}

/* Adds the settings, with their origins if NOTEBOOK is not NULL. */
static void add_settings(struct strbuf *out, const struct program *program,
                         const struct slice *notebook)
{
	for (size_t i = 0; i < program->environment.count; i++) {
		const struct setting *setting = &program->environment.items[i];
		add_setting(out, setting);
		if (notebook != NULL)
			add_origin(out, &setting->name_where, *notebook);
		strbuf_addc(out, '\n');
	}
}

static struct slice environment(struct arena *arena, const struct program *program)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	add_settings(&out, program, NULL);
	return strbuf_slice(&out);
}

void emit_environment(struct strbuf *out, const struct program *program,
                      const struct template_set *templates, struct slice notebook)
{
	struct slice text = template_text_in(templates, SLICE("run.sh")), line;
	while (slice_next_line(&text, &line)) {
		if (slice_starts_with(line, SLICE("export ")))
			strbuf_printf(out, "%.*s  # built in\n", SLICE_ARG(line));
		else if (slice_eq(line, SLICE("@environment@")))
			add_settings(out, program, &notebook);
	}
}

static struct slice arguments(struct arena *arena, const struct program *program)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	for (size_t i = 0; i < program->arguments.count; i++) {
		const struct argument *argument = &program->arguments.items[i];
		strbuf_addc(&out, ' ');
		if (argument->expands)
			bash_expandable(&out, argument->text, slice_make(NULL, 0));
		else
			bash_word(&out, argument->text);
	}
	return strbuf_slice(&out);
}

static void add_optional_export(struct strbuf *out, const char *name)
{
	strbuf_printf(out, " ${%s:+\"%s=$%s\"}", name, name, name);
}

/* Returns the words that pass the environment to other nodes. */
static struct slice exports(struct arena *arena, const struct program *program,
                            const struct run_script_parts *parts)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	strbuf_puts(&out, " \"PYTHONPATH=$PYTHONPATH\" \"MPLBACKEND=$MPLBACKEND\""
	                  " \"SCOREP_TOTAL_MEMORY=$SCOREP_TOTAL_MEMORY\"");
	if (run_steps_change_paths(parts->config)) {
		strbuf_puts(&out, " \"PATH=$PATH\"");
		add_optional_export(&out, "LD_LIBRARY_PATH");
	}
	add_optional_export(&out, "SCOREP_EXPERIMENT_DIRECTORY");
	if (program->takes_parameters)
		strbuf_puts(&out, " \"NBSCOREP_START_FOLDER=$NBSCOREP_START_FOLDER\""
		                  " \"NBSCOREP_PARAMETERS=${NBSCOREP_PARAMETERS:-}\"");
	if (parts->sets > 0)
		add_optional_export(&out, "NBSCOREP_RESULTS");
	for (size_t i = 0; i < program->environment.count; i++) {
		struct slice name = program->environment.items[i].name;
		strbuf_printf(&out, " \"%.*s=$%.*s\"", SLICE_ARG(name), SLICE_ARG(name));
	}
	return strbuf_slice(&out);
}

bool emit_can_launch(const struct program *program, const struct launch_settings *launch)
{
	return program->uses_mpi || launch->ranks.len > 0 || launch->launcher.len > 0;
}

static void add_launch(struct strbuf *out, const struct launch_settings *launch)
{
	strbuf_puts(out, "nbscorep_here=$here\nnbscorep_command_line=");
	bash_word(out, launch->launcher);
	strbuf_puts(out, "\nnbscorep_command_line=${NBSCOREP_LAUNCHER:-$nbscorep_command_line}\n");
	strbuf_printf(out, "nbscorep_ranks=${NBSCOREP_RANKS:-%.*s}\n", SLICE_ARG(launch->ranks));
	strbuf_puts(out, "case $nbscorep_ranks in\n"
	                 "  0* | *[!0-9]* | ??????????*)\n"
	                 "    printf 'nbscorep: NBSCOREP_RANKS is not a number of ranks: %q\\n' "
	                 "\"$nbscorep_ranks\" >&2\n"
	                 "    exit 2\n"
	                 "    ;;\n"
	                 "esac\n");
	/* The number that was requested from sbatch or salloc. */
	strbuf_puts(out, "[ -n \"$nbscorep_ranks\" ] || case ${SLURM_NTASKS:-1} in\n"
	                 "  [01] | *[!0-9]*) ;;\n"
	                 "  *) nbscorep_ranks=$SLURM_NTASKS ;;\n"
	                 "esac\n");
	strbuf_printf(out, "nbscorep_tagged=%s\n", launch->tagged ? "yes" : "no");
}

/* Returns the part that sets the run script's own variables. */
static struct slice settings(struct arena *arena, const struct run_script_parts *parts,
                             bool launches)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	if (launches)
		add_launch(&out, &parts->launch);
	strbuf_add(&out, sweep_part(arena, parts));
	return strbuf_slice(&out);
}

static struct slice ranks(struct arena *arena, const struct program *program,
                          const struct run_script_parts *parts)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	const struct template_value values[] = {
	        {SLICE("prepare"), template_text(SLICE("prepare.py"))},
	        {SLICE("rank_times"), template_text(SLICE("rank_times.py"))},
	        {SLICE("exports"), exports(arena, program, parts)},
	};
	template_expand(&out, parts->templates, "ranks.sh", values, sizeof values / sizeof *values);
	return strbuf_slice(&out);
}

static struct slice python(struct arena *arena, struct slice name)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	if (name.len == 0)
		return name;
	strbuf_puts(&out, "PYTHON=${PYTHON:-");
	bash_word(&out, name);
	strbuf_puts(&out, "}\n");
	return strbuf_slice(&out);
}

void emit_run_script(struct strbuf *out, const struct program *program,
                     const struct run_script_parts *parts)
{
	static const struct slice start =
	        SLICE_INIT("  if [ -n \"$nbscorep_ranks$nbscorep_command_line\" ] && ! "
	                   "nbscorep_is_rank; then\n"
	                   "    nbscorep_start_ranks \"$@\"\n"
	                   "  fi\n");
	struct arena *arena = out->arena;
	const struct emit_names *names = parts->names;
	const struct slice none = SLICE_INIT("");
	bool launches = emit_can_launch(program, &parts->launch);
	struct run_steps steps;
	run_steps_make(arena, parts, launches, &steps);
	static const struct slice start_folder =
	        SLICE_INIT("# Paths of the script's -f are relative to this folder.\n"
	                   "[ -n \"${NBSCOREP_START_FOLDER:-}\" ] || "
	                   "export NBSCOREP_START_FOLDER=\"$PWD\"\n");
	const struct template_value values[] = {
	        {SLICE("start_folder"), program->takes_parameters ? start_folder : none},
	        {SLICE("notebook_comment"), quoted(arena, names->notebook, comment_inline)},
	        {SLICE("build"), parts->build},
	        {SLICE("header"), parts->header},
	        {SLICE("run_script"), quoted(arena, names->run_script, bash_word)},
	        {SLICE("script"), quoted(arena, names->script, bash_word)},
	        {SLICE("notebook_folder"), quoted(arena, names->notebook_folder, bash_word)},
	        {SLICE("settings"), settings(arena, parts, launches)},
	        {SLICE("environment"), environment(arena, program)},
	        {SLICE("arguments"), arguments(arena, program)},
	        {SLICE("python"), python(arena, parts->python)},
	        {SLICE("modules"), steps.modules},
	        {SLICE("setup"), steps.setup},
	        {SLICE("experiment"),
	         quoted(arena, scorep_job_directory(arena, names->script), bash_word)},
	        {SLICE("wait"), steps.waits ? template_text(SLICE("wait.sh")) : none},
	        {SLICE("ranks"), launches ? ranks(arena, program, parts) : none},
	        {SLICE("start"), launches ? start : none},
	        {SLICE("bindings"), template_text(SLICE("bindings.py"))},
	        {SLICE("exec"), steps.exec},
	        {SLICE("runtime"), parts->runtime},
	};
	template_expand(out, parts->templates, "run.sh", values, sizeof values / sizeof *values);
}
