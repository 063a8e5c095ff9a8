
#include "cli/notebooks.h"
#include "run/run.h"

static int check_options(struct arena *arena, const struct options *options)
{
	bool sweeps = options->build.sweep.given;
	if (options->run.vampir && options->build.no_scorep)
		return message_usage(arena, "'--no-scorep' and '--vampir' exclude each other");
	if (options->build.temporary &&
	    (options->build.output != NULL || options->build.output_dir != NULL))
		return message_usage(arena, "'--temporary' is the output folder");
	if (options->build.output != NULL && strcmp(options->build.output, "-") == 0)
		return message_usage(arena, "'run' runs a file; standard output is not one");
	if (!sweeps && (options->run.only != NULL || options->run.jobs > 0))
		return message_usage(arena, "'%s' is for a sweep; '--sweep' runs one",
		                     options->run.only != NULL ? "--only" : "--jobs");
	/* Each run of a sweep has its own folder, and reports nothing to this program. */
	const char *wrong = !sweeps                           ? NULL
	                    : options->build.temporary        ? "--temporary"
	                    : options->run.cell_times != NULL ? "--cell-times"
	                    : options->run.vampir             ? "--vampir"
	                    : options->run.report             ? "--report"
	                    : options->run.summary            ? "--summary"
	                                                      : NULL;
	return wrong == NULL ? EXIT_DONE
	                     : message_usage(arena, "'--sweep' and '%s' exclude each other", wrong);
}

int command_run(struct arena *arena, struct options *options)
{
	struct build_settings *settings = &options->build;
	/* The variables that a run script takes. */
	const char *ranks = getenv("NBSCOREP_RANKS"), *launcher = getenv("NBSCOREP_LAUNCHER");
	struct run run;
	if (settings->launcher == NULL && launcher != NULL && launcher[0] != '\0')
		settings->launcher = launcher;
	if (settings->ranks == 0 && ranks != NULL && ranks[0] != '\0' &&
	    !setting_read_count(ranks, &settings->ranks))
		return message_usage(arena,
		                     "NBSCOREP_RANKS is a whole number from 1 to 9999999, not '%s'",
		                     ranks);
	if (build_check_run(arena, COMMAND_RUN, options) != EXIT_DONE ||
	    check_options(arena, options) != EXIT_DONE ||
	    run_init(&run, arena, &options->build, &options->run) != EXIT_DONE ||
	    notebooks_check(arena, COMMAND_RUN, options) != EXIT_DONE)
		return EXIT_USAGE;
	return run_notebook(&run, options);
}
