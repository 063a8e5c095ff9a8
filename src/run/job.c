#include "run/job.h"

#include <unistd.h>

#include "base/paths.h"
#include "base/strbuf.h"

static struct slice value_of(const struct environment *environment, struct slice name)
{
	const char *value = environment_get(environment, name);
	return value == NULL ? slice_make("", 0) : slice_from(value);
}

/* PREFIX and the value of NAME, where that is set. */
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
	for (unsigned i = 2; exists(arena, path_join(arena, folder, next)); i++)
		next = arena_printf(arena, "%.*s-%u", SLICE_ARG(base), i);
	environment_set(environment, directory, next);
}
