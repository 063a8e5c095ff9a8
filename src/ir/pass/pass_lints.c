/* Warnings about code that does not do what its author expects. */
#include "base/paths.h"
#include "ir/passes.h"
#include "lex/lex.h"
#include "lex/syntax.h"
#include "lex/syntax_blocks.h"
#include "lex/syntax_values.h"

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
	const struct syntax_statement *statement = syntax_statement_at(cell, at);
	if (statement == NULL || !syntax_is(cell, statement->first_token, SLICE("from")))
		return false;
	uint32_t module = syntax_after(cell, statement->first_token);
	return syntax_is(cell, module, SLICE("scorep")) &&
	       syntax_is(cell, syntax_after(cell, module), SLICE("import"));
}

/* scorep.register() and similar: a helper adds them to the current bindings. */
static void check_old_name(struct pass_context *context, struct program *program,
                           const struct block *block, uint32_t at)
{
	static const char *const attribute[] = {"scorep", "."};
	struct slice name = statement_token(block->code->lexed, at);
	const char *today = name_of_today(name);
	if (today == NULL || !(preceded_by(block->code->lexed, at, attribute, 2) ||
	                       stands_in_import_of_scorep(block->code->lexed, at)))
		return;
	program->effects |= NEED_OLD_BINDINGS;
	diag_add(context->diags, DIAG_OLD_NAME, block_token_location(block, at),
	         "'scorep.%.*s' is a name of the first bindings, which the script supports; use "
	         "'scorep.%s'",
	         SLICE_ARG(name), today);
}

void pass_lints(struct pass_context *context, struct program *program)
{
	block_refs blocks = program_code(context->arena, program);
	struct slice chosen = context->options->script_name;
	/* In the folder of a script scorep.py, `python -m scorep` finds that script before the
	 * bindings. */
	if (slice_eq(path_file(chosen.len > 0 ? chosen : program->name), SLICE("scorep"))) {
		diag_add(context->diags, DIAG_NAME, program->where,
		         "the script 'scorep.py' hides Score-P's bindings, also from other scripts "
		         "in "
		         "its folder");
		diag_hint(context->diags, DIAG_NAME,
		          "rename the script with -o or %%%%start_writefile");
	}
	for (size_t i = 0; i < blocks.count; i++) {
		const struct block *block = blocks.items[i];
		const struct lexed_cell *cell = block->code->lexed;
		struct syntax_fault fault;
		/* The lexer has reported a broken cell. */
		if (!cell->broken && syntax_layout_fault(cell, &fault))
			diag_add(context->diags, DIAG_LEX, block_token_location(block, fault.token),
			         "%s", fault.message);
		bool may_have = name_filter_may_have(&cell->names, SLICE("scorep"));
		for (uint32_t at = 0; may_have && at < cell->tokens.count; at++) {
			if (cell->tokens.items[at].kind == TOKEN_NAME)
				check_old_name(context, program, block, at);
		}
	}
}
