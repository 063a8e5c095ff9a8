/* Finds the programs that draw, and sets the folders of their figures. */
#include "ir/passes.h"
#include "lex/syntax.h"

/* True for methods that draw with matplotlib, whichever module imports it. */
static bool method_draws(struct slice method)
{
	return slice_starts_with(method, SLICE("plot")) ||
	       slice_starts_with(method, SLICE("draw_")) ||
	       slice_is_word_of(method, "hist boxplot draw");
}

/* True if MODULE draws with matplotlib, or is plotly. */
static bool module_draws(struct slice module)
{
	return slice_is_word_of(
	        module,
	        "matplotlib pylab mpl_toolkits mplfinance seaborn plotnine cartopy arviz plotly");
}

static bool cell_draws(const struct lexed_cell *cell)
{
	for (uint32_t i = 0; i < cell->tokens.count; i++) {
		const struct token *token = &cell->tokens.items[i];
		if (token->kind == TOKEN_NAME && method_draws(token_text(cell, token)) &&
		    syntax_is_attribute(cell, i))
			return true;
	}
	return false;
}

void pass_figures(struct pass_context *context, struct program *program)
{
	struct slice folder = context->options->figures;
	block_refs blocks = program_code(context->arena, program);
	bool draws = false;
	for (size_t i = 0; i < program->imports.count; i++)
		draws |= program->imports.items[i].in_cell &&
		         module_draws(program->imports.items[i].path);
	for (size_t i = 0; i < blocks.count && !draws; i++)
		draws = cell_draws(blocks.items[i]->code->lexed);
	program->effects |= draws ? EFFECT_FIGURES : 0;
	if ((program->effects & EFFECT_FIGURES) == 0 || slice_eq(folder, SLICE("none")))
		return;
	program->figures = folder.len > 0 ? folder
	                                  : arena_printf(context->arena, "%.*s_figures",
	                                                 SLICE_ARG(program->name));
}
