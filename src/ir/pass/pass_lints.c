/* Warnings about code that does not do what its author expects. */
#include "base/paths.h"
#include "ir/analysis/profilers.h"
#include "ir/pass.h"
#include "lex/lex.h"
#include "lex/statements.h"
#include "lex/syntax.h"
#include "lex/syntax_assignments.h"
#include "lex/syntax_layout.h"

struct linter {
	struct pass_context *context;
	struct program *program;
	struct slice script; /* name of the script without folder and .py */
	struct profiler_search profilers;
	bool may_start_workers; /* a module that starts worker processes is imported */
	bool reported_workers;  /* at the first call that starts them */
};

/* In the folder of a script scorep.py, `python -m scorep` finds that script before the bindings. */
static void check_bindings(struct linter *linter)
{
	if (!slice_eq(linter->script, SLICE("scorep")))
		return;
	diag_add(linter->context->diags, DIAG_NAME, linter->program->where,
	         "the script 'scorep.py' hides Score-P's bindings, also from other scripts in its "
	         "folder");
	diag_hint(linter->context->diags, DIAG_NAME,
	          "rename the script with -o or %%%%start_writefile");
}

/* True if the cell's code contains `before[0] before[1] ...` before token AT. */
static bool preceded_by(const struct lexed_cell *cell, uint32_t at, const char *const *before,
                        size_t count)
{
	while (count > 0) {
		uint32_t previous = syntax_previous(cell, at);
		if (previous == at || !syntax_is(cell, previous, slice_from(before[--count])))
			return false;
		at = previous;
	}
	return true;
}

static bool followed_by_assignment(const struct lexed_cell *cell, uint32_t at)
{
	uint32_t count = (uint32_t)cell->tokens.count, bracket = syntax_next(cell, at + 1, count);
	return syntax_is(cell, bracket, SLICE("]")) &&
	       syntax_is(cell, syntax_next(cell, bracket + 1, count), SLICE("="));
}

/* "SCOREP_..." and SCOREP_... */
static bool is_scorep_name(struct slice text, enum token_kind kind)
{
	struct slice name = slice_sub(text, kind == TOKEN_STRING, text.len);
	return (kind == TOKEN_STRING || kind == TOKEN_NAME) &&
	       slice_starts_with(name, SLICE("SCOREP_"));
}

/* environ.update(SCOREP_...=), environ.update({"SCOREP_...":}), environ |= {"SCOREP_...":} */
static bool is_key_of_update(const struct lexed_cell *cell, uint32_t at)
{
	static const char *const update[] = {"environ", ".", "update"};
	static const char *const join[] = {"environ", "|="};
	enum { REACH = 1000 }; /* tokens: limits the time for many keys */
	uint32_t behind = syntax_next(cell, at + 1, (uint32_t)cell->tokens.count);
	if (!syntax_is(cell, behind, SLICE("=")) && !syntax_is(cell, behind, SLICE(":")))
		return false;
	unsigned closed = 0, count = 0;
	for (uint32_t previous; count < REACH && (previous = syntax_previous(cell, at)) != at;
	     at = previous, count++) {
		bool brace = syntax_is(cell, previous, SLICE("{"));
		bool opens = brace || syntax_is(cell, previous, SLICE("("));
		closed += syntax_is(cell, previous, SLICE(")")) ||
		          syntax_is(cell, previous, SLICE("}"));
		if (opens && closed > 0)
			closed--;
		else if (opens && (preceded_by(cell, previous, update, 3) ||
		                   preceded_by(cell, previous, join, 2)))
			return true;
		else if (opens && !brace)
			return false;
	}
	return false;
}

/* os.environ["SCOREP_..."] = ..., os.environ.setdefault("SCOREP_..."), os.putenv("SCOREP_..."). */
static bool sets_environ(const struct lexed_cell *cell, uint32_t at)
{
	static const char *const item[] = {"environ", "["};
	static const char *const setdefault[] = {"environ", ".", "setdefault", "("};
	static const char *const putenv[] = {"putenv", "("};
	return (preceded_by(cell, at, item, 2) && followed_by_assignment(cell, at)) ||
	       preceded_by(cell, at, setdefault, 4) || preceded_by(cell, at, putenv, 2);
}

static void find_environ(struct linter *linter, const struct block *block)
{
	const struct lexed_cell *cell = block->lexed;
	if (!name_filter_may_have(&cell->names, SLICE("environ")) &&
	    !name_filter_may_have(&cell->names, SLICE("putenv")))
		return;
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		const struct token *token = &cell->tokens.items[i];
		if (!is_scorep_name(token_text(cell, token), token->kind) ||
		    !(is_key_of_update(cell, i) ||
		      (token->kind == TOKEN_STRING && sets_environ(cell, i))))
			continue;
		diag_add(linter->context->diags, DIAG_SCOREP_ENVIRON,
		         block_location(block, token->offset, token->len),
		         "Score-P reads its variables before the script starts; setting %.*s here "
		         "has no effect",
		         SLICE_ARG(token_text(cell, token)));
		diag_hint(linter->context->diags, DIAG_SCOREP_ENVIRON,
		          "use %%env in a separate cell; the run script exports the variable");
	}
}

static struct location token_location(const struct block *block, const struct token *token)
{
	return block_location(block, token->offset, token->len);
}

/* os._exit: a call of it, or its import. */
static void check_exit(struct linter *linter, const struct block *block, uint32_t at)
{
	static const char *const attribute[] = {"os", "."};
	static const char *const import[] = {"from", "os", "import"};
	const struct token *token = &block->lexed->tokens.items[at];
	if (!syntax_is(block->lexed, at, SLICE("_exit")) ||
	    !(preceded_by(block->lexed, at, attribute, 2) ||
	      preceded_by(block->lexed, at, import, 3)))
		return;
	diag_add(linter->context->diags, DIAG_OS_EXIT, token_location(block, token),
	         "os._exit() ends the process immediately, and Score-P's data are lost");
	diag_hint(linter->context->diags, DIAG_OS_EXIT,
	          "use sys.exit() to keep the data; in the child of os.fork(), os._exit() is "
	          "correct");
}

/* Returns the current name of NAME, a name of the first generation of the bindings, or NULL. */
static const char *name_of_today(struct slice name)
{
	static const char *const names[][2] = {
	        {"register", "instrumenter.register"},
	        {"unregister", "instrumenter.unregister"},
	        {"user_region_begin", "user.region_begin"},
	        {"user_region_end", "user.region_end"},
	        {"user_enable_recording", "user.enable_recording"},
	        {"user_disable_recording", "user.disable_recording"},
	        {"user_parameter_int", "user.parameter_int"},
	        {"user_parameter_uint", "user.parameter_uint"},
	        {"user_parameter_string", "user.parameter_string"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (slice_eq(name, slice_from(names[i][0])))
			return names[i][1];
	}
	return NULL;
}

static bool stands_in_import_of_scorep(const struct lexed_cell *cell, uint32_t at)
{
	uint32_t count = (uint32_t)cell->tokens.count;
	const struct syntax_statement *statement = syntax_statement_at(cell, at);
	if (statement == NULL || !syntax_is(cell, statement->first_token, SLICE("from")))
		return false;
	uint32_t module = syntax_next(cell, statement->first_token + 1, count);
	return syntax_is(cell, module, SLICE("scorep")) &&
	       syntax_is(cell, syntax_next(cell, module + 1, count), SLICE("import"));
}

/* scorep.register() and similar: a helper adds them to the current bindings. */
static void check_old_name(struct linter *linter, const struct block *block, uint32_t at)
{
	static const char *const attribute[] = {"scorep", "."};
	const struct token *token = &block->lexed->tokens.items[at];
	struct slice name = token_text(block->lexed, token);
	const char *today = name_of_today(name);
	if (today == NULL || !(preceded_by(block->lexed, at, attribute, 2) ||
	                       stands_in_import_of_scorep(block->lexed, at)))
		return;
	linter->program->effects |= NEED_OLD_BINDINGS;
	diag_add(linter->context->diags, DIAG_OLD_NAME, token_location(block, token),
	         "'scorep.%.*s' is a name of the first bindings, which the script supports; use "
	         "'scorep.%s'",
	         SLICE_ARG(name), today);
}

/* def scorep(), class scorep, for scorep in x, (scorep := x), outside of functions and classes. */
static bool is_set_by_statement(const struct lexed_cell *cell, uint32_t at)
{
	const struct syntax_statement *statement = syntax_statement_at(cell, at);
	if (statement == NULL || cell->logical.items[statement->logical].column > 0)
		return false;
	uint32_t behind = syntax_next(cell, at + 1, (uint32_t)cell->tokens.count);
	uint32_t previous = syntax_previous(cell, at);
	bool names =
	        previous == statement->first_token && (syntax_is(cell, previous, SLICE("def")) ||
	                                               syntax_is(cell, previous, SLICE("class")) ||
	                                               syntax_is(cell, previous, SLICE("for")));
	return names || syntax_is(cell, behind, SLICE(":="));
}

/* import os as scorep, del scorep. */
static bool is_bound_anew(const struct block *block, uint32_t at)
{
	static const char *const import[] = {"import", "scorep", "as"};
	static const char *const as[] = {"as"}, *const del[] = {"del"};
	const struct lexed_cell *cell = block->lexed;
	return (preceded_by(cell, at, as, 1) && !preceded_by(cell, at, import, 3)) ||
	       preceded_by(cell, at, del, 1) || is_set_by_statement(cell, at);
}

/* Warns where the cell sets NAME, by which the script knows WHAT. */
static void check_own_name(struct linter *linter, const struct block *block, struct slice name,
                           const char *what)
{
	const struct lexed_cell *cell = block->lexed;
	syntax_assignment_list assignments = {0};
	uint32_t found = UINT32_MAX;
	if (!name_filter_may_have(&cell->names, name))
		return;
	syntax_assignments(linter->context->arena, cell, &assignments);
	for (size_t i = 0; i < assignments.count && found == UINT32_MAX; i++) {
		if (slice_eq(assignments.items[i].name, name))
			found = assignments.items[i].token;
	}
	for (uint32_t i = 0; i < cell->tokens.count && found == UINT32_MAX; i++) {
		if (syntax_is(cell, i, name) && is_bound_anew(block, i))
			found = i;
	}
	if (found == UINT32_MAX)
		return;
	diag_add(linter->context->diags, DIAG_SCOREP_NAME,
	         token_location(block, &cell->tokens.items[found]),
	         "the script uses this name for %s, and fails if it is redefined", what);
}

/* import jumper_extension, from jumper_extension.core.service import build_perfmonitor_service. */
static void check_jumper(struct linter *linter, const struct block *block, uint32_t at)
{
	static const char *const import[] = {"import"}, *const from[] = {"from"};
	if (!syntax_is(block->lexed, at, SLICE("jumper_extension")) ||
	    !(preceded_by(block->lexed, at, import, 1) || preceded_by(block->lexed, at, from, 1)))
		return;
	diag_add(linter->context->diags, DIAG_JUMPER_PACKAGE,
	         token_location(block, &block->lexed->tokens.items[at]),
	         "the script imports JUmPER, which must be installed where the script runs");
	diag_hint(linter->context->diags, DIAG_JUMPER_PACKAGE,
	          "use %%perfmonitor_start or 'nbscorep run --monitor' to sample without JUmPER");
}

static void check_names(struct linter *linter, const struct block *block)
{
	const struct name_filter *names = &block->lexed->names;
	if (!name_filter_may_have(names, SLICE("_exit")) &&
	    !name_filter_may_have(names, SLICE("jumper_extension")) &&
	    !name_filter_may_have(names, SLICE("scorep")) &&
	    !profilers_may_stand(&linter->profilers))
		return;
	for (uint32_t i = 0; i < block->lexed->tokens.count; i++) {
		if (block->lexed->tokens.items[i].kind != TOKEN_NAME)
			continue;
		check_exit(linter, block, i);
		check_jumper(linter, block, i);
		check_old_name(linter, block, i);
		profilers_check(&linter->profilers, block, i);
	}
}

/* True if MODULES contains a module that starts processes to run functions. */
static bool imports_workers(const syntax_slices *modules)
{
	static const struct slice packages[] = {
	        SLICE_INIT("multiprocessing"), SLICE_INIT("multiprocess"), SLICE_INIT("concurrent"),
	        SLICE_INIT("joblib"), SLICE_INIT("loky")};
	for (size_t i = 0; i < modules->count; i++) {
		if (slice_is_one_of(modules->items[i], packages,
		                    sizeof packages / sizeof *packages))
			return true;
	}
	return false;
}

/* True if token AT is a call of a function of these modules that starts processes. */
static bool starts_workers(const struct lexed_cell *cell, uint32_t at)
{
	static const struct slice starters[] = {SLICE_INIT("Pool"), SLICE_INIT("Process"),
	                                        SLICE_INIT("ProcessPoolExecutor"),
	                                        SLICE_INIT("Parallel")};
	static const char *const definition[] = {"class"}, *const function[] = {"def"},
	                         *const other[] = {"psutil", "."};
	const struct token *token = &cell->tokens.items[at];
	uint32_t count = (uint32_t)cell->tokens.count;
	return token->kind == TOKEN_NAME &&
	       slice_is_one_of(token_text(cell, token), starters,
	                       sizeof starters / sizeof *starters) &&
	       syntax_is(cell, syntax_next(cell, at + 1, count), SLICE("(")) &&
	       !preceded_by(cell, at, definition, 1) && !preceded_by(cell, at, function, 1) &&
	       !preceded_by(cell, at, other, 2);
}

/* Reports the first call that starts worker processes, which Score-P does not measure. */
static void find_workers(struct linter *linter, const struct block *block,
                         const syntax_slices *modules)
{
	const struct lexed_cell *cell = block->lexed;
	linter->may_start_workers |= imports_workers(modules);
	if (!linter->may_start_workers || linter->reported_workers)
		return;
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		if (!starts_workers(cell, i))
			continue;
		const struct token *token = &cell->tokens.items[i];
		linter->reported_workers = true;
		diag_add(linter->context->diags, DIAG_PROCESSES, token_location(block, token),
		         "functions that run in the processes of %.*s() are not measured",
		         SLICE_ARG(token_text(cell, token)));
		diag_hint(linter->context->diags, DIAG_PROCESSES,
		          "use threads, or ranks of MPI (--ranks), which are measured");
		return;
	}
}

static void find_layout_fault(struct linter *linter, const struct block *block)
{
	struct syntax_fault fault;
	/* The lexer has reported a broken cell. */
	if (block->lexed->broken || !syntax_layout_fault(block->lexed, &fault))
		return;
	const struct token *token = &block->lexed->tokens.items[fault.token];
	diag_add(linter->context->diags, DIAG_LEX, block_location(block, token->offset, token->len),
	         "%s", fault.message);
}

static void lint_block(struct block *block, void *data)
{
	struct linter *linter = data;
	syntax_slices modules = {0};
	if (!block_is_code(block))
		return;
	syntax_imported_modules(linter->context->arena, block->lexed, &modules);
	profilers_begin_cell(&linter->profilers, block->lexed, &modules);
	find_layout_fault(data, block);
	find_environ(data, block);
	check_own_name(data, block, SLICE("scorep"), "Score-P's bindings");
	check_own_name(data, block, SLICE(PACKAGE_ALIAS), "its runtime package");
	check_names(data, block);
	find_workers(data, block, &modules);
}

void pass_lints(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct program *program = &context->ir->programs.items[i];
		struct slice chosen = context->options->script_name;
		struct linter linter = {
		        .context = context,
		        .program = program,
		        .script = path_file(chosen.len > 0 ? chosen : program->name),
		        .profilers = {.diags = context->diags, .program = program},
		};
		check_bindings(&linter);
		blocks_walk(&program->blocks, lint_block, &linter);
	}
}
