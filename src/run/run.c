#include "run/run.h"

#include <errno.h>
#include <unistd.h>

#include "diag/message.h"
#include "driver/session.h"
#include "process/scratch.h"
#include "run/run_build.h"
#include "run/run_start.h"

#define KILL_AFTER 30.0

/* A path is the user's, relative to the current folder; the program starts in the notebook's folder. */
static const char *python_path(struct arena *arena, const char *named)
{
	char folder[4096];
	if (named == NULL || named[0] == '/' || strchr(named, '/') == NULL ||
	    getcwd(folder, sizeof folder) == NULL)
		return named;
	return arena_printf(arena, "%s/%s", folder, named).ptr;
}

int run_init(struct run *run, struct arena *arena, const struct build_settings *build,
             const struct run_settings *settings)
{
	*run = (struct run){
	        .arena = arena,
	        .build = *build,
	        .settings = *settings,
	        .timeout = settings->timeout.seconds,
	        .kill_after =
	                settings->kill_after.given ? settings->kill_after.seconds : KILL_AFTER,
	        .jobs = settings->jobs > 0 ? settings->jobs : 1,
	        .choice.wanted = settings->program,
	        .python = python_path(arena, build->python),
	        .monitor = {.poll = -1, .order = {.output = -1}},
	};
	int status = run_report_init(&run->report, arena, build, settings);
	if (status == EXIT_DONE)
		status = run_monitor_init(&run->monitor, arena, build, settings);
	run->report.tells |= run->monitor.wanted; /* which uses the reports */
	return status;
}

static int build_and_run(struct run *run, const struct session_order *order)
{
	int status = session_run(order, run_build, run);
	if (status == EXIT_DONE && run->choice.unclear)
		return program_refuse_choice(run_arena(run), &run->choice);
	if (status != EXIT_DONE || !run->built || run->build.dry_run)
		return status;
	return run_start(run);
}

int run_notebook(struct run *run, const struct session_order *order)
{
	jmp_buf out_of_memory;
	jmp_buf *before = arena_set_handler(run_arena(run), &out_of_memory);
	volatile int status = EXIT_SYSTEM;
	volatile bool failed = false;
	if (setjmp(out_of_memory) == 0)
		status = build_and_run(run, order);
	else
		failed = true;
	arena_set_handler(run_arena(run), before);
	int left = run->scratch == NULL ? 0 : scratch_remove(run->scratch);
	int error = errno;
	run_monitor_close(&run->monitor);
	run_report_close(&run->report);
	if (run->guarded)
		launch_guard_end(&run->guard);
	if (failed)
		arena_fail(run_arena(run));
	if (left != 0)
		message_fail(run_arena(run), 0, "", "cannot remove folder '%s': %s", run->scratch,
		             strerror(error));
	return status;
}
