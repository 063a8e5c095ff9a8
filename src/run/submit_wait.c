#include "run/submit_wait.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/name_set.h"
#include "base/os.h"
#include "diag/message.h"
#include "process/process.h"
#include "run/submit.h"

/* ---- Slurm's commands ---- */

enum { OUTPUT_MAX = 16 << 20, ANSWER_SECONDS = 60, SIGNAL_STATUS = 128 };
enum { NO_SIGNAL = 125 }; /* instead of a signal: the job ran out of memory (slurm.h: SIG_OOM) */

/* By state. */
static const struct {
	struct slice name; /* Slurm's own word */
	int status;
	const char *text;
} slurm_states[] = {
#define STATE(name, status, text) {SLICE_INIT(#name), status, text},
#include "run/slurm_state.def"
};
enum { STATE_COUNT = sizeof slurm_states / sizeof *slurm_states };

static enum slurm_state read_slurm_state(struct slice word)
{
	for (int i = 0; i < STATE_COUNT; i++) {
		if (slice_eq(slurm_states[i].name, word))
			return (enum slurm_state)i;
	}
	return slice_eq(word, SLICE("CONFIGURING")) ? SLURM_PENDING : SLURM_RUNNING;
}

/* The text after NAME in LINE up to the next blank. */
static struct slice slurm_field(struct slice line, struct slice name)
{
	struct slice rest = line, word;
	while ((word = slice_next_word(&rest)).len > 0) {
		if (slice_cut_prefix(&word, name))
			return word;
	}
	return slice_make("", 0);
}

/* In a job's record, texts of users are at the end of lines, or alone on one. */
void slurm_read_jobs(struct arena *arena, struct slice text, slurm_job_list *jobs)
{
	struct slice line, code = SLICE("");
	while (slice_next_line(&text, &line)) {
		if (slice_starts_with(line, SLICE("JobId=")))
			vec_push(arena, jobs, (struct slurm_job){0});
		if (jobs->count == 0)
			continue;
		struct slurm_job *job = &jobs->items[jobs->count - 1];
		struct slice field = slice_trim(line);
		if (slice_starts_with(line, SLICE("JobId="))) {
			job->task = slurm_field(
			        slice_sub(line, 0, slice_find_slice(line, SLICE(" JobName="), 0)),
			        SLICE("ArrayTaskId="));
		} else if (slice_starts_with(field, SLICE("JobState="))) {
			struct slice reason = slurm_field(field, SLICE("Reason="));
			job->state = read_slurm_state(slurm_field(field, SLICE("JobState=")));
			job->never_starts = slice_eq(reason, SLICE("DependencyNeverSatisfied"));
			/* These pass by themselves. */
			if (job->state == SLURM_PENDING &&
			    !slice_is_word_of(reason,
			                      "None Priority Resources Dependency "
			                      "JobArrayTaskLimit BeginTime Prolog Cleaning"))
				job->hindrance = reason;
		} else if (slice_starts_with(field, SLICE("Requeue="))) {
			code = slurm_field(field, SLICE("ExitCode="));
		} else if (slice_cut_prefix(&field, SLICE("StdErr="))) {
			job->error = field;
		} else if (slice_cut_prefix(&field, SLICE("StdOut="))) {
			job->output = field;
		}
		/* "3:0" or "0:15". If the job itself has no status, its state has one. */
		size_t colon = slice_find(code, ':', 0);
		uint64_t status = 0, number = 0;
		(void)slice_read_number(slice_sub(code, 0, colon), INT16_MAX, &status);
		(void)slice_read_number(slice_tail(code, colon + 1), INT16_MAX, &number);
		job->ending = slurm_states[job->state].text;
		job->status = (int)status;
		if (number > 0 && number != NO_SIGNAL)
			job->status = SIGNAL_STATUS + (int)number;
		else if (status == 0)
			job->status = slurm_states[job->state].status;
	}
}

/* ---- the output of the job ---- */

enum { CHUNK = 1 << 16 };

void follow_mark_old(struct follow *follow, bool appends)
{
	follow->is_old = stat(follow->path, &follow->before) == 0;
	follow->offset = follow->is_old && appends ? follow->before.st_size : 0;
}

static int follow_descriptor(struct follow *follow, int fd)
{
	char chunk[CHUNK];
	int status = 0;
	for (;;) {
		ssize_t got = pread(fd, chunk, sizeof chunk, follow->offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return status;
		if (os_write_all(follow->target, slice_make(chunk, (size_t)got)) != 0)
			return -1;
		follow->offset += got;
		status = 1;
	}
}

/* Opens the file each time, because over NFS only this shows what another node has written. */
int follow_pass_on(struct follow *follow)
{
	const struct stat *old = &follow->before;
	struct stat info;
	int fd = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	int status = 0;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		follow->found = true;
		follow->is_old = follow->is_old && info.st_ino == old->st_ino &&
		                 info.st_size == old->st_size &&
		                 info.st_mtim.tv_sec == old->st_mtim.tv_sec &&
		                 info.st_mtim.tv_nsec == old->st_mtim.tv_nsec;
		if (info.st_size < follow->offset)
			follow->offset = 0;
		status = follow->is_old ? 0 : follow_descriptor(follow, fd);
	}
	os_close_quietly(fd);
	return status;
}

/* ---- the wait ---- */

/* Seconds: between two looks at the output, and between two questions to Slurm, which grow. */
#define TICK 0.25
#define ASK_FIRST 0.5
#define ASK_MOST 15.0
#define ASK_FACTOR 1.25
#define OUTPUT_LATE 3.0 /* that another node's last words may take to show here */

struct watcher {
	const struct submit *submit;
	const struct slurm_id *id;
	struct follow follows[FOLLOWS];
	double interval, next;  /* the time of the next question */
	enum slurm_state state; /* when last seen */
	bool seen, ended, told_silence, told_hindrance;
	int status;
	struct name_set counted; /* tasks whose end was reported */
};

/* Returns a signal that has come meanwhile, or 0. */
static int sleep_a_tick(const struct watcher *watcher)
{
	double end = os_seconds() + TICK, left = TICK;
	while (left > 0) {
		struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
		int number = sigtimedwait(&watcher->submit->guard.held, NULL, &wait);
		if (number > 0)
			return number;
		left = end - os_seconds();
	}
	return 0;
}

/* The texts of Slurm live as long as an answer; a path is taken once. */
static void take_path(struct watcher *watcher, size_t number, struct slice path)
{
	struct follow *follow = &watcher->follows[number];
	const struct follow *old = &watcher->submit->old[number];
	if (follow->path != NULL || path.len == 0)
		return;
	struct arena *arena = watcher->submit->arena;
	/* The header's file need not be Slurm's: SBATCH_OUTPUT and a site's plugin are stronger. */
	struct slice real = old->path == NULL ? slice_make("", 0) : os_real_path(arena, path);
	bool is_known = real.len > 0 && slice_eq(os_real_path(arena, slice_from(old->path)), real);
	if (is_known)
		*follow = *old;
	follow->target = number == FOLLOW_OUTPUT ? STDOUT_FILENO : STDERR_FILENO;
	follow->path = arena_cstr(arena, path);
	if (!is_known && watcher->state == SLURM_PENDING)
		follow_mark_old(follow, watcher->submit->appends);
}

/* The status of several tasks is the highest one. */
static void take_jobs(struct watcher *watcher, const slurm_job_list *jobs)
{
	struct arena *arena = watcher->submit->arena;
	const struct slurm_job *first = &jobs->items[0];
	if (watcher->state != first->state)
		watcher->interval = ASK_FIRST;
	watcher->state = first->state;
	watcher->seen = true;
	bool is_array = jobs->count > 1 || first->task.len > 0;
	if (!is_array) {
		take_path(watcher, FOLLOW_OUTPUT, first->output);
		if (!slice_eq(first->output, first->error))
			take_path(watcher, FOLLOW_ERROR, first->error);
	}
	if (first->never_starts) { /* the job stays in the queue until the user cancels it */
		watcher->ended = true;
		watcher->status =
		        message_fail(arena, EXIT_SYSTEM, "",
		                     "job %s never starts, as a job that it waits for did not end "
		                     "well; 'scancel %s' takes it out of the queue",
		                     watcher->id->id, watcher->id->id);
		return;
	}
	if (first->hindrance.len > 0 && !watcher->told_hindrance)
		message_fail(arena, 0, "", "job %s does not start yet: %.*s", watcher->id->id,
		             SLICE_ARG(first->hindrance));
	watcher->told_hindrance |= first->hindrance.len > 0;
	watcher->ended = true;
	vec_each(const struct slurm_job, job, jobs) {
		size_t known = watcher->counted.names.count;
		bool has_ended = job->state > SLURM_RUNNING;
		watcher->ended &= has_ended;
		/* Slurm may forget it before the others end. */
		if (!has_ended || name_set_add(&watcher->counted, arena_dup(watcher->counted.arena,
		                                                            job->task)) < known)
			continue;
		struct slice name = slice_from(watcher->id->id);
		if (is_array)
			name = arena_printf(arena, "%s_%.*s", watcher->id->id,
			                    SLICE_ARG(job->task));
		if (job->ending != NULL)
			message_fail(arena, 0, "", "job %.*s %s (%s)", SLICE_ARG(name), job->ending,
			             slurm_states[job->state].name.ptr);
		else if (is_array && job->status != 0)
			message_fail(arena, 0, "", "job %.*s ended with status %d", SLICE_ARG(name),
			             job->status);
		if (job->status > watcher->status)
			watcher->status = job->status;
	}
}

/* Asks for the job, or all tasks of the array. An answer is released before the next question: a job may take days. */
static void ask_slurm(struct watcher *watcher)
{
	struct arena arena, *outer = watcher->submit->arena;
	const struct slurm_id *id = watcher->id;
	struct process_result result;
	slurm_job_list jobs = {0};
	arena_init_inner(&arena, outer);
	const char *cluster =
	        id->cluster == NULL ? NULL : arena_printf(&arena, "--clusters=%s", id->cluster).ptr;
	const char *argv[] = {"scontrol", "show", "job", id->id, cluster, NULL};
	struct process_order order = {
	        .argv = argv, .limit = OUTPUT_MAX, .limits = {.seconds = ANSWER_SECONDS}};
	/* The next sleep_a_tick() sees what interrupts. */
	bool is_over = process_run(&arena, &order, &result) == 0 || errno != EINTR;
	struct slice failure = process_failure(&arena, &result, ANSWER_SECONDS);
	bool is_known = slice_find_slice(result.err, SLICE("Invalid job id"), 0) == result.err.len;
	if (is_over && is_known && failure.len == 0)
		slurm_read_jobs(&arena, result.out, &jobs);
	if (jobs.count > 0) {
		take_jobs(watcher, &jobs);
	} else if (is_over && !is_known) {
		/* Slurm forgets a job some time (MinJobAge) after its end. */
		watcher->ended = true;
		watcher->status = message_fail(
		        outer, EXIT_SYSTEM,
		        arena_printf(outer, "'sacct --jobs=%s' may know it\n", id->id).ptr,
		        "Slurm knows job %s no longer; %s%s, and how it ended is not known", id->id,
		        watcher->seen ? "when last seen it was " : "",
		        watcher->seen ? slurm_states[watcher->state].name.ptr
		                      : "it was never seen");
	} else if (is_over && !watcher->told_silence) {
		message_fail(outer, 0, "",
		             "Slurm does not answer, so it is asked again: 'scontrol': %.*s",
		             SLICE_ARG(failure));
		watcher->told_silence = true;
	}
	watcher->next = os_seconds() + watcher->interval;
	watcher->interval *= watcher->interval < ASK_MOST ? ASK_FACTOR : 1;
	arena_unguard(outer);
}

/* Returns 1 when there was something, 0, or -1. */
static int pass_on_output(struct watcher *watcher)
{
	int any = 0;
	for (size_t i = 0; any >= 0 && i < FOLLOWS && watcher->state != SLURM_PENDING; i++) {
		if (watcher->follows[i].path != NULL)
			any |= follow_pass_on(&watcher->follows[i]);
	}
	return any;
}

static bool is_missing(const struct watcher *watcher, size_t number)
{
	const struct follow *follow = &watcher->follows[number];
	return follow->path != NULL && !follow->found && strcmp(follow->path, "/dev/null") != 0;
}

/* What was written last may show later than the job's end. */
static int pass_on_rest(struct watcher *watcher)
{
	double end = os_seconds() + OUTPUT_LATE;
	int number = 0, status;
	do {
		status = pass_on_output(watcher);
		if (status == 0 && !is_missing(watcher, FOLLOW_OUTPUT) &&
		    !is_missing(watcher, FOLLOW_ERROR))
			return sleep_a_tick(watcher) > 0 ? 0 : pass_on_output(watcher);
		if (status == 0)
			number = sleep_a_tick(watcher);
	} while (status >= 0 && number == 0 && (status > 0 || os_seconds() < end));
	return status;
}

static int stop_writing(const struct watcher *watcher)
{
	return message_fail(watcher->submit->arena, EXIT_SYSTEM, "",
	                    "cannot write the job's output: %s; job %s goes on", strerror(errno),
	                    watcher->id->id);
}

static int finish_wait(struct watcher *watcher)
{
	if (watcher->state == SLURM_PENDING)
		return watcher->status;
	if (pass_on_rest(watcher) < 0)
		return stop_writing(watcher);
	if (is_missing(watcher, FOLLOW_OUTPUT) && watcher->status != EXIT_SYSTEM)
		message_fail(watcher->submit->arena, 0, "",
		             "the job's output cannot be seen here: '%s'",
		             watcher->follows[FOLLOW_OUTPUT].path);
	return watcher->status;
}

int submit_wait(const struct submit *submit, const struct slurm_id *id)
{
	struct watcher watcher = {
	        .submit = submit,
	        .id = id,
	        .interval = ASK_FIRST,
	        .counted.arena = submit->arena,
	};
	for (;;) {
		if (os_seconds() >= watcher.next)
			ask_slurm(&watcher);
		if (watcher.ended)
			return finish_wait(&watcher);
		if (pass_on_output(&watcher) < 0)
			return stop_writing(&watcher);
		int number = sleep_a_tick(&watcher);
		if (number > 0)
			return message_fail(submit->arena, EXIT_SIGNAL + number, "",
			                    "job %s goes on; 'scancel %s' ends it", id->id, id->id);
	}
}
