#include "run/slurm.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "process/process.h"

enum { OUTPUT_MAX = 16 << 20, ANSWER_SECONDS = 60, WORDS_MAX = 16, SIGNAL_STATUS = 128 };
enum { NO_SIGNAL = 125 }; /* instead of a signal: the job ran out of memory (slurm.h: SIG_OOM) */

static const struct {
	struct slice name;
	int status;
	const char *text;
} endings[] = {
#define STATE(name, status, text) {SLICE_INIT(#name), status, text},
#include "run/slurm_state.def"
#undef STATE
};
enum { ENDING_COUNT = sizeof endings / sizeof *endings };
#define FIRST_ENDING SLURM_COMPLETED

bool slurm_has_ended(enum slurm_state state)
{
	return state >= FIRST_ENDING;
}

const char *slurm_ending(enum slurm_state state)
{
	return slurm_has_ended(state) ? endings[state - FIRST_ENDING].text : NULL;
}

const char *slurm_state_name(enum slurm_state state)
{
	if (slurm_has_ended(state))
		return endings[state - FIRST_ENDING].name.ptr;
	return state == SLURM_PENDING ? "PENDING" : "RUNNING";
}

/* Also reads "CANCELLED by 1000", which sacct prints. */
static enum slurm_state read_state(struct slice word)
{
	word = slice_next_word(&word);
	for (int i = 0; i < ENDING_COUNT; i++) {
		if (slice_eq(endings[i].name, word))
			return (enum slurm_state)(FIRST_ENDING + i);
	}
	return slice_eq(word, SLICE("PENDING")) || slice_eq(word, SLICE("CONFIGURING"))
	               ? SLURM_PENDING
	               : SLURM_RUNNING;
}

/* Reads "3:0" or "0:15". If the job itself has no status, its state has one. */
static void read_status(struct slurm_job *job, struct slice text)
{
	size_t colon = slice_find(text, ':', 0);
	uint64_t status = 0, number = 0;
	(void)slice_read_number(slice_sub(text, 0, colon), INT16_MAX, &status);
	(void)slice_read_number(slice_sub(text, colon + 1, text.len), INT16_MAX, &number);
	job->aborted = number == SIGABRT;
	job->status = (int)status;
	if (number > 0 && number != NO_SIGNAL)
		job->status = SIGNAL_STATUS + (int)number;
	else if (status == 0 && slurm_has_ended(job->state))
		job->status = endings[job->state - FIRST_ENDING].status;
}

/* The text after NAME in LINE up to the next blank. */
static struct slice field(struct slice line, struct slice name)
{
	struct slice rest = line, word;
	while ((word = slice_next_word(&rest)).len > 0) {
		if (slice_starts_with(word, name))
			return slice_sub(word, name.len, word.len);
	}
	return slice_make("", 0);
}

static void read_state_line(struct slurm_job *job, struct slice text)
{
	struct slice reason = field(text, SLICE("Reason="));
	job->state = read_state(field(text, SLICE("JobState=")));
	job->never_starts = slice_eq(reason, SLICE("DependencyNeverSatisfied"));
	/* These pass by themselves. */
	if (job->state == SLURM_PENDING &&
	    !slice_is_word_of(reason, "None Priority Resources Dependency JobArrayTaskLimit "
	                              "BeginTime Prolog Cleaning"))
		job->hindrance = reason;
}

/* Reads a line of a job's record. Texts of users are at the end of lines, or alone on one. */
static void read_line(struct slurm_job *job, struct slice line, struct slice *code)
{
	struct slice text = slice_trim(line), path;
	if (slice_starts_with(line, SLICE("JobId=")))
		job->task = field(slice_sub(line, 0, slice_find_slice(line, SLICE(" JobName="), 0)),
		                  SLICE("ArrayTaskId="));
	else if (slice_starts_with(text, SLICE("JobState=")))
		read_state_line(job, text);
	else if (slice_starts_with(text, SLICE("Requeue=")))
		*code = field(text, SLICE("ExitCode="));
	else if (slice_starts_with(text, path = SLICE("StdErr=")))
		job->error = slice_sub(text, path.len, text.len);
	else if (slice_starts_with(text, path = SLICE("StdOut=")))
		job->output = slice_sub(text, path.len, text.len);
}

void slurm_read_jobs(struct arena *arena, struct slice text, slurm_job_list *jobs)
{
	struct slice line, code = SLICE("");
	while (slice_next_line(&text, &line)) {
		if (slice_starts_with(line, SLICE("JobId=")))
			vec_push(arena, jobs, (struct slurm_job){0});
		if (jobs->count == 0)
			continue;
		struct slurm_job *job = &jobs->items[jobs->count - 1];
		read_line(job, line, &code);
		read_status(job, code);
	}
}

void slurm_read_accounting(struct arena *arena, struct slice text, slurm_job_list *jobs)
{
	struct slice line;
	while (slice_next_line(&text, &line)) {
		size_t first = slice_find(line, '|', 0), second = slice_find(line, '|', first + 1);
		struct slice id = slice_sub(line, 0, first);
		if (second == line.len)
			continue;
		struct slurm_job job = {.state = read_state(slice_sub(line, first + 1, second))};
		job.task = slice_sub(id, slice_find(id, '_', 0) + 1, id.len);
		read_status(&job, slice_sub(line, second + 1, line.len));
		vec_push(arena, jobs, job);
	}
}

static enum slurm_answer call(struct arena *arena, const char *const *argv,
                              struct process_result *result, struct slice *problem)
{
	struct process_order order = {
	        .argv = argv, .limit = OUTPUT_MAX, .limits = {.seconds = ANSWER_SECONDS}};
	if (process_run(arena, &order, result) != 0) {
		int error = errno;
		*problem = process_problem(arena, &order, result, error);
		return error == EINTR ? SLURM_INTERRUPTED : SLURM_SILENT;
	}
	*problem = slice_trim(result->err);
	return WIFEXITED(result->status) && WEXITSTATUS(result->status) == 0 ? SLURM_TOLD
	                                                                     : SLURM_SILENT;
}

enum slurm_answer slurm_ask(struct arena *arena, const struct slurm_id *id, slurm_job_list *jobs,
                            struct slice *problem)
{
	const char *argv[WORDS_MAX] = {"scontrol", "show", "job", id->id};
	struct process_result result;
	if (id->cluster != NULL)
		argv[4] = arena_printf(arena, "--clusters=%s", id->cluster).ptr;
	enum slurm_answer answer = call(arena, argv, &result, problem);
	if (answer == SLURM_INTERRUPTED)
		return answer;
	if (answer == SLURM_TOLD) {
		slurm_read_jobs(arena, result.out, jobs);
		return jobs->count > 0 ? SLURM_TOLD : SLURM_SILENT;
	}
	static const struct slice forgotten = SLICE_INIT("Invalid job id");
	return slice_find_slice(*problem, forgotten, 0) < problem->len ? SLURM_FORGOTTEN
	                                                               : SLURM_SILENT;
}

enum slurm_answer slurm_ask_accounting(struct arena *arena, const struct slurm_id *id,
                                       slurm_job_list *jobs)
{
	const char *argv[WORDS_MAX] = {"sacct",
	                               "--jobs",
	                               id->id,
	                               "--allocations",
	                               "--noheader",
	                               "--parsable2",
	                               "--format=JobID,State,ExitCode"};
	struct process_result result;
	struct slice problem;
	if (id->cluster != NULL)
		argv[7] = arena_printf(arena, "--clusters=%s", id->cluster).ptr;
	enum slurm_answer answer = call(arena, argv, &result, &problem);
	if (answer != SLURM_TOLD)
		return answer;
	slurm_read_accounting(arena, result.out, jobs);
	return jobs->count > 0 ? SLURM_TOLD : SLURM_FORGOTTEN;
}
