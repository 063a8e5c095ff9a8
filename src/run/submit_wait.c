#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/os.h"
#include "diag/message.h"
#include "run/follow.h"
#include "run/submit_wait.h"

/* Seconds: between two looks at the output, and between two questions to Slurm, which grow. */
#define TICK 0.25
#define ASK_FIRST 0.5
#define ASK_MOST 15.0
#define ASK_FACTOR 1.25
#define OUTPUT_LATE 3.0 /* that another node's last words may take to show here */

enum { FORGOTTEN_MAX = 4 };

struct watcher {
	const struct submit *submit;
	const struct slurm_id *id;
	struct follow output, error;
	double interval, next;  /* the time of the next question */
	enum slurm_state state; /* when last seen */
	bool seen, is_array, ended;
	bool told_silence, told_hindrance, aborted;
	int forgotten; /* how often Slurm has known nothing of the job */
	int status;
};

/* Returns a signal that has come meanwhile, or 0. */
static int sleep_for(const struct watcher *watcher, double seconds)
{
	double end = os_seconds() + seconds, left = seconds;
	while (left > 0) {
		struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
		int number = sigtimedwait(&watcher->submit->guard.held, NULL, &wait);
		if (number > 0)
			return number;
		left = end - os_seconds();
	}
	return 0;
}

/* The header's file need not be Slurm's: SBATCH_OUTPUT and a site's plugin are stronger. */
static bool is_same_file(struct arena *arena, const char *known, struct slice path)
{
	if (known == NULL)
		return false;
	struct slice real = os_real_path(arena, path);
	return real.len > 0 && slice_eq(os_real_path(arena, slice_from(known)), real);
}

/* The texts of Slurm live as long as an answer; a path is taken once. */
static void take_path(struct watcher *watcher, struct follow *follow, struct slice path,
                      const struct follow *old)
{
	if (follow->path != NULL || path.len == 0)
		return;
	struct arena *arena = watcher->submit->arena;
	bool is_known = is_same_file(arena, old->path, path);
	int target = follow->target;
	if (is_known)
		*follow = *old;
	follow->target = target;
	follow->path = arena_cstr(arena, path);
	if (!is_known && watcher->state == SLURM_PENDING)
		follow_mark_old(follow, watcher->submit->appends);
}

static void say_ending(const struct watcher *watcher, const struct slurm_job *job)
{
	struct arena *arena = watcher->submit->arena;
	const char *ending = slurm_ending(job->state), *state = slurm_state_name(job->state);
	struct slice name = slice_from(watcher->id->id);
	if (watcher->is_array)
		name = arena_printf(arena, "%s_%.*s", watcher->id->id, SLICE_ARG(job->task));
	if (ending != NULL)
		message_fail(arena, 0, "", "job %.*s %s (%s)", SLICE_ARG(name), ending, state);
	else if (watcher->is_array && job->status != 0)
		message_fail(arena, 0, "", "job %.*s ended with status %d", SLICE_ARG(name),
		             job->status);
}

static bool all_ended(const slurm_job_list *jobs)
{
	for (size_t i = 0; i < jobs->count; i++) {
		if (!slurm_has_ended(jobs->items[i].state))
			return false;
	}
	return true;
}

/* The status of several tasks is the highest one. */
static void take_jobs(struct watcher *watcher, const slurm_job_list *jobs)
{
	const struct slurm_job *first = &jobs->items[0];
	if (watcher->state != first->state)
		watcher->interval = ASK_FIRST;
	watcher->state = first->state;
	watcher->seen = true;
	watcher->is_array = jobs->count > 1 || first->task.len > 0;
	if (!watcher->is_array) {
		take_path(watcher, &watcher->output, first->output, &watcher->submit->old_output);
		if (!slice_eq(first->output, first->error))
			take_path(watcher, &watcher->error, first->error,
			          &watcher->submit->old_error);
	}
	if (first->never_starts) { /* the job stays in the queue until the user cancels it */
		watcher->ended = true;
		watcher->status =
		        message_fail(watcher->submit->arena, EXIT_SYSTEM, "",
		                     "job %s never starts, as a job that it waits for did not end "
		                     "well; 'scancel %s' takes it out of the queue",
		                     watcher->id->id, watcher->id->id);
		return;
	}
	if (first->hindrance.len > 0 && !watcher->told_hindrance)
		message_fail(watcher->submit->arena, 0, "", "job %s does not start yet: %.*s",
		             watcher->id->id, SLICE_ARG(first->hindrance));
	watcher->told_hindrance |= first->hindrance.len > 0;
	watcher->ended = all_ended(jobs);
	for (size_t i = 0; watcher->ended && i < jobs->count; i++) {
		say_ending(watcher, &jobs->items[i]);
		watcher->aborted |= jobs->items[i].aborted;
		if (jobs->items[i].status > watcher->status)
			watcher->status = jobs->items[i].status;
	}
}

/* Jobs that ended are forgotten after a while (MinJobAge). */
static void take_forgotten(struct watcher *watcher, struct arena *arena)
{
	slurm_job_list jobs = {0};
	enum slurm_answer answer = slurm_ask_accounting(arena, watcher->id, &jobs);
	if (answer == SLURM_TOLD && all_ended(&jobs)) {
		take_jobs(watcher, &jobs);
		return;
	}
	if (answer == SLURM_INTERRUPTED)
		return;
	if (++watcher->forgotten < FORGOTTEN_MAX)
		return;
	watcher->ended = true;
	watcher->status = message_fail(
	        watcher->submit->arena, EXIT_SYSTEM, "",
	        "Slurm knows job %s no longer; %s%s, and how it ended is not known",
	        watcher->id->id, watcher->seen ? "when last seen it was " : "",
	        watcher->seen ? slurm_state_name(watcher->state) : "it was never seen");
}

static void ask(struct watcher *watcher, struct arena *arena)
{
	slurm_job_list jobs = {0};
	struct slice problem = slice_make("", 0);
	switch (slurm_ask(arena, watcher->id, &jobs, &problem)) {
	case SLURM_TOLD:
		watcher->forgotten = 0;
		take_jobs(watcher, &jobs);
		break;
	case SLURM_FORGOTTEN:
		take_forgotten(watcher, arena);
		break;
	case SLURM_SILENT:
		if (!watcher->told_silence)
			message_fail(watcher->submit->arena, 0, "",
			             "Slurm does not answer, so it is asked again: %.*s",
			             SLICE_ARG(problem));
		watcher->told_silence = true;
		break;
	case SLURM_INTERRUPTED: /* which the next sleep_for() sees */
		break;
	}
	watcher->next = os_seconds() + watcher->interval;
	watcher->interval *= watcher->interval < ASK_MOST ? ASK_FACTOR : 1;
}

/* An answer is released before the next question: a job may take days. */
static void ask_in_own_arena(struct watcher *watcher)
{
	struct arena arena, *outer = watcher->submit->arena;
	jmp_buf out_of_memory;
	volatile bool failed = false;
	arena_init(&arena, &out_of_memory);
	jmp_buf *before = arena_set_handler(outer, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
		ask(watcher, &arena);
	else
		failed = true;
	arena_set_handler(outer, before);
	arena_release(&arena);
	if (failed)
		arena_fail(outer);
}

/* Returns 1 when there was something, 0, or -1. */
static int pass_on(struct watcher *watcher)
{
	int output = 0, error = 0;
	if (watcher->state == SLURM_PENDING)
		return 0;
	if (watcher->output.path != NULL && (output = follow_pass_on(&watcher->output)) < 0)
		return -1;
	if (watcher->error.path != NULL && (error = follow_pass_on(&watcher->error)) < 0)
		return -1;
	return output > 0 || error > 0 ? 1 : 0;
}

static bool is_missing(const struct follow *follow)
{
	return follow->path != NULL && !follow->found && strcmp(follow->path, "/dev/null") != 0;
}

/* What was written last may show later than the job's end. */
static int pass_on_rest(struct watcher *watcher)
{
	double end = os_seconds() + OUTPUT_LATE;
	int number = 0, status;
	do {
		status = pass_on(watcher);
		if (status == 0 && !is_missing(&watcher->output) && !is_missing(&watcher->error))
			return sleep_for(watcher, TICK) > 0 ? 0 : pass_on(watcher);
		if (status == 0)
			number = sleep_for(watcher, TICK);
	} while (status >= 0 && number == 0 && (status > 0 || os_seconds() < end));
	return status;
}

static int stop_writing(const struct watcher *watcher)
{
	return message_fail(watcher->submit->arena, EXIT_SYSTEM, "",
	                    "cannot write the job's output: %s; job %s goes on", strerror(errno),
	                    watcher->id->id);
}

static int finish(struct watcher *watcher)
{
	const struct follow *output = &watcher->output;
	if (watcher->state == SLURM_PENDING)
		return watcher->status;
	watcher->output.ended = watcher->error.ended = true;
	if (pass_on_rest(watcher) < 0)
		return stop_writing(watcher);
	if (is_missing(output) && watcher->status != EXIT_SYSTEM)
		message_fail(watcher->submit->arena, 0, "",
		             "the job's output cannot be seen here: '%s'", output->path);
	if (watcher->aborted) /* a run script that waits for its program reports it */
		message_fail(watcher->submit->arena, 0, "",
		             "if Score-P reports \"Out of memory\" in the job's output, set "
		             "SCOREP_TOTAL_MEMORY higher (at most 4095M)");
	return watcher->status;
}

int submit_wait(const struct submit *submit, const struct slurm_id *id)
{
	struct watcher watcher = {.submit = submit, .id = id, .interval = ASK_FIRST};
	watcher.output.target = STDOUT_FILENO;
	watcher.error.target = STDERR_FILENO;
	for (;;) {
		if (os_seconds() >= watcher.next)
			ask_in_own_arena(&watcher);
		if (watcher.ended)
			return finish(&watcher);
		if (pass_on(&watcher) < 0)
			return stop_writing(&watcher);
		int number = sleep_for(&watcher, TICK);
		if (number > 0)
			return message_fail(submit->arena, EXIT_SIGNAL + number, "",
			                    "job %s goes on; 'scancel %s' ends it", id->id, id->id);
	}
}
