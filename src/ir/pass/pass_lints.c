/* Warnings about code that does not do what its author expects. */
#include "base/paths.h"
#include "ir/passes.h"
#include "lex/syntax_values.h"

/* scorep.register() and similar: a helper adds them to the current bindings. */
static void check_old_name(struct pass_context *context, struct program *program,
                           const struct block *block, uint32_t at)
{
	const struct lexed_cell *cell = block->code->lexed;
	struct slice name = statement_token(cell, at);
	bool is_users = slice_is_word_of(
	        name, "user_region_begin user_region_end user_enable_recording "
	              "user_disable_recording user_parameter_int user_parameter_uint "
	              "user_parameter_string");
	if (!is_users && !slice_is_word_of(name, "register unregister"))
		return;
	uint32_t dot = syntax_previous(cell, at), owner = syntax_previous(cell, dot);
	bool is_attribute =
	        syntax_is(cell, dot, SLICE(".")) && syntax_is(cell, owner, SLICE("scorep"));
	if (!is_attribute) {
		/* from scorep import register */
		const struct syntax_statement *statement = syntax_statement_at(cell, at);
		if (statement == NULL || !syntax_is(cell, statement->first_token, SLICE("from")))
			return;
		uint32_t module = syntax_after(cell, statement->first_token);
		if (!syntax_is(cell, module, SLICE("scorep")) ||
		    !syntax_is(cell, syntax_after(cell, module), SLICE("import")))
			return;
	}
	program->effects |= NEED_OLD_BINDINGS;
	diag_add(context->diags, DIAG_OLD_NAME, block_token_location(block, at),
	         "'scorep.%.*s' is a name of the first bindings, which the script supports; use "
	         "'scorep.%s.%.*s'",
	         SLICE_ARG(name), is_users ? "user" : "instrumenter",
	         SLICE_ARG(slice_tail(name, is_users ? strlen("user_") : 0)));
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
