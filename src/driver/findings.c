#include "driver/findings.h"

static void report_later(struct compilation *c, const struct finding *finding)
{
	struct slice word = finding->python.word, title = block_title(c->arena, finding->other);
	if (finding->other == finding->block) {
		diag_add(&c->diags, DIAG_UNDEFINED_NAME, finding->where,
		         "'%.*s' is used before line %u of the cell defines it", SLICE_ARG(word),
		         finding->other_line);
		return;
	}
	diag_add(&c->diags, DIAG_UNDEFINED_NAME, finding->where,
	         "'%.*s' is used before %.*s defines it", SLICE_ARG(word), SLICE_ARG(title));
	diag_hint(&c->diags, DIAG_UNDEFINED_NAME, "move the definition before this cell");
}

/* True if the instrumenter, which the arguments of PROGRAM choose, has set the HOOK while BLOCK runs. */
static bool has_hook(const struct program *program, const struct block *block, unsigned hook)
{
	static const struct slice type = SLICE_INIT("--instrumenter-type=");
	struct slice chosen = SLICE("cProfile"), text = block->code.text;
	for (size_t i = 0; i < program->arguments.count; i++) {
		struct slice argument = program->arguments.items[i].text;
		if (slice_eq(argument, SLICE("--noinstrumenter")) ||
		    slice_eq(argument, SLICE("--nopython")))
			return false;
		if (slice_starts_with(argument, type))
			chosen = slice_sub(argument, type.len, argument.len);
	}
	bool traces = slice_eq(chosen, SLICE("trace")) || slice_eq(chosen, SLICE("cTrace"));
	/* A cell that calls Score-P's disable() avoids the conflict itself. */
	return block->kind == BLOCK_EXECUTE && !slice_eq(chosen, SLICE("dummy")) &&
	       traces == (hook == HOOK_TRACE) &&
	       slice_find_slice(text, SLICE("instrumenter.disable"), 0) == text.len;
}

static void report_profiler(struct compilation *c, const struct finding *finding)
{
	unsigned hook = finding->python.number;
	if (!has_hook(finding->program, finding->block, hook))
		return;
	diag_add(&c->diags, DIAG_OTHER_PROFILER, finding->where,
	         "'%.*s' replaces Score-P's instrumenter%s, and the measurement is lost",
	         SLICE_ARG(finding->python.other),
	         hook == HOOK_PROFILE_312 ? " up to Python 3.11" : "");
	diag_hint(&c->diags, DIAG_OTHER_PROFILER,
	          "use %%%%execute_with_scorep in other cells only, or pass --noinstrumenter to "
	          "the bindings");
}

static void report(struct compilation *c, const struct finding *finding)
{
	struct diags *diags = &c->diags;
	struct location where = finding->where;
	struct slice word = finding->python.word, other = finding->python.other;
	switch (finding->python.kind) {
	case FINDING_UNDEFINED:
		diag_add(diags, DIAG_UNDEFINED_NAME, where, "no cell defines '%.*s'",
		         SLICE_ARG(word));
		if (other.len > 0)
			diag_hint(diags, DIAG_UNDEFINED_NAME, "did you mean '%.*s'?",
			          SLICE_ARG(other));
		break;
	case FINDING_SET_LATER:
		report_later(c, finding);
		break;
	case FINDING_LEFT_OUT:
		diag_add(diags, DIAG_UNDEFINED_NAME, where,
		         "only %.*s defines '%.*s', but that cell is left out of the script",
		         SLICE_ARG(block_title(c->arena, finding->other)), SLICE_ARG(word));
		break;
	case FINDING_ONLY_PYTHON_2:
		diag_add(diags, DIAG_UNDEFINED_NAME, where, "'%.*s' exists only in Python 2",
		         SLICE_ARG(word));
		if (other.len > 0)
			diag_hint(diags, DIAG_UNDEFINED_NAME, "use %.*s", SLICE_ARG(other));
		break;
	case FINDING_DELETED:
		diag_add(diags, DIAG_UNDEFINED_NAME, where, "'%.*s' is used after %.*s deletes it",
		         SLICE_ARG(word),
		         SLICE_ARG(finding->other == finding->block
		                           ? SLICE("the cell")
		                           : block_title(c->arena, finding->other)));
		break;
	case FINDING_OS_EXIT:
		diag_add(diags, DIAG_OS_EXIT, where,
		         "os._exit() ends the process immediately, and Score-P's data are lost");
		diag_hint(
		        diags, DIAG_OS_EXIT,
		        "use sys.exit() to keep the data; in the child of os.fork(), os._exit() is "
		        "correct");
		break;
	case FINDING_JUMPER_PACKAGE:
		diag_add(
		        diags, DIAG_JUMPER_PACKAGE, where,
		        "the script imports JUmPER, which must be installed where the script runs");
		diag_hint(diags, DIAG_JUMPER_PACKAGE,
		          "use %%perfmonitor_start or 'nbscorep run --monitor' to sample without "
		          "JUmPER");
		break;
	case FINDING_SCOREP_ENVIRON:
		diag_add(diags, DIAG_SCOREP_ENVIRON, where,
		         "Score-P reads its variables before the script starts; setting %.*s here "
		         "has no effect",
		         SLICE_ARG(word));
		diag_hint(diags, DIAG_SCOREP_ENVIRON,
		          "use %%env in a separate cell; the run script exports the variable");
		break;
	case FINDING_PROCESSES:
		diag_add(diags, DIAG_PROCESSES, where,
		         "functions that run in the processes of %.*s() are not measured",
		         SLICE_ARG(word));
		diag_hint(diags, DIAG_PROCESSES,
		          "use threads, or ranks of MPI (--ranks), which are measured");
		break;
	case FINDING_OWN_NAME:
		diag_add(diags, DIAG_SCOREP_NAME, where,
		         "the script uses this name for %s, and fails if it is redefined",
		         slice_eq(word, SLICE("scorep")) ? "Score-P's bindings"
		                                         : "its runtime package");
		break;
	case FINDING_PROFILER:
		report_profiler(c, finding);
		break;
	case FINDING_KIND_COUNT:
		break;
	}
}

void findings_report(struct compilation *c, const finding_list *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		report(c, &findings->items[i]);
}
