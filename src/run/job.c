#include "run/job.h"

#include <limits.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/strbuf.h"

static struct slice value_of(const struct environment *environment, struct slice name)
{
	const char *value = environment_get(environment, name);
	return value == NULL ? slice_make("", 0) : slice_from(value);
}

/* Adds PREFIX and the value of NAME, if it is set. */
static void add_part(struct strbuf *out, const struct environment *environment, const char *prefix,
                     struct slice name)
{
	struct slice value = value_of(environment, name);
	if (value.len > 0)
		strbuf_printf(out, "%s%.*s", prefix, SLICE_ARG(value));
}

static void add_start(struct strbuf *out, const struct environment *environment)
{
	struct slice restarts = value_of(environment, SLICE("SLURM_RESTART_COUNT"));
	if (!slice_eq(restarts, SLICE("0")))
		add_part(out, environment, "-restart", SLICE("SLURM_RESTART_COUNT"));
	if (value_of(environment, SLICE("OMPI_COMM_WORLD_RANK")).len == 0)
		add_part(out, environment, "-step", SLICE("SLURM_STEP_ID"));
}

/* The value of the first variable of NAMES that is set. An empty name ends NAMES. */
static struct slice first_value(const struct environment *environment, const struct slice *names)
{
	struct slice value = slice_make("", 0);
	for (; value.len == 0 && names->len > 0; names++)
		value = value_of(environment, *names);
	return value;
}

static bool is_number(struct slice text)
{
	size_t digits = 0;
	while (digits < text.len && ascii_is_digit(text.ptr[digits]))
		digits++;
	return digits > 0 && digits == text.len;
}

/* The number of processes that the launcher has started, or an empty slice. */
static struct slice find_size(const struct environment *environment)
{
	static const struct slice names[] = {SLICE_INIT("OMPI_COMM_WORLD_SIZE"),
	                                     SLICE_INIT("PMI_SIZE"),
	                                     SLICE_INIT("MV2_COMM_WORLD_SIZE"),
	                                     SLICE_INIT("SLURM_STEP_NUM_TASKS"),
	                                     {0}};
	return first_value(environment, names);
}

static bool has_others(const struct environment *environment)
{
	struct slice size = find_size(environment);
	return is_number(size) && !slice_eq(size, SLICE("0")) && !slice_eq(size, SLICE("1"));
}

static struct slice find_rank(const struct environment *environment)
{
	static const struct slice names[] = {SLICE_INIT("OMPI_COMM_WORLD_RANK"),
	                                     SLICE_INIT("PMIX_RANK"),
	                                     SLICE_INIT("PMI_RANK"),
	                                     SLICE_INIT("MV2_COMM_WORLD_RANK"),
	                                     {0}};
	struct slice rank = first_value(environment, names);
	/* Without a step, SLURM_PROCID is 0 in all processes that mpirun starts. */
	if (rank.len == 0 && value_of(environment, SLICE("SLURM_STEP_ID")).len > 0)
		rank = value_of(environment, SLICE("SLURM_PROCID"));
	return rank;
}

static bool exists(struct arena *arena, struct slice path)
{
	return access(arena_cstr(arena, path), F_OK) == 0;
}

void job_name_directory(struct environment *environment, struct slice folder, struct slice prefix)
{
	struct arena *arena = environment->arena;
	struct slice directory = SLICE("SCOREP_EXPERIMENT_DIRECTORY");
	struct slice array = SLICE("SLURM_ARRAY_JOB_ID"), job = SLICE("SLURM_JOB_ID");
	struct strbuf name;
	if (value_of(environment, job).len == 0 || value_of(environment, directory).len > 0)
		return;
	strbuf_init(&name, arena);
	strbuf_add(&name, prefix);
	add_part(&name, environment, "", value_of(environment, array).len > 0 ? array : job);
	add_part(&name, environment, "_", SLICE("SLURM_ARRAY_TASK_ID"));
	add_start(&name, environment);
	struct slice base = strbuf_slice(&name), next = base;
	for (unsigned i = 2;
	     !has_others(environment) && exists(arena, path_join(arena, folder, next)); i++)
		next = arena_printf(arena, "%.*s-%u", SLICE_ARG(base), i);
	environment_set(environment, directory, next);
}

/* The directory of all ranks if none is named. The launch is the only name that the ranks share. */
static struct slice launch_directory(const struct environment *environment, struct slice prefix)
{
	struct slice launch = value_of(environment, SLICE("PMIX_NAMESPACE"));
	if (launch.len == 0)
		launch = arena_printf(environment->arena, "%d", (int)getppid());
	return arena_printf(environment->arena, "%.*s%.*s", SLICE_ARG(prefix), SLICE_ARG(launch));
}

struct slice job_own_directory(struct environment *environment, struct slice prefix)
{
	struct slice name = SLICE("SCOREP_EXPERIMENT_DIRECTORY");
	struct slice rank = find_rank(environment), size = find_size(environment);
	struct slice shared = value_of(environment, name);
	char host[HOST_NAME_MAX + 1] = "";
	if (slice_eq(size, SLICE("1")) || (rank.len == 0 && size.len == 0))
		return slice_make("", 0);
	if (!is_number(rank)) {
		(void)gethostname(host, sizeof host - 1);
		rank = arena_printf(environment->arena, "%s-%d", host, (int)getpid());
	}
	if (shared.len == 0)
		shared = launch_directory(environment, prefix);
	environment_set(environment, name,
	                arena_printf(environment->arena, "%.*s/rank-%.*s", SLICE_ARG(shared),
	                             SLICE_ARG(rank)));
	return rank;
}
