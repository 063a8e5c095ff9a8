#include "run/submit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "driver/outputs.h"
#include "driver/read_sweep.h"
#include "driver/session.h"
#include "process/process.h"
#include "run/run.h"
#include "run/run_sweep.h"
#include "run/supported.h"

enum { OUTPUT_MAX = 1 << 20 };

struct slice submit_job_id(const char *text)
{
	struct slice all = slice_from(text), id = slice_sub(all, 0, slice_find(all, ';', 0));
	for (size_t i = 0; i < id.len; i++) {
		bool parts = id.ptr[i] == '_' && i > 0 && i + 1 < id.len;
		if (!ascii_is_digit(id.ptr[i]) && !parts)
			return slice_make("", 0);
	}
	return id;
}

/* --only. Returns -1, with a message, where no set is chosen; the status is in SUBMIT. */
static int choose_sets(struct submit *submit, const struct compilation *c)
{
	struct arena *arena = submit->arena;
	set_numbers chosen = {0};
	set_texts sets = {0};
	size_t count = sweep_sets_of(c, &c->ir.programs.items[0]);
	sweep_write_sets(arena, &c->sweep, count, &sets);
	submit->refused =
	        count == 0 ? message_usage(arena, "'--only' is for a sweep, and there is none")
	                   : sweep_choose_sets(arena, submit->options->run.only, &sets,
	                                       sweep_results(arena, submit->run_script), &chosen);
	if (submit->refused != EXIT_DONE || chosen.count == 0)
		return -1;
	/* "2,4-6", for --array. */
	struct strbuf array = {.arena = arena};
	for (size_t i = 0, last; i < chosen.count; i = last + 1) {
		for (last = i;
		     last + 1 < chosen.count && chosen.items[last + 1] == chosen.items[last] + 1;)
			last++;
		strbuf_printf(&array, "%s%zu", i > 0 ? "," : "", chosen.items[i]);
		if (last > i)
			strbuf_printf(&array, "-%zu", chosen.items[last]);
	}
	strbuf_printf(&array, "%s%.*s", c->sweep.limit.len > 0 ? "%" : "",
	              SLICE_ARG(c->sweep.limit));
	submit->array = strbuf_slice(&array);
	return 0;
}

/* PATH as the job finds it. */
static struct slice path_of_job(const struct compilation *c, struct slice path)
{
	struct slice folder = batch_value_of(&c->batch, SLICE("chdir"));
	return folder.len > 0 ? path_join(c->arena, folder, path) : path;
}

/* Slurm makes no folders: the job would fail without a word. Returns -1 with a diagnostic. */
static int check_output_folder(struct compilation *c, struct slice name)
{
	struct slice path = batch_value_of(&c->batch, name), parent = path_folder(path);
	if (!slice_has(path, '/') || slice_has(parent, '%') ||
	    os_is_directory(arena_cstr(c->arena, path_of_job(c, parent))))
		return 0;
	return diag_add(
	        &c->diags, DIAG_SLURM_OPTION, (struct location){0},
	        "the folder of '%.*s' for the job's %.*s does not exist, and Slurm does not make "
	        "it",
	        SLICE_ARG(path), SLICE_ARG(name));
}

static void submit_build(struct compilation *c, void *data)
{
	static const struct slice names[FOLLOWS] = {SLICE_INIT("output"), SLICE_INIT("error")};
	struct submit *submit = data;
	struct arena *arena = submit->arena;
	const struct build_settings *settings = &c->options.build;
	struct outputs outputs = {0};
	if (c->batch.system != BATCH_SLURM) {
		submit->problem = SLICE("'submit' hands jobs to Slurm; build for another batch "
		                        "system, and submit the run script to that");
		return;
	}
	for (size_t i = 0; i < FOLLOWS && !settings->dry_run; i++) {
		if (check_output_folder(c, names[i]) < 0)
			return;
	}
	if (program_choose(arena, submit->options->run.program, &c->ir, &submit->problem) < 0 ||
	    outputs_build(c, &outputs) < 0)
		return;
	struct slice exported = batch_value_of(&c->batch, SLICE("export"));
	if (submit->variables.entries.count > 0 && exported.len > 0 &&
	    !slice_starts_with(exported, SLICE("ALL"))) {
		diag_add(&c->diags, DIAG_SLURM_OPTION, (struct location){0},
		         "export=%.*s keeps the variable %s, an option of 'submit', from the job",
		         SLICE_ARG(exported), submit->variables.entries.items[0]);
		return;
	}
	submit->run_script = arena_dup(arena, slice_from(outputs.run_script));
	submit->dependency = arena_dup(arena, batch_value_of(&c->batch, SLICE("dependency")));
	if (submit->options->run.only != NULL && choose_sets(submit, c) < 0)
		return;
	/* As sbatch takes it: its variable is stronger than the header. */
	const char *variable = getenv("SBATCH_OPEN_MODE");
	struct slice mode = variable != NULL ? slice_from(variable)
	                                     : batch_value_of(&c->batch, SLICE("open-mode"));
	submit->appends = slice_starts_with(mode, SLICE("a"));
	for (size_t i = 0; i < FOLLOWS; i++) {
		struct slice path = batch_value_of(&c->batch, names[i]);
		if (path.len > 0 &&
		    !slice_has(path, '%')) /* it has yet to be made from the job's */
			submit->old[i].path = arena_cstr(arena, path_of_job(c, path));
	}
	bool measures = settings->measurement != MEASUREMENT_NONE && !settings->no_scorep;
	if (measures && !settings->dry_run)
		supported_check_environment(&c->ir.programs.items[0], &c->diags);
	submit->lacks_bindings = measures && !settings->dry_run &&
	                         settings->measurement != MEASUREMENT_BUILTIN &&
	                         bindings_are_missing(c, NULL);
	submit->must_measure =
	        settings->measurement == MEASUREMENT_SCOREP && !submit->options->run.if_available;
	submit->built = true;
}

/* The command line, which ends with NULL. */
static const char **command_line(const struct submit *submit)
{
	struct arena *arena = submit->arena;
	const text_list *after = &submit->options->submit.after;
	const text_list *arguments = &submit->options->run.arguments;
	text_list argv = {0};
	struct slice script = submit->run_script;
	vec_push(arena, &argv, "sbatch");
	vec_push(arena, &argv, "--parsable");
	if (submit->array.len > 0)
		vec_push(arena, &argv,
		         arena_printf(arena, "--array=%.*s", SLICE_ARG(submit->array)).ptr);
	if (after->count > 0) {
		/* It takes the place of the header's, so it holds that one, too. */
		struct strbuf out = {.arena = arena};
		strbuf_printf(&out, "--dependency=%.*s%safterok", SLICE_ARG(submit->dependency),
		              submit->dependency.len > 0 ? "," : "");
		for (size_t i = 0; i < after->count; i++)
			strbuf_printf(&out, ":%.*s", SLICE_ARG(submit_job_id(after->items[i])));
		vec_push(arena, &argv, arena_cstr(arena, strbuf_slice(&out)));
	}
	/* A name without a folder would be looked for on PATH. */
	vec_push(
	        arena, &argv,
	        arena_printf(arena, "%s%.*s", slice_has(script, '/') ? "" : "./", SLICE_ARG(script))
	                .ptr);
	for (size_t i = 0; i < arguments->count; i++)
		vec_push(arena, &argv, arguments->items[i]);
	vec_push(arena, &argv, NULL);
	return argv.items;
}

static int show_command_line(const struct submit *submit, const char *const *argv)
{
	struct arena *arena = submit->arena;
	struct strbuf out = {.arena = arena};
	for (size_t i = 0; i < submit->variables.entries.count; i++) {
		struct slice entry = slice_from(submit->variables.entries.items[i]);
		size_t value = slice_find(entry, '=', 0) + 1;
		strbuf_add(&out, slice_sub(entry, 0, value));
		if (value < entry.len)
			bash_word(&out, slice_tail(entry, value));
		strbuf_addc(&out, ' ');
	}
	for (size_t i = 0; argv[i] != NULL; i++) {
		if (i > 0)
			strbuf_addc(&out, ' ');
		bash_word(&out, slice_from(argv[i]));
	}
	strbuf_addc(&out, '\n');
	return message_print(arena, strbuf_slice(&out));
}

static int call_sbatch(struct submit *submit, const char *const *argv, struct slurm_id *id)
{
	struct arena *arena = submit->arena;
	const char *script = submit->run_script.ptr;
	/* It can be asked to end at the terminal only: its answer names the job. */
	struct process_order order = {.argv = argv, .limit = OUTPUT_MAX, .to_the_end = true};
	struct process_result result;
	for (size_t i = 0; i < submit->variables.entries.count; i++)
		(void)putenv(submit->variables.entries.items[i]);
	int status = process_run(arena, &order, &result);
	if (status != 0 && !result.started)
		return message_fail(
		        arena, EXIT_SYSTEM,
		        arena_printf(arena, "'%s' is written: run 'sbatch %s' on a login node\n",
		                     script, script)
		                .ptr,
		        "cannot start 'sbatch': %s", strerror(errno));
	if (status != 0)
		return message_fail(arena, EXIT_SYSTEM,
		                    "squeue tells whether the job was submitted\n",
		                    "cannot hear what 'sbatch' says: %s", strerror(errno));
	(void)os_write_all(STDERR_FILENO, result.err);
	if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)
		return message_fail(arena, EXIT_SYSTEM, "",
		                    "the job was not submitted: sbatch %.*s",
		                    SLICE_ARG(process_ending(arena, result.status)));
	/* "42" or "42;cluster", on a line of its own: a site's sbatch may print more. */
	for (struct slice line, rest = result.out; slice_next_line(&rest, &line);) {
		const char *word = arena_cstr(arena, slice_trim(line));
		struct slice number = submit_job_id(word);
		if (number.len == 0)
			continue;
		id->id = arena_cstr(arena, number);
		id->cluster = word[number.len] == ';' ? word + number.len + 1 : NULL;
		return EXIT_DONE;
	}
	return message_fail(arena, EXIT_SYSTEM, "", "sbatch told no job's id, but '%.*s'",
	                    SLICE_ARG(slice_trim(result.out)));
}

static int submit_and_wait(struct submit *submit)
{
	struct slurm_id id = {0};
	for (size_t i = 0; i < FOLLOWS; i++) {
		if (submit->old[i].path != NULL)
			follow_mark_old(&submit->old[i], submit->appends);
	}
	int status = call_sbatch(submit, command_line(submit), &id);
	if (status == EXIT_DONE) {
		/* Where the job's output is passed on, standard output is that. */
		bool parsable = submit->options->submit.parsable,
		     is_free = parsable || !submit->options->submit.wait;
		struct slice text = arena_printf(submit->arena, "%s%s%s%s\n",
		                                 parsable ? "" : "Submitted batch job ", id.id,
		                                 id.cluster == NULL ? ""
		                                 : parsable         ? ";"
		                                                    : " on cluster ",
		                                 id.cluster == NULL ? "" : id.cluster);
		status = is_free ? message_print(submit->arena, text) : EXIT_DONE;
		if (status != EXIT_DONE || !is_free)
			(void)os_write_all(STDERR_FILENO, text);
	}
	if (status == EXIT_DONE && submit->options->submit.wait)
		return submit_wait(submit, &id);
	int number = launch_guard_pending();
	return status == EXIT_DONE && number > 0 ? EXIT_SIGNAL + number : status;
}

static void end_submission(void *data)
{
	launch_guard_end(data);
}

int submit_notebook(struct arena *arena, const struct options *options)
{
	struct submit submit = {.arena = arena, .options = options, .variables.arena = arena};
	struct arena_guard guard;
	run_settings_environment(&options->run, &options->build, &submit.variables);
	int status = session_run(arena, options, submit_build, &submit);
	if (status == EXIT_DONE && submit.problem.len > 0)
		return message_usage(arena, "%.*s", SLICE_ARG(submit.problem));
	if (status != EXIT_DONE || !submit.built)
		return status == EXIT_DONE ? submit.refused : status;
	if (options->build.dry_run)
		return show_command_line(&submit, command_line(&submit));
	/* Before the job waits in the queue. The nodes may differ from this one, so it is submitted. */
	if (submit.lacks_bindings && !options->build.quiet)
		message_fail(arena, 0, submit.must_measure ? BINDINGS_HINT "\n" : "",
		             "note: the job's Python has no Score-P bindings here; without them %s",
		             submit.must_measure
		                     ? "it ends with status 3"
		                     : "nbscorep's recorder measures it, if nbscorep is "
		                       "on the job's PATH");
	/* Between the submission and its id no signal ends this program. */
	launch_guard_begin(&submit.guard);
	arena_guard(arena, &guard, end_submission, &submit.guard);
	status = submit_and_wait(&submit);
	arena_unguard(arena);
	return status;
}
