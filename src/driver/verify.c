/* The notebook is compiled first. Then Python compiles the cells one by one, without the calls that show last
 * expressions, because inside of such a call Python reads the cell otherwise, and the scripts as a whole. If cells
 * are to raise their errors, the notebook is compiled once more with the errors in their places. */
#include "driver/verify.h"

#include "base/name_set.h"
#include "base/os.h"
#include "base/paths.h"
#include "driver/configuration.h"
#include "emit/template.h"
#include "lex/lex.h"

#define SECONDS 10.0
#define UNTRUSTED_MEMORY ((size_t)2 << 30) /* bytes; 5 MB of code in one cell need 1 GB */

/* ---- which Python, and whether ---- */

struct verifier verifier_make(struct arena *arena)
{
	struct verifier verifier = {.arena = arena};
	environment_init(&verifier.environment, arena);
	/* pyenv looks there for a .python-version, instead of in the folder in which it is started. */
	if (environment_get(&verifier.environment, SLICE("PYENV_DIR")) != NULL)
		environment_set(&verifier.environment, SLICE("PYENV_DIR"), SLICE("/"));
	return verifier;
}

const char *verify_configured_python(struct compilation *c)
{
	const struct config_value *value = &c->config.python;
	bool is_users = value->source == CONFIG_SYSTEM || value->source == CONFIG_USER ||
	                value->source == CONFIG_COMMAND_LINE;
	bool starts_it = c->options.build.purpose == BUILD_TO_RUN && !c->options.build.dry_run;
	struct slice python = configuration_python(c);
	if (python.len == 0 || !(is_users || starts_it))
		return NULL;
	if (slice_has(python, '/'))
		python = path_join(c->arena, compile_folder(c), python);
	return arena_cstr(c->arena, python);
}

static void choose_python(struct verifier *verifier, const struct build_settings *given,
                          struct compilation *c)
{
	char front[2];
	const char *configured = verify_configured_python(c);
	const char *named = python_find(c->arena, given->python, configured);
	verifier->uncertain = (config_has_steps(&c->config) && strchr(named, '/') == NULL) ||
	                      (c->config.python.value != NULL && configured == NULL &&
	                       !python_is_named(given->python));
	if (verifier->named != NULL && strcmp(verifier->named, named) == 0)
		return;
	verifier_end(verifier);
	verifier->named = arena_cstr(verifier->arena, slice_from(named));
	verifier->known_problem = NULL;
	const char *file = environment_find_program(&verifier->environment, named);
	verifier->missing = file != NULL ? 0 : strchr(named, '/') == NULL ? ENOENT : errno;
	struct slice here = os_real_path(verifier->arena, SLICE("."));
	if (file != NULL && file[0] != '/' && here.len == 0)
		verifier->missing = errno;
	if (file != NULL && verifier->missing == 0)
		file = path_join(verifier->arena, here, slice_from(file)).ptr;
	verifier->is_script = verifier->missing == 0 &&
	                      os_read_front(file, front, sizeof front) == sizeof front &&
	                      front[0] == '#' && front[1] == '!';
	verifier->checker = (struct python_checker){
	        .python = file,
	        .program = arena_printf(verifier->arena, "%.*s%.*s%.*s",
	                                SLICE_ARG(template_text(SLICE("names.py"))),
	                                SLICE_ARG(template_text(SLICE("lints.py"))),
	                                SLICE_ARG(template_text(SLICE("verify.py"))))
	                           .ptr,
	        .environment = environment_list(&verifier->environment),
	};
}

/* Takes over what was GIVEN on the command line and the settings in force for the notebook of C. */
static void verifier_configure(struct verifier *verifier, const struct build_settings *given,
                               struct compilation *c)
{
	const struct build_settings *settings = &c->options.build;
	enum { CPU_MOST = 1000000 };
	bool makes_script = given->purpose >= BUILD_TO_WRITE;
	const char *variable = getenv("NBSCOREP_VERIFY");
	/* The command line is stronger than the environment, which is stronger than configurations. */
	bool is_off = given->no_verify ||
	              (!given->verify &&
	               (settings->no_verify || (variable != NULL && strcmp(variable, "0") == 0)));
	verifier->raises = settings->broken_cells == BROKEN_CELLS_RAISE;
	verifier->required = settings->verify || (given->python != NULL && !makes_script);
	verifier->wanted = (makes_script || given->purpose == BUILD_TO_REPORT || verifier->raises ||
	                    verifier->required) &&
	                   !is_off;
	if (!verifier->wanted)
		return;
	choose_python(verifier, given, c);
	double seconds =
	        settings->verify_timeout.given ? settings->verify_timeout.seconds : SECONDS;
	verifier->checker.limits = (struct process_limits){.seconds = seconds};
	if (!given->untrusted.given)
		return;
	/* The time limit holds for the processor time, too, in case this program is stopped and cannot end
	 * Python. One that answers for many notebooks reaches it: the next one starts then. */
	verifier->checker.limits.resources.memory = UNTRUSTED_MEMORY;
	if (seconds > 0 && seconds < CPU_MOST)
		verifier->checker.limits.resources.cpu_seconds = (unsigned)seconds + 1;
}

void verifier_end(struct verifier *verifier)
{
	process_end(&verifier->checker.process);
}

/* ---- one notebook ---- */

/* A notebook that is compiled, perhaps again. */
struct attempt {
	struct verifier *verifier;
	struct compilation *c;
	fault_list raised; /* errors that cells raise */
	finding_list findings;
	enum python_answer answer;
	struct slice reason; /* if Python has not checked the scripts */
};

/* Moves those of FAULTS from the list whose cells, of the notebook itself, raise their errors instead of ending the
 * compilation. Returns true if there are any. */
static bool raise_faults(struct attempt *a, fault_list *faults)
{
	struct arena *arena = a->c->arena;
	struct ir_options *options = &a->c->options;
	size_t left = 0, count = faults->count;
	for (size_t i = 0; i < count; i++) {
		const struct python_fault *fault = &faults->items[i];
		if (fault->block == NULL || fault->where.file.len > 0 ||
		    (!a->verifier->raises && !fault->block->code->may_raise)) {
			faults->items[left++] = *fault;
			continue;
		}
		if (options->broken == NULL)
			options->broken =
			        arena_calloc(arena, (size_t)notebook_last_cell(&a->c->notebook) + 1,
			                     sizeof *options->broken);
		options->broken[fault->where.cell] =
		        (struct broken_cell){fault->where, fault->type, fault->message};
		vec_push(arena, &a->raised, *fault);
	}
	faults->count = left;
	return left < count;
}

/* ---- reporting ---- */

/* Without Python: an error if it is required, else a remark. */
static void report_unverified(struct attempt *a)
{
	struct verifier *verifier = a->verifier;
	struct compilation *c = a->c;
	struct slice reason = a->reason;
	struct location nowhere = {0};
	if (verifier->required) {
		diag_add(&c->diags, DIAG_IO, nowhere, "cannot compile the script with '%s': %.*s",
		         verifier->named, SLICE_ARG(reason));
		return;
	}
	if (verifier->known_problem != NULL &&
	    slice_eq(slice_from(verifier->known_problem), reason))
		return;
	if (slice_eq(reason, slice_from(strerror(ENOENT))))
		diag_add(&c->diags, DIAG_NOT_VERIFIED, nowhere,
		         "Python '%s' does not exist, so the script is not checked",
		         verifier->named);
	else
		diag_add(&c->diags, DIAG_NOT_VERIFIED, nowhere,
		         "'%s' did not check the script: %.*s", verifier->named, SLICE_ARG(reason));
	if (a->answer == PYTHON_TOO_SLOW)
		diag_hint(&c->diags, DIAG_NOT_VERIFIED,
		          "--verify-timeout=SECONDS gives it more time");
	else if (a->answer != PYTHON_TOO_LARGE)
		diag_hint(&c->diags, DIAG_NOT_VERIFIED, "--python or PYTHON names another Python");
	if (a->answer == PYTHON_UNUSABLE)
		verifier->known_problem = arena_cstr(verifier->arena, reason);
}

/* The reason may be that the script is for another Python than this one. */
static bool is_for_newer(const struct verifier *verifier, const struct python_fault *fault)
{
	return fault->taken_by > PYTHON_3 && verifier->checker.version > 0;
}

static void report_fault(struct attempt *a, enum diag_kind kind, const struct python_fault *fault)
{
	struct compilation *c = a->c;
	struct verifier *verifier = a->verifier;
	unsigned version = verifier->checker.version;
	struct slice message = fault->message;
	/* Python begins some of its messages with a capital letter, others with a name in capitals. */
	if (message.len > 1 && ascii_lower(message.ptr[1]) == message.ptr[1])
		message = arena_printf(c->arena, "%c%.*s", ascii_lower(message.ptr[0]),
		                       SLICE_ARG(slice_tail(message, 1)));
	if (fault->block == NULL) {
		diag_add(&c->diags, kind, fault->where, "the script does not compile: %.*s",
		         SLICE_ARG(message));
		return;
	}
	if (fault->block->code->language.len > 0)
		diag_add(&c->diags, kind, block_cell_location(fault->block),
		         "the cell's language is '%.*s' by its metadata, not Python",
		         SLICE_ARG(fault->block->code->language));
	else
		diag_add(&c->diags, kind, fault->where, "%.*s", SLICE_ARG(message));
	if (fault->block->code->language.len > 0)
		diag_hint(&c->diags, kind, "tag the cell 'skip' to leave it out");
	else if (fault->taken_by == PYTHON_2)
		diag_hint(&c->diags, kind, "this is Python 2, but the script runs with Python 3");
	else if (is_for_newer(verifier, fault))
		diag_hint(&c->diags, kind,
		          "Python %u.%u may take this, but '%s' is Python %u.%u; --python names "
		          "another one",
		          fault->taken_by / 100, fault->taken_by % 100, verifier->named,
		          version / 100, version % 100);
	else if (kind == DIAG_PYTHON_SYNTAX && !verifier->hinted && fault->where.file.len == 0)
		diag_hint(&c->diags, kind,
		          "--broken-cells=raise compiles the other cells all the same");
	verifier->hinted |= kind == DIAG_PYTHON_SYNTAX && fault->taken_by == PYTHON_NONE;
}

/* The name of the cell at WHERE, of the notebook or of an included one. */
static struct slice cell_name(struct arena *arena, const struct location *where)
{
	return arena_printf(arena, "%u %.*s", where->cell, SLICE_ARG(where->file));
}

/* True if the lexer reported the same fault of a cell as Python, in other words. */
static bool is_said_twice(const struct diag *diag, void *data)
{
	const struct name_set *broken = data;
	return (diag->kind == DIAG_LEX || diag->kind == DIAG_NUL) &&
	       name_set_has(broken, cell_name(broken->arena, &diag->where));
}

/* FAULTS are those that are not raised. */
static void report_faults(struct attempt *a, const fault_list *faults)
{
	struct name_set broken = {.arena = a->c->arena};
	for (size_t i = 0; i < faults->count; i++) {
		if (faults->items[i].block != NULL)
			name_set_add(&broken, cell_name(a->c->arena, &faults->items[i].where));
	}
	diags_remove(&a->c->diags, is_said_twice, &broken);
	vec_each(const struct python_fault, fault, faults) {
		/* Another Python that runs the script may accept it: then it is not an error. */
		bool may_run = a->verifier->uncertain && fault->block != NULL &&
		               is_for_newer(a->verifier, fault);
		report_fault(a, may_run ? DIAG_NEWER_PYTHON : DIAG_PYTHON_SYNTAX, fault);
	}
	for (size_t i = 0; a->verifier->raises && i < a->raised.count; i++)
		report_fault(a, DIAG_BROKEN_CELL, &a->raised.items[i]);
}

/* True if the instrumenter, which the arguments of PROGRAM choose, has set the hook of a profiler that BLOCK starts:
 * FOR_TRACE, sys.settrace(), else sys.setprofile(). */
static bool has_hook(const struct program *program, const struct block *block, bool for_trace)
{
	struct slice chosen = SLICE("cProfile"), text;
	for (size_t i = 0; i < program->arguments.count; i++) {
		struct slice argument = program->arguments.items[i].text;
		if (slice_eq(argument, SLICE("--noinstrumenter")) ||
		    slice_eq(argument, SLICE("--nopython")))
			return false;
		if (slice_cut_prefix(&argument, SLICE("--instrumenter-type=")))
			chosen = argument;
	}
	bool traces = slice_eq(chosen, SLICE("trace")) || slice_eq(chosen, SLICE("cTrace"));
	if (block->kind != BLOCK_EXECUTE)
		return false;
	/* A cell that calls Score-P's disable() avoids the conflict itself. */
	text = block->code->lexed->text;
	return !slice_eq(chosen, SLICE("dummy")) && traces == for_trace &&
	       slice_find_slice(text, SLICE("instrumenter.disable"), 0) == text.len;
}

static void report_findings(struct compilation *c, const finding_list *findings)
{
	vec_each(const struct python_finding, finding, findings) {
		if (finding->kind == DIAG_OTHER_PROFILER &&
		    !has_hook(finding->program, finding->block, finding->number != 0))
			continue;
		diag_add(&c->diags, finding->kind, finding->where, "%.*s",
		         SLICE_ARG(finding->message));
		if (finding->hint.len > 0)
			diag_hint(&c->diags, finding->kind, "%.*s", SLICE_ARG(finding->hint));
	}
}

/* ---- asking ---- */

/* Adds the faults that Python finds in the scripts to FAULTS, and sets a->answer and a->findings. */
static void ask_python(struct attempt *a, fault_list *faults)
{
	struct verifier *verifier = a->verifier;
	a->answer = PYTHON_UNUSABLE;
	a->reason = slice_from(strerror(verifier->missing));
	if (verifier->missing != 0)
		return;
	a->answer = PYTHON_CHECKED;
	verifier->uncertain |= verifier->is_script;
	vec_each(const struct program, program, &a->c->ir.programs) {
		if (a->answer == PYTHON_CHECKED)
			a->answer = python_faults(&verifier->checker, a->c, program, faults,
			                          &a->findings, &a->reason);
		/* The notebook itself chooses the Python that runs it. */
		verifier->uncertain |= program_setting(program, SLICE("PATH")) != NULL ||
		                       program_setting(program, SLICE("PYTHON")) != NULL;
	}
}

int verify_compile(struct verifier *verifier, struct compilation *c,
                   const struct build_settings *given)
{
	fault_list faults = {0};
	verifier_configure(verifier, given, c);
	struct attempt a = {.verifier = verifier, .c = c};
	const struct diags before = c->diags;
	size_t needed = c->needed.count;
	c->options.keeps_broken_bodies = verifier->raises;
	int status = compile_build(c);
	if (status == 0 && verifier->wanted) {
		ask_python(&a, &faults);
		if (a.answer != PYTHON_CHECKED) {
			faults.count = 0;
		} else if (raise_faults(&a, &faults)) { /* compile again from the start */
			diags_rewind(&c->diags, &before);
			c->needed.count = needed;
			status = compile_build(c);
		}
		report_faults(&a, &faults);
		report_findings(c, &a.findings);
		if (status == 0 && a.answer != PYTHON_CHECKED)
			report_unverified(&a);
	}
	return status < 0 || c->diags.errors > 0 ? -1 : 0;
}
