#include "run/plan.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/os.h"
#include "base/quote.h"
#include "process/process.h"
#include "run/job.h"
#include "run/runtime_file.h"
#include "scorep/directory.h"

enum { VALUE_SIZE = 65536 };

/* The value of a variable that bash sets itself, or NULL. */
static const char *ask_bash(struct environment *environment, struct slice name)
{
	struct arena *arena = environment->arena;
	struct slice command = arena_printf(arena, "printf %%s \"$%.*s\"", SLICE_ARG(name));
	const char *argv[] = {"bash", "-uc", command.ptr, NULL};
	struct process_order order = {
	        .argv = argv,
	        .limit = VALUE_SIZE,
	        .environment = environment_list(environment),
	        .own_group = true,
	};
	struct process_result result = {0};
	if (process_run(arena, &order, &result) != 0 || result.status != 0)
		return NULL;
	return arena_cstr(arena, result.out);
}

static const char *value_of(struct slice name, void *data)
{
	const char *value = environment_get(data, name);
	return value != NULL ? value : ask_bash(data, name);
}

static void add_job(struct strbuf *out, const struct environment *environment)
{
	const char *job = environment_get(environment, SCOREP_JOB_VARIABLE);
	strbuf_add(out, job != NULL && job[0] != '\0' ? slice_from(job) : SCOREP_NO_JOB);
}

static struct slice expand_directory(struct environment *environment, const struct run_text *text,
                                     struct strbuf *out)
{
	struct slice rest = text->value, part, unset = slice_make("", 0);
	while (unset.len == 0 && scorep_directory_part(&rest, &part)) {
		if (part.len == 0)
			add_job(out, environment);
		else
			unset = bash_expand(out, part, text->name, value_of, environment);
	}
	return unset;
}

/* Expands TEXT. The variable that TEXT sets may be unset. Returns the name of another unset variable,
 * or an empty slice. */
static struct slice expand(struct environment *environment, const struct run_text *text,
                           struct slice *out)
{
	struct strbuf value;
	*out = text->value;
	if (!text->expands)
		return slice_make("", 0);
	strbuf_init(&value, environment->arena);
	struct slice unset =
	        scorep_names_directory(text->name) && !bash_is_literal(text->value)
	                ? expand_directory(environment, text, &value)
	                : bash_expand(&value, text->value, text->name, value_of, environment);
	*out = strbuf_slice(&value);
	return unset;
}

/* Sets NAME to FIRST and its old value, with a colon between them. */
static void put_before(struct environment *environment, struct slice name, struct slice first)
{
	const char *old = environment_get(environment, name);
	if (old == NULL || old[0] == '\0')
		environment_set(environment, name, first);
	else
		environment_set(environment, name,
		                arena_printf(environment->arena, "%.*s:%s", SLICE_ARG(first), old));
}

static void set_default(struct environment *environment, struct slice name, struct slice value)
{
	const char *old = environment_get(environment, name);
	if (old == NULL || old[0] == '\0')
		environment_set(environment, name, value);
}

struct slice run_plan_export(const struct run_plan *plan, struct environment *environment)
{
	environment_set(environment, SLICE("OLDPWD"), plan->script_folder);
	environment_set(environment, SLICE("PWD"), plan->folder);
	put_before(environment, SLICE("PYTHONPATH"), plan->folder);
	set_default(environment, SLICE("MPLBACKEND"), SLICE("Agg"));
	set_default(environment, SLICE("SCOREP_TOTAL_MEMORY"), SLICE("512M"));
	for (size_t i = 0; i < plan->exports.count; i++) {
		struct slice value, unset = expand(environment, &plan->exports.items[i], &value);
		if (unset.len > 0)
			return unset;
		environment_set(environment, plan->exports.items[i].name, value);
	}
	job_name_directory(environment, plan->folder,
	                   scorep_job_directory(environment->arena, plan->script));
	return slice_make("", 0);
}

static bool measures_together(const struct run_plan *plan)
{
	for (size_t i = 0; i < plan->arguments.count; i++) {
		struct slice text = plan->arguments.items[i].value;
		if ((slice_starts_with(text, SLICE("--mpp=")) &&
		     !slice_eq(text, SLICE("--mpp=none"))) ||
		    slice_eq(text, SLICE("--mpi")))
			return true;
	}
	return false;
}

struct slice run_plan_own_directory(const struct run_plan *plan, struct environment *environment)
{
	if (measures_together(plan))
		return slice_make("", 0);
	return job_own_directory(environment,
	                         scorep_job_directory(environment->arena, plan->script));
}

int run_plan_make_parents(const struct environment *environment, struct slice *path)
{
	const char *directory = environment_get(environment, SLICE("SCOREP_EXPERIMENT_DIRECTORY"));
	struct slice all = slice_from(directory == NULL ? "" : directory);
	for (size_t at = slice_find(all, '/', 0); at < all.len; at = slice_find(all, '/', at + 1)) {
		*path = slice_sub(all, 0, at);
		const char *folder = arena_cstr(environment->arena, *path);
		if (at == 0 || os_is_directory(folder))
			continue;
		if (mkdir(folder, 0777) != 0 && !(errno == EEXIST && os_is_directory(folder)))
			return -1;
	}
	return 0;
}

typedef VECTOR(char *) word_list;

static void add_word(struct arena *arena, word_list *words, struct slice word)
{
	vec_push(arena, words, arena_cstr(arena, word));
}

/* Adds -m scorep and its arguments. Returns the name of an unset variable, or an empty slice. */
static struct slice add_bindings(const struct run_plan *plan, struct environment *environment,
                                 bool surrounded, word_list *words)
{
	struct arena *arena = environment->arena;
	add_word(arena, words, SLICE("-m"));
	add_word(arena, words, SLICE("scorep"));
	for (size_t i = 0; i < plan->arguments.count; i++) {
		struct slice word;
		struct slice unset = expand(environment, &plan->arguments.items[i], &word);
		if (unset.len > 0)
			return unset;
		add_word(arena, words, word);
	}
	if (surrounded)
		add_word(arena, words, SLICE("--instrumenter-file=" RUNTIME_PATH));
	return slice_make("", 0);
}

char **run_plan_command(const struct run_plan *plan, struct environment *environment,
                        const struct run_command *command, struct slice *unset)
{
	struct arena *arena = environment->arena;
	word_list words = {0};
	*unset = slice_make("", 0);
	add_word(arena, &words, slice_from(command->python));
	if (command->measured)
		*unset = add_bindings(plan, environment, command->surrounded, &words);
	else if (command->surrounded)
		add_word(arena, &words, SLICE(RUNTIME_PATH));
	if (unset->len > 0)
		return NULL;
	const char *slash = slice_eq(plan->script_folder, SLICE("/")) ? "" : "/";
	add_word(arena, &words,
	         arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(plan->script_folder), slash,
	                      SLICE_ARG(plan->script)));
	for (size_t i = 0; i < command->rest_count; i++)
		add_word(arena, &words, slice_from(command->rest[i]));
	vec_push(arena, &words, NULL);
	return words.items;
}
