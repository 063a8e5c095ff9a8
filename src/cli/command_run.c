#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "cli/run.h"
#include "cli/run_build.h"
#include "cli/run_start.h"
#include "cli/session.h"
#include "process/scratch.h"

#define KILL_AFTER 30.0

static int build_and_run(struct run *run)
{
	int status = session_run(run->invocation, STDERR_FILENO, run_build, run);
	if (status == EXIT_DONE && run->choice.unclear)
		return program_refuse_choice(run_arena(run), &run->choice);
	if (status != EXIT_DONE || !run->built || run->options.dry_run)
		return status;
	return run_start(run);
}

/* The temporary folder goes and signals act again also when memory runs out. */
static int run_guarded(struct run *run)
{
	jmp_buf out_of_memory;
	jmp_buf *before = arena_set_handler(run_arena(run), &out_of_memory);
	volatile int status = EXIT_SYSTEM;
	volatile bool failed = false;
	if (setjmp(out_of_memory) == 0)
		status = build_and_run(run);
	else
		failed = true;
	arena_set_handler(run_arena(run), before);
	int left = run->scratch == NULL ? 0 : scratch_remove(run->scratch);
	int error = errno;
	run_monitor_close(&run->monitor);
	run_report_close(&run->report);
	if (run->runtime >= 0)
		close(run->runtime);
	if (run->guarded)
		launch_guard_end(&run->guard);
	if (failed)
		arena_fail(run_arena(run));
	if (left != 0)
		cli_fail(run_arena(run), 0, "", "cannot remove folder '%s': %s", run->scratch,
		         strerror(error));
	return status;
}

/* As a run script has it. */
static const char *given_or_variable(const char *given, const char *name)
{
	const char *value = getenv(name);
	return given == NULL && value != NULL && value[0] != '\0' ? value : given;
}

/* The runs of a sweep have each a folder of their own, and tell nothing to this program. */
static int check_sweep_options(struct arena *arena, const struct options *options)
{
	bool sweeps = options->sweep != NULL;
	if (!sweeps && (options->only != NULL || options->jobs != NULL))
		return cli_usage_error(arena, "'%s' is for a sweep; '--sweep' runs one",
		                       options->only != NULL ? "--only" : "--jobs");
	const char *wrong = !sweeps                       ? NULL
	                    : options->temporary          ? "--temporary"
	                    : options->cell_times != NULL ? "--cell-times"
	                    : options->vampir             ? "--vampir"
	                    : options->summary            ? "--summary"
	                    : options->monitor != NULL    ? "--monitor"
	                                                  : NULL;
	return wrong == NULL
	               ? EXIT_DONE
	               : cli_usage_error(arena, "'--sweep' and '%s' exclude each other", wrong);
}

static int check_options(struct run *run)
{
	struct arena *arena = run_arena(run);
	const struct options *options = &run->options;
	if (options->operands.count > 1)
		return cli_usage_error(arena, "'run' wants one notebook; '--' comes before the "
		                              "script's arguments");
	if (options->no_scorep && options->if_available)
		return cli_usage_error(arena,
		                       "'--no-scorep' and '--if-available' exclude each other");
	if (options->temporary && (options->output != NULL || options->output_dir != NULL))
		return cli_usage_error(arena, "'--temporary' is the output folder");
	if (options->output != NULL && strcmp(options->output, "-") == 0)
		return cli_usage_error(arena, "'run' runs a file; standard output is none");
	if (options->timeout != NULL && !option_read_seconds(options->timeout, &run->timeout))
		return cli_usage_error(arena, "'--timeout' wants seconds, not '%s'",
		                       options->timeout);
	if (options->kill_after != NULL &&
	    !option_read_seconds(options->kill_after, &run->kill_after))
		return cli_usage_error(arena, "'--kill-after' wants seconds, not '%s'",
		                       options->kill_after);
	if (options->jobs != NULL && !build_read_count(options->jobs, &run->jobs))
		return cli_usage_error(arena, "'--jobs' is a number of sets, not '%s'",
		                       options->jobs);
	int wrong = check_sweep_options(arena, options);
	if (wrong != EXIT_DONE)
		return wrong;
	int status = run_report_init(&run->report, arena, options);
	if (status == EXIT_DONE)
		status = run_monitor_init(&run->monitor, arena, options);
	if (run->monitor.wanted)
		run_report_tells(&run->report);
	return status == EXIT_DONE ? build_check_options(run->invocation) : status;
}

/* A path is the user's, seen from where they are; the program starts in the notebook's folder. */
static const char *python_path(struct arena *arena, const char *named)
{
	char folder[4096];
	if (named == NULL || named[0] == '/' || strchr(named, '/') == NULL ||
	    getcwd(folder, sizeof folder) == NULL)
		return named;
	return arena_printf(arena, "%s/%s", folder, named).ptr;
}

int command_run(struct invocation *invocation)
{
	struct options options = *invocation->options;
	struct invocation own = *invocation;
	options.ranks = given_or_variable(options.ranks, "NBSCOREP_RANKS");
	options.launcher = given_or_variable(options.launcher, "NBSCOREP_LAUNCHER");
	own.options = &options;
	struct run run = {.invocation = &own,
	                  .options = options,
	                  .kill_after = KILL_AFTER,
	                  .jobs = 1,
	                  .runtime = -1,
	                  .monitor = {.poll = -1, .order = {.output = -1}}};
	int status = check_options(&run);
	if (status != EXIT_DONE)
		return status;
	environment_init(&run.environment, own.arena, environ);
	run.choice.wanted = options.program;
	run.python = python_path(own.arena, options.python);
	return run_guarded(&run);
}
