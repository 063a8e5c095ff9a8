#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/build.h"
#include "cli/run_report.h"
#include "cli/session.h"
#include "cli/supported.h"
#include "run/bindings.h"
#include "run/launch.h"
#include "run/plan.h"
#include "run/python.h"
#include "run/runtime_file.h"
#include "run/scratch.h"
#include "run/vampir.h"

enum { EXIT_TIMEOUT = 124, EXIT_SIGNAL = 128 };

#define KILL_AFTER 30.0
#define INSTALL_HINT                                                                               \
	"Install the bindings into that Python ('pip install scorep'), with Score-P's "            \
	"scorep-config on PATH;\nname another Python with --python; or run unmeasured with "       \
	"--no-scorep or --if-available\n"

/* One run. It outlives the notebook's memory. */
struct run {
	struct invocation *invocation;
	struct options options; /* as for a build of what is run */
	struct launch_guard guard;
	const char *scratch; /* the temporary folder, or NULL */
	struct run_plan plan;
	struct slice run_script; /* its path */
	struct environment environment;
	struct run_report report;
	const char *python; /* of the user's --python, independent of the current folder, or NULL */
	struct slice programs; /* those there are, by name */
	size_t program_count;
	double timeout, kill_after;
	bool unclear;               /* no program was chosen */
	bool opens_vampir;          /* --vampir, or the notebook asks for it */
	bool guarded, built, asked; /* the files are there; the bindings were asked for */
};

static struct arena *arena_of(struct run *run)
{
	return run->invocation->arena;
}

static struct slice without_py(struct slice name)
{
	return slice_ends_with(name, SLICE(".py")) ? slice_sub(name, 0, name.len - 3) : name;
}

static void list_programs(struct run *run, const struct ir *ir)
{
	struct strbuf names;
	strbuf_init(&names, arena_of(run));
	for (size_t i = 0; i < ir->programs.count; i++)
		strbuf_printf(&names, "%s'%.*s'", i > 0 ? ", " : "",
		              SLICE_ARG(ir->programs.items[i].name));
	run->programs = strbuf_slice(&names);
	run->program_count = ir->programs.count;
}

/* Leaves in IR the program that is to run. Returns -1 when that is not clear. */
static int choose_program(struct run *run, struct ir *ir)
{
	const char *wanted = run->options.program;
	size_t chosen = wanted == NULL && ir->programs.count == 1 ? 0 : ir->programs.count;
	for (size_t i = 0; wanted != NULL && i < ir->programs.count; i++) {
		if (slice_eq(ir->programs.items[i].name, without_py(slice_from(wanted))))
			chosen = i;
	}
	list_programs(run, ir);
	run->unclear = chosen == ir->programs.count;
	if (run->unclear)
		return -1;
	ir->programs.items[0] = ir->programs.items[chosen];
	ir->programs.count = 1;
	return 0;
}

static void copy_text(struct run *run, bool is_export, struct slice name, struct slice value,
                      bool expands)
{
	struct arena *arena = arena_of(run);
	struct run_text text = {arena_dup(arena, name), arena_dup(arena, value), expands};
	if (is_export)
		vec_push(arena, &run->plan.exports, text);
	else
		vec_push(arena, &run->plan.arguments, text);
}

static void plan_program(struct run *run, const struct compilation *c, const char *script,
                         struct slice runtime)
{
	struct arena *arena = arena_of(run);
	const struct program *program = &c->ir.programs.items[0];
	struct slice path = slice_from(script);
	struct slice from = slice_eq(c->path, SLICE("-")) ? SLICE(".") : path_folder(c->path);
	run->plan.script_folder = os_real_path(arena, path_folder(path));
	run->plan.script = arena_dup(arena, path_file(path));
	run->plan.folder = os_real_path(arena, from);
	run->plan.runtime = arena_dup(arena, runtime);
	run->opens_vampir = run->options.vampir || program->opens_vampir;
	for (size_t i = 0; i < program->environment.count; i++) {
		const struct setting *setting = &program->environment.items[i];
		copy_text(run, true, setting->name, setting->value, !setting->literal);
	}
	for (size_t i = 0; i < program->arguments.count; i++) {
		const struct argument *argument = &program->arguments.items[i];
		copy_text(run, false, slice_make("", 0), argument->text, argument->expands);
	}
}

/* The script goes into a new folder, whatever folders its name has. */
static int make_scratch(struct run *run, struct compilation *c)
{
	struct arena *arena = arena_of(run);
	struct slice name = path_file(c->ir.programs.items[0].name);
	run->scratch = scratch_make(arena);
	if (run->scratch == NULL) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, (struct location){0},
		         "cannot make a temporary folder: %s", strerror(errno));
		return -1;
	}
	run->options.output = arena_printf(arena, "%s/%.*s.py", run->scratch, SLICE_ARG(name)).ptr;
	return 0;
}

/* Will the program be measured, as far as is_measured() can say now? */
static bool may_be_measured(struct run *run, struct environment *environment)
{
	const char *named = python_find(environment, run->python);
	const char *python = environment_find_program(environment, named);
	struct slice reason;
	return !run->options.if_available ||
	       (python != NULL && bindings_ask(environment, python, &reason) != BINDINGS_MISSING);
}

/* Reports what the bindings would end the run for, at its place in the notebook. */
static void check_support(struct run *run, struct compilation *c)
{
	const struct program *program = &c->ir.programs.items[0];
	struct environment environment;
	struct supported supported = {.arena = c->arena};
	if (run->options.no_scorep || run->options.dry_run)
		return;
	environment_init(&environment, c->arena, environ);
	if (run_plan_export(&run->plan, &environment).len > 0 ||
	    bindings_are_prepared(&environment))
		return;
	supported.scorep_config = environment_find_program(&environment, "scorep-config");
	if (supported.scorep_config != NULL && supported_refuses(&supported, program) &&
	    may_be_measured(run, &environment))
		supported_report(&supported, program, &c->diags, DIAG_ARGS_OPTION);
}

static void build(struct compilation *c, const struct options *options, void *data)
{
	struct run *run = data;
	struct taken taken = {.arena = c->arena};
	struct outputs outputs = {.progress = run->report.told};
	(void)options;
	name_set_init(&taken.paths, c->arena);
	if (choose_program(run, &c->ir) < 0)
		return;
	/* Not earlier: reading the notebook may be interrupted. */
	launch_guard_begin(&run->guard);
	run->guarded = true;
	if ((run->options.temporary && !run->options.dry_run && make_scratch(run, c) < 0) ||
	    build_write(c, &run->options, &taken, &outputs) < 0)
		return;
	plan_program(run, c, outputs.files.items[0].path, outputs.runtime);
	run->run_script = arena_dup(arena_of(run), slice_from(outputs.files.items[1].path));
	check_support(run, c);
	run_report_take(&run->report, c);
	run->built = true;
}

static int refuse_program(struct run *run)
{
	struct arena *arena = arena_of(run);
	const char *wanted = run->options.program;
	if (wanted == NULL)
		return cli_usage_error(
		        arena,
		        "the notebook has %zu programs: %.*s; --program names the one to run",
		        run->program_count, SLICE_ARG(run->programs));
	return cli_usage_error(arena, "the notebook has no program '%s', but %.*s", wanted,
	                       SLICE_ARG(run->programs));
}

/* Is the program to be measured? 1, 0, or -1: it must not run; that was said. */
static int is_measured(struct run *run, const char *python)
{
	struct arena *arena = arena_of(run);
	bool prepared = bindings_are_prepared(&run->environment);
	bool has_config =
	        prepared || environment_find_program(&run->environment, "scorep-config") != NULL;
	struct slice reason, missing = slice_make("", 0);
	if (run->options.no_scorep)
		return 0;
	/* Asking costs a start of Python: where all looks well, the program's own start tells. */
	run->asked = run->options.if_available || !has_config;
	if (!run->asked)
		return 1;
	enum bindings_answer answer = bindings_ask(&run->environment, python, &reason);
	if (answer == BINDINGS_MISSING)
		missing =
		        arena_printf(arena, "'%s' has no Score-P bindings (module 'scorep')%s",
		                     python, has_config ? "" : ", and no scorep-config is on PATH");
	else if (answer == BINDINGS_UNKNOWN)
		missing = arena_printf(arena, "'%s' cannot be asked for the Score-P bindings: %.*s",
		                       python, SLICE_ARG(reason));
	else if (!has_config)
		missing = SLICE("there are Score-P bindings, but no scorep-config is on PATH");
	if (missing.len == 0)
		return 1;
	if (run->options.if_available)
		return cli_fail(arena, 0, "", "note: this run is not measured: %.*s",
		                SLICE_ARG(missing));
	return cli_fail(arena, -1, INSTALL_HINT, "cannot measure: %.*s", SLICE_ARG(missing));
}

/* After a start that looked well. Status 1 is also what Python ends with when it finds no module scorep;
 * then nothing of the script has run. */
static bool had_no_bindings(struct run *run, const char *python, int status)
{
	struct slice reason;
	return !run->asked && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOTEBOOK &&
	       !bindings_are_prepared(&run->environment) &&
	       bindings_ask(&run->environment, python, &reason) == BINDINGS_MISSING;
}

/* As shells have it. What a user's own Ctrl-C does needs no word. */
static int exit_status(struct run *run, const struct launch_result *result)
{
	struct arena *arena = arena_of(run);
	int number = WIFSIGNALED(result->status) ? WTERMSIG(result->status) : 0;
	if (result->timed_out)
		return cli_fail(arena, result->was_slow ? EXIT_SIGNAL + SIGKILL : EXIT_TIMEOUT, "",
		                "the program ran for more than %g seconds (--timeout)%s",
		                run->timeout,
		                result->was_slow ? " and did not end when it was asked to" : "");
	if (number == 0)
		return WEXITSTATUS(result->status);
	if (number == SIGINT || number == SIGPIPE)
		return EXIT_SIGNAL + number;
	return cli_fail(arena, EXIT_SIGNAL + number, "", "the program was killed by signal %d",
	                number);
}

/* Starts ARGV, which has the runtime as DESCRIPTOR, or none where that is -1. */
static int start(struct run *run, const struct run_command *command, char **argv, int descriptor)
{
	struct arena *arena = arena_of(run);
	struct progress *progress = &run->report.progress;
	struct launch_order order = {
	        .argv = argv,
	        .environment = environment_list(&run->environment),
	        .timeout = run->timeout,
	        .kill_after = run->kill_after,
	};
	struct launch_result result;
	int number = launch_guard_pending(&run->guard);
	if (number != 0)
		return EXIT_SIGNAL + number;
	if (descriptor >= 0)
		order.given[order.given_count++] =
		        (struct launch_given){descriptor, RUNTIME_DESCRIPTOR};
	if (progress->writes >= 0) {
		order.given[order.given_count++] =
		        (struct launch_given){progress->writes, PROGRESS_DESCRIPTOR};
		order.watch = &progress->watch;
	}
	progress_begin(progress);
	if (launch(&order, &run->guard, &result) != 0)
		return cli_fail(arena, EXIT_SYSTEM, "", "cannot start '%s': %s", command->python,
		                strerror(errno));
	progress_end(progress, result.status == 0);
	if (command->measured && had_no_bindings(run, command->python, result.status))
		return cli_fail(arena, EXIT_SYSTEM, INSTALL_HINT,
		                "cannot measure: '%s' has no Score-P bindings (module 'scorep')",
		                command->python);
	return run_report_finish(&run->report, exit_status(run, &result));
}

/* As the run script has it. */
static bool wants_runtime(const struct run *run)
{
	const char *value = environment_get(&run->environment, SLICE("NBSCOREP_RUNTIME"));
	return value == NULL || strcmp(value, "no") != 0;
}

static int start_surrounded(struct run *run, const struct run_command *command, char **argv)
{
	struct progress *progress = &run->report.progress;
	struct slice runtime = run->plan.runtime;
	int descriptor = -1, status = EXIT_SYSTEM;
	if (run_report_begin(&run->report, &run->environment, command->measured,
	                     command->surrounded) != EXIT_DONE)
		return status;
	if (progress->writes >= 0)
		runtime = progress_runtime(arena_of(run), progress, runtime);
	if (command->surrounded)
		descriptor = runtime_file_open(runtime);
	if (command->surrounded && descriptor < 0)
		cli_fail(arena_of(run), 0, "", "cannot make a file in memory: %s", strerror(errno));
	else
		status = start(run, command, argv, descriptor);
	if (descriptor >= 0)
		close(descriptor);
	progress_close(progress);
	return status;
}

/* The ranks are the run script's: it starts them in batch jobs, too. */
static int start_run_script(struct run *run, const char *python, bool measured)
{
	struct arena *arena = arena_of(run);
	struct run_command command = {.python = "bash", .measured = measured};
	VECTOR(char *) words = {0};
	vec_push(arena, &words, arena_cstr(arena, SLICE("bash")));
	vec_push(arena, &words, arena_cstr(arena, run->run_script));
	for (size_t i = 0; i < run->options.arguments.count; i++)
		vec_push(arena, &words,
		         arena_cstr(arena, slice_from(run->options.arguments.items[i])));
	vec_push(arena, &words, NULL);
	/* No descriptor of this program gets through a launcher. */
	if (run_report_begin(&run->report, &run->environment, measured, false) != EXIT_DONE)
		return EXIT_SYSTEM;
	/* It exports the notebook's variables itself. */
	environment_init(&run->environment, arena, environ);
	environment_set(&run->environment, SLICE("PYTHON"), slice_from(python));
	environment_set(&run->environment, SLICE("NBSCOREP_MEASURE"),
	                measured ? SLICE("yes") : SLICE("no"));
	return start(run, &command, words.items, -1);
}

/* Opens TRACE in Vampir. Returns NULL, or why not. The viewer is the user's: it gets nothing of what
 * the notebook sets for its program. */
static const char *open_trace(struct run *run, struct slice trace)
{
	struct arena *arena = arena_of(run);
	struct environment users;
	environment_init(&users, arena, environ);
	const char *vampir = environment_find_program(&users, "vampir");
	if (vampir == NULL)
		return "there is no vampir on PATH";
	if (!vampir_has_display(&users))
		return "there is no display";
	if (vampir_open(&users, vampir, arena_cstr(arena, trace)) != 0)
		return arena_printf(arena, "it cannot be started: %s", strerror(errno)).ptr;
	return NULL;
}

/* Behind a run that went well and began at SINCE. */
static void show_trace(struct run *run, const char *directory, time_t since)
{
	struct slice trace = vampir_find_trace(arena_of(run), directory, run->plan.folder, since);
	const char *reason = trace.len > 0 ? open_trace(run, trace) : "there is no trace";
	const char *hint = trace.len > 0 ? "" : "SCOREP_ENABLE_TRACING=true makes one\n";
	if (reason != NULL && !run->options.quiet)
		cli_fail(arena_of(run), 0, hint, "note: Vampir is not opened, %s%s%.*s", reason,
		         trace.len > 0 ? "; open " : "", SLICE_ARG(trace));
}

static int refuse_unset(struct arena *arena, struct slice name)
{
	return cli_fail(arena, EXIT_NOTEBOOK, "",
	                "the notebook uses the environment variable '%.*s', which is not set",
	                SLICE_ARG(name));
}

static int start_program(struct run *run, const char *python, bool measured)
{
	struct arena *arena = arena_of(run);
	const struct options *options = &run->options;
	struct slice path, unset;
	if (options->ranks != NULL || options->launcher != NULL)
		return start_run_script(run, python, measured);
	if (measured && run_plan_make_parents(&run->environment, &path) != 0)
		return cli_fail(arena, EXIT_SYSTEM, "", "cannot make folder '%.*s': %s",
		                SLICE_ARG(path), strerror(errno));
	struct run_command command = {
	        .python = python,
	        .measured = measured,
	        .surrounded = wants_runtime(run),
	        .rest = options->arguments.items,
	        .rest_count = options->arguments.count,
	};
	char **argv = run_plan_command(&run->plan, &run->environment, &command, &unset);
	if (argv == NULL)
		return refuse_unset(arena, unset);
	return start_surrounded(run, &command, argv);
}

static int run_program(struct run *run)
{
	struct arena *arena = arena_of(run);
	struct slice unset = run_plan_export(&run->plan, &run->environment);
	if (unset.len > 0)
		return refuse_unset(arena, unset);
	if (chdir(run->plan.folder.ptr) != 0)
		return cli_fail(arena, EXIT_SYSTEM, "", "cannot go to folder '%s': %s",
		                run->plan.folder.ptr, strerror(errno));
	const char *named = python_find(&run->environment, run->python);
	const char *python = environment_find_program(&run->environment, named);
	if (python == NULL)
		return cli_fail(arena, EXIT_SYSTEM, "", "cannot find the Python '%s' on PATH",
		                named);
	int measured = is_measured(run, python);
	if (measured < 0)
		return EXIT_SYSTEM;
	const char *directory =
	        environment_get(&run->environment, SLICE("SCOREP_EXPERIMENT_DIRECTORY"));
	time_t began = time(NULL);
	int status = start_program(run, python, measured != 0);
	if (status == EXIT_DONE && measured && run->opens_vampir)
		show_trace(run, directory, began);
	return status;
}

static int build_and_run(struct run *run)
{
	int status = session_run(run->invocation, STDERR_FILENO, build, run);
	if (status == EXIT_DONE && run->unclear)
		return refuse_program(run);
	if (status != EXIT_DONE || !run->built || run->options.dry_run)
		return status;
	return run_program(run);
}

/* The temporary folder goes and signals act again also when memory runs out. */
static int run_guarded(struct run *run)
{
	jmp_buf out_of_memory;
	jmp_buf *before = arena_set_handler(arena_of(run), &out_of_memory);
	volatile int status = EXIT_SYSTEM;
	volatile bool failed = false;
	if (setjmp(out_of_memory) == 0)
		status = build_and_run(run);
	else
		failed = true;
	arena_set_handler(arena_of(run), before);
	int left = run->scratch == NULL ? 0 : scratch_remove(run->scratch);
	int error = errno;
	if (run->guarded)
		launch_guard_end(&run->guard);
	if (failed)
		arena_fail(arena_of(run));
	if (left != 0)
		cli_fail(arena_of(run), 0, "", "cannot remove folder '%s': %s", run->scratch,
		         strerror(error));
	return status;
}

/* "90", "1.5", "10m": as timeout(1) takes it. */
static bool read_seconds(const char *text, double *out)
{
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	double whole = 0, scale = 1;
	const char *at = text;
	bool digits = false, point = false;
	for (; ascii_is_digit(*at) || (*at == '.' && !point); at++) {
		point |= *at == '.';
		digits |= *at != '.';
		scale *= point && *at != '.' ? 10 : 1;
		if (*at != '.')
			whole = whole * 10 + (*at - '0');
	}
	const char *unit = *at == '\0' ? units : strchr(units, *at);
	if (!digits || unit == NULL || (at[0] != '\0' && at[1] != '\0') || whole / scale > 1e9)
		return false;
	*out = whole / scale * seconds[unit - units];
	return true;
}

/* As a run script has it. */
static const char *setting(const char *given, const char *name)
{
	const char *value = getenv(name);
	return given == NULL && value != NULL && value[0] != '\0' ? value : given;
}

static int check_options(struct run *run)
{
	struct arena *arena = arena_of(run);
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
	if (options->timeout != NULL && !read_seconds(options->timeout, &run->timeout))
		return cli_usage_error(arena, "'--timeout' wants seconds, not '%s'",
		                       options->timeout);
	if (options->kill_after != NULL && !read_seconds(options->kill_after, &run->kill_after))
		return cli_usage_error(arena, "'--kill-after' wants seconds, not '%s'",
		                       options->kill_after);
	int status = run_report_init(&run->report, arena, options);
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
	options.ranks = setting(options.ranks, "NBSCOREP_RANKS");
	options.launcher = setting(options.launcher, "NBSCOREP_LAUNCHER");
	own.options = &options;
	struct run run = {.invocation = &own, .options = options, .kill_after = KILL_AFTER};
	int status = check_options(&run);
	if (status != EXIT_DONE)
		return status;
	environment_init(&run.environment, own.arena, environ);
	run.python = python_path(own.arena, options.python);
	return run_guarded(&run);
}
