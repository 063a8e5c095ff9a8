/* Turns magics and shell escapes into Python or comments. Cell magics come first (lower_cell.c):
 * they become contexts around the code, or a helper that takes the cell as a string. Then each line
 * magic becomes an edit: the call of a helper (lower_call.c), a `with` statement (lower_time.c), a
 * variable of the run script (lower_env.c), or a comment with a diagnostic (site_drop()). */
#include "base/quote.h"
#include "ir/build/builder.h"
#include "ir/build/magic_meaning.h"
#include "ir/lower/lower.h"
#include "ir/lower/lower_autocall.h"
#include "ir/lower/lower_call.h"
#include "ir/lower/lower_cell.h"
#include "ir/lower/lower_env.h"
#include "ir/lower/lower_site.h"
#include "ir/lower/lower_time.h"
#include "ir/lower/packages.h"
#include "lex/magic_table.h"

struct lowerer {
	struct pass_context *context;
	struct program *program;
};

static bool has_statement(const struct magic *magic)
{
	/* With options the magic has another meaning. */
	return magic->args.len > 0 && magic->args.ptr[0] != '-' && magic->args.ptr[0] != '#';
}

/* `%profile statement` becomes the statement. With a line continuation between the two, the magic
 * can be removed only from an assignment. */
static void keep_body(const struct site *site)
{
	const struct magic *magic = site->magic;
	uint32_t len = magic->args_offset - magic->offset;
	struct slice front = slice_sub(site->block->code.text, magic->offset, magic->offset + len);
	bool continued = slice_find(front, '\\', 0) < front.len;
	if (!has_statement(magic) || (continued && !magic->assigned)) {
		site_drop(site);
		return;
	}
	diag_add(site->context->diags, DIAG_MAGIC_DROPPED, site_location(site),
	         "'%%%.*s' is left out of the script; its statement is kept",
	         SLICE_ARG(magic->name));
	if (continued)
		len = (uint32_t)magic->name.len + 1;
	block_add_edit(site->context->arena, site->block, magic->offset, len, slice_make("", 0));
}

static bool is_time(const struct magic *magic)
{
	return magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("time"));
}

static void lower_line(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct call call;
	if (magic->row != NULL && magic->row->action == ACTION_ENV)
		lower_env(site);
	else if (magic->row != NULL && magic->row->action == ACTION_BODY)
		keep_body(site);
	else if (magic->kind == MAGIC_AUTOCALL)
		lower_autocall(site);
	else if (is_time(magic))
		lower_time(site);
	else if (lower_to_call(site, magic, &call))
		call_replace(site, &call);
	else if (packages_installs(magic) || magic_interactivity(magic).len > 0 ||
	         site_was_refused(site, INCLUDE_TEXT))
		site_comment_out(site);
	else
		site_drop(site);
}

static void lower_lines(struct lowerer *lowerer, struct block *block)
{
	size_t taken = 0;
	for (size_t i = 0; i < block->lexed->magics.count; i++) {
		struct site site = {lowerer->context, lowerer->program, block,
		                    &block->lexed->magics.items[i]};
		bool included =
		        taken < block->includes.count && block->includes.items[taken].magic == i;
		taken += included;
		if (included)
			site_comment_out(&site); /* the included code is below it */
		else
			lower_line(&site);
	}
}

static void lower_block(struct block *block, void *data)
{
	struct lowerer *lowerer = data;
	if (!block_is_code(block) && block->kind != BLOCK_FOREIGN)
		return;
	if (block->may_raise)
		vec_push(lowerer->context->arena, &block->contexts,
		         SLICE(PACKAGE_ALIAS ".may_raise()"));
	lower_cell_magics(lowerer->context, lowerer->program, block);
	if (block_is_code(block))
		lower_lines(lowerer, block);
}

void pass_magics(struct pass_context *context)
{
	for (size_t i = 0; i < context->ir->programs.count; i++) {
		struct lowerer lowerer = {context, &context->ir->programs.items[i]};
		blocks_walk(&lowerer.program->blocks, lower_block, &lowerer);
	}
	packages_warn(context->diags, &context->ir->installs);
}
