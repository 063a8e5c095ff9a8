/* The run script is what a user would have typed: templates/run.sh, with what the configuration asks
 * for (modules.sh, setup.sh, teardown.sh) before its last command. That command starts the runtime
 * package, which does the rest (templates/scorep_notebook/launch.py). */
#include "emit/run_script.h"

#include "base/paths.h"
#include "base/quote.h"
#include "base/value.h"
#include "emit/template.h"
#include "ir/ir.h"
#include "scorep/variables.h"
#include "settings/config.h"
#include "settings/settings.h"
#include "settings/sweep.h"

enum { LINE_WIDTH = 100 };

void emit_build_line(struct strbuf *out, struct slice build)
{
	strbuf_printf(out, "# nbscorep build %.*s\n", SLICE_ARG(build));
}

/* Adds the name of the experiment directory, see SCOREP_DIRECTORY. */
static void add_directory(struct strbuf *out, struct slice name)
{
	strbuf_addc(out, '"');
	while (name.len > 0) {
		bool is_percent = slice_starts_with(name, SLICE("%%"));
		if (slice_cut_prefix(&name, SLICE("%j"))) {
			strbuf_puts(out, "${SLURM_JOB_ID:-local}");
			continue;
		}
		size_t end = slice_find(name, '%', is_percent ? 2 : 1);
		bash_expandable_inside(out, slice_sub(name, is_percent, end), SCOREP_DIRECTORY);
		name = slice_tail(name, end);
	}
	strbuf_addc(out, '"');
}

void emit_environment(struct strbuf *out, const struct program *program,
                      const struct slice *notebook)
{
	vec_each(const struct setting, setting, &program->environment) {
		/* Names were checked when they were read: letters, digits and underscores. */
		strbuf_printf(out, "export %.*s=", SLICE_ARG(setting->name));
		if (setting->literal)
			bash_word(out, setting->value);
		else if (slice_eq(setting->name, SCOREP_DIRECTORY) &&
		         slice_has(setting->value, '%') && !bash_is_literal(setting->value))
			add_directory(out, setting->value);
		else
			bash_expandable(out, setting->value, setting->name);
		const struct location *where = &setting->name_where;
		if (notebook != NULL && where->line == 0) {
			strbuf_puts(out, "  # command line");
		} else if (notebook != NULL) {
			strbuf_puts(out, "  # ");
			comment_inline(out, where->file.len > 0 ? where->file : *notebook);
			if (where->cell > 0)
				strbuf_printf(out, ":cell %u", where->cell);
			strbuf_printf(out, ":%u", where->line);
		}
		strbuf_addc(out, '\n');
	}
}

static void add_module_commands(struct strbuf *out, value_list list)
{
	for (size_t i = 0; i < list.count; i++) {
		/* An item is a command of `module`, or a module to load. */
		struct slice item = list.items[i]->text, rest = item,
		             first = slice_next_word(&rest);
		bool is_command = slice_next_word(&rest).len > 0 ||
		                  slice_is_word_of(first, "purge reset restore");
		strbuf_puts(out, is_command ? "module" : "module load");
		for (struct slice word; (word = slice_next_word(&item)).len > 0;) {
			strbuf_addc(out, ' ');
			bash_expandable(out, word, slice_make(NULL, 0));
		}
		strbuf_puts(out, " >&2 || exit 3\n");
	}
}

/* The lines of a list. They are shell code of the user and are not changed. */
static void add_user_lines(struct strbuf *out, value_list list)
{
	for (size_t i = 0; i < list.count; i++) {
		struct slice rest = list.items[i]->text, line;
		while (slice_next_line(&rest, &line)) {
			strbuf_add(out, line);
			strbuf_addc(out, '\n');
		}
	}
}

static struct slice config_step(struct arena *arena, const char *template, const char *name,
                                void (*add)(struct strbuf *, value_list),
                                const struct config_value *key, struct slice all)
{
	value_list list = config_items(key);
	struct strbuf lines = {.arena = arena};
	struct strbuf out = {.arena = arena};
	if (list.count == 0)
		return strbuf_slice(&out);
	add(&lines, list);
	const struct template_value values[] = {{slice_from(name), strbuf_slice(&lines)},
	                                        {SLICE("all"), all}};
	template_expand(&out, template, values, 2);
	return strbuf_slice(&out);
}

/* TEXT as QUOTE writes it. */
static struct slice quoted_text(struct arena *arena, struct slice text,
                                void (*quote)(struct strbuf *, struct slice))
{
	struct strbuf out = {.arena = arena};
	quote(&out, text);
	return strbuf_slice(&out);
}

/* A command: words separated by blanks, on several lines if WRAPS and it is long. */
struct command_line {
	struct strbuf text;
	size_t line; /* where its last line begins */
	bool wraps;
};

static void add_word(struct command_line *command, struct slice word)
{
	struct strbuf *text = &command->text;
	if (command->wraps && text->len - command->line + word.len > LINE_WIDTH) {
		strbuf_puts(text, " \\\n ");
		command->line = text->len;
	}
	if (text->len > 0)
		strbuf_addc(text, ' ');
	strbuf_add(text, word);
}

/* Adds --NAME=VALUE. */
static void add_option(struct command_line *command, const char *name, struct slice value)
{
	struct arena *arena = command->text.arena;
	struct slice word = quoted_text(arena, value, bash_word);
	add_word(command, arena_printf(arena, "--%s=%.*s", name, SLICE_ARG(word)));
}

/* "$here/heat.py", or the file's name alone if the run script is in its folder. */
static struct slice shell_path(struct arena *arena, struct slice name, bool from_here)
{
	struct slice word = quoted_text(arena, name, bash_word);
	if (from_here && slice_eq(word, name))
		return arena_printf(arena, "\"$here/%.*s\"", SLICE_ARG(name));
	const char *prefix = from_here                             ? "\"$here\"/"
	                     : slice_starts_with(name, SLICE("-")) ? "./"
	                                                           : "";
	return arena_printf(arena, "%s%.*s", prefix, SLICE_ARG(word));
}

/* What a sweep and the teardown need, also after a setup that fails. */
static void add_ends(struct command_line *command, const struct run_script_parts *parts,
                     bool has_teardown)
{
	add_option(command, "build", parts->build);
	if (parts->sets > 0)
		add_option(command, "sweep", parts->names->table);
	if (parts->sets > 0 && !parts->names_output)
		add_word(command, SLICE("--job-output"));
	if (has_teardown)
		add_option(command, "teardown", SLICE("NBSCOREP_TEARDOWN"));
}

static struct slice command_line(struct arena *arena, const struct program *program,
                                 const struct run_script_parts *parts, bool from_here)
{
	struct command_line command = {.text = {.arena = arena}, .wraps = true};
	add_word(&command, shell_path(arena, slice_from(runtime_package_name), from_here));
	add_ends(&command, parts, config_items(&parts->config->teardown).count > 0);
	struct slice ranks = config_text(&parts->config->ranks),
	             launcher = config_text(&parts->config->launcher);
	if (ranks.len > 0)
		add_option(&command, "ranks", ranks);
	if (launcher.len > 0)
		add_option(&command, "launcher", launcher);
	if ((program->effects & EFFECT_MPI) != 0 || ranks.len > 0 || launcher.len > 0) {
		if (parts->settings->tag_output)
			add_word(&command, SLICE("--tag-output"));
		/* What a launcher has to pass on to other nodes. */
		if (config_has_steps(parts->config)) {
			add_option(&command, "export", SLICE("PATH"));
			add_option(&command, "export", SLICE("LD_LIBRARY_PATH"));
		}
		for (size_t i = 0; i < program->environment.count; i++)
			add_option(&command, "export", program->environment.items[i].name);
	}
	if (program->all_ranks)
		add_word(&command, SLICE("--all-ranks"));
	/* What a run measures besides the cells, excludes, and reports. */
	static const char *const measurements[] = {"", "auto", "scorep", "builtin", "none"};
	if (parts->settings->measurement != MEASUREMENT_DEFAULT)
		add_option(&command, "measurement",
		           slice_from(measurements[parts->settings->measurement]));
	if (parts->settings->imports == IMPORTS_RECORD)
		add_option(&command, "imports", SLICE("record"));
	for (size_t i = 0; i < parts->regions->count; i++)
		add_option(&command, "regions", parts->regions->items[i]);
	for (size_t i = 0; i < parts->settings->instrument_modules.count; i++)
		add_option(&command, "instrument-module",
		           slice_from(parts->settings->instrument_modules.items[i]));
	if (parts->settings->progress)
		add_word(&command, SLICE("--progress"));
	vec_each(const struct argument, argument, &program->arguments) {
		struct strbuf word = {.arena = command.text.arena};
		if (argument->expands)
			bash_expandable(&word, argument->text, slice_make(NULL, 0));
		else
			bash_word(&word, argument->text);
		add_word(&command, strbuf_slice(&word));
	}
	add_word(&command, shell_path(arena, parts->names->script, from_here));
	return strbuf_slice(&command.text);
}

/* The Python: the user's, the configured one, that of an active environment. */
static struct slice python_word(struct arena *arena, struct slice configured)
{
	struct slice word = configured.len > 0 ? quoted_text(arena, configured, bash_word)
	                                       : SLICE("${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/}python3");
	return arena_printf(arena, "${PYTHON:-%.*s}", SLICE_ARG(word));
}

/* The trap that does what the package does after the program, if bash ends before it: a set of a sweep
 * gets a status, and the teardown runs. */
static struct slice trap_line(struct arena *arena, const struct run_script_parts *parts,
                              bool has_teardown)
{
	struct command_line command = {.text = {.arena = arena}};
	if (parts->sets == 0)
		return has_teardown ? SLICE("trap 'NBSCOREP_STATUS=$? bash -c "
		                            "\"$NBSCOREP_TEARDOWN\"' EXIT\n")
		                    : SLICE("");
	add_word(&command, arena_printf(arena, "set -- $?; trap - ERR; PYTHON=%.*s; \"$PYTHON\"",
	                                SLICE_ARG(python_word(arena, parts->python))));
	add_word(&command, shell_path(arena, slice_from(runtime_package_name), true));
	add_ends(&command, parts, has_teardown);
	add_word(&command, SLICE("--failed=\"$1\""));
	add_word(&command, shell_path(arena, parts->names->script, true));
	struct slice quoted = quoted_text(arena, strbuf_slice(&command.text), bash_word);
	return arena_printf(arena, "trap %.*s EXIT\n", SLICE_ARG(quoted));
}

/* Keeps the script's folder in $here, and changes to that of the notebook. */
static struct slice notebook_folder_lines(struct arena *arena, struct slice notebook_folder)
{
	if (slice_eq(notebook_folder, SLICE(".")))
		return SLICE("here=$PWD\n");
	struct slice word = quoted_text(arena, notebook_folder, bash_word);
	return arena_printf(arena, "here=$PWD\nCDPATH='' cd -P -- ./%.*s\n", SLICE_ARG(word));
}

/* The message about a missing file. The script's name may contain what acts on a terminal. */
static struct slice missing_text(struct arena *arena, struct slice script)
{
	struct slice name = quoted_text(arena, script, terminal_text);
	struct slice text =
	        arena_printf(arena, "%.*s or the folder %s; copy both here, or build again",
	                     SLICE_ARG(name), runtime_package_name);
	return quoted_text(arena, text, bash_word);
}

void emit_run_script(struct strbuf *out, const struct program *program,
                     const struct run_script_parts *parts)
{
	static const struct slice keep = SLICE_INIT(
	        "nbscorep_saved=(\"$here\" \"$@\"); set -- # the lines below may change both\n");
	static const struct slice restore =
	        SLICE_INIT("here=${nbscorep_saved[0]}; set -- \"${nbscorep_saved[@]:1}\"\n");
	static const struct slice start_folder =
	        SLICE_INIT("export NBSCOREP_START_FOLDER=\"${NBSCOREP_START_FOLDER:-$PWD}\" # -f "
	                   "FILE (values of parameters) is looked up here\n");
	struct arena *arena = out->arena;
	const struct emit_names *names = parts->names;
	const struct config *config = parts->config;
	const struct slice none = SLICE_INIT("");
	bool has_setup = config_has_steps(config);
	bool from_here =
	        has_setup || parts->sets > 0 || !slice_eq(names->notebook_folder, SLICE("."));
	bool keeps = has_setup || (from_here && program_setting(program, SLICE("here")) != NULL);
	bool has_teardown = config_items(&config->teardown).count > 0;
	struct slice all = has_teardown ? SLICE("a") : none;
	struct strbuf environment = {.arena = arena};
	emit_environment(&environment, program, NULL);
	const struct template_value values[] = {
	        {SLICE("notebook"), quoted_text(arena, names->notebook, comment_inline)},
	        {SLICE("build"), parts->build},
	        {SLICE("options"),
	         parts->settings->recorded.len == 0
	                 ? none
	                 : arena_printf(arena, ": %.*s", SLICE_ARG(parts->settings->recorded))},
	        {SLICE("header"), parts->header},
	        {SLICE("bash"), keeps || has_teardown
	                                ? SLICE("[ -n \"${BASH_VERSION:-}\" ] || exec bash -- "
	                                        "\"$0\" \"$@\" # sh FILE\n")
	                                : none},
	        {SLICE("start_folder"),
	         (program->effects & NEED_PARAMETERS) != 0 ? start_folder : none},
	        {SLICE("script"), shell_path(arena, names->script, true)},
	        {SLICE("script_beside"), shell_path(arena, names->script, false)},
	        {SLICE("package"), slice_from(runtime_package_name)},
	        {SLICE("missing"), missing_text(arena, names->script)},
	        {SLICE("notebook_folder"),
	         from_here ? notebook_folder_lines(arena, names->notebook_folder) : none},
	        {SLICE("keep"), keeps ? keep : none},
	        {SLICE("modules"), config_step(arena, "modules.sh", "modules", add_module_commands,
	                                       &config->modules, none)},
	        {SLICE("environment"), strbuf_slice(&environment)},
	        {SLICE("teardown"), config_step(arena, "teardown.sh", "lines", add_user_lines,
	                                        &config->teardown, none)},
	        {SLICE("trap"), trap_line(arena, parts, false)},
	        {SLICE("trap_teardown"), has_teardown ? trap_line(arena, parts, true) : none},
	        {SLICE("setup"),
	         config_step(arena, "setup.sh", "lines", add_user_lines, &config->setup, all)},
	        {SLICE("restore"), keeps ? restore : none},
	        {SLICE("python"), python_word(arena, parts->python)},
	        {SLICE("command_line"), command_line(arena, program, parts, from_here)},
	};
	template_expand(out, "run.sh", values, sizeof values / sizeof *values);
}

void emit_sweep_table(struct strbuf *out, const struct sweep *sweep, const struct emit_names *names,
                      struct slice build)
{
	strbuf_puts(out, "# Compiled by nbscorep from ");
	comment_inline(out, names->notebook);
	strbuf_puts(out, ": the sets of parameters of a sweep, each after its number. Change the "
	                 "sweep, then build again.\n");
	emit_build_line(out, build);
	for (size_t i = 0; i < sweep->sets.count; i++) {
		const struct sweep_set *set = &sweep->sets.items[i];
		strbuf_printf(out, "%zu\t", i + 1);
		value_json_entries(out, set->values.items, set->values.count);
		strbuf_addc(out, '\n');
	}
}
