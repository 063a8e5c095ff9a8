/* Finds the programs that draw, and sets the folders of their figures. */
#include "ir/passes.h"
#include "lex/syntax.h"

void pass_figures(struct pass_context *context, struct program *program)
{
	const char *chosen = context->options->build.figures;
	struct slice folder = slice_from(chosen == NULL ? "" : chosen);
	block_refs blocks = program_code(context->arena, program);
	bool draws = false;
	/* Modules that draw with matplotlib, and plotly. */
	for (size_t i = 0; i < program->imports.count; i++)
		draws |= program->imports.items[i].in_cell &&
		         slice_is_word_of(
		                 program->imports.items[i].path,
		                 "matplotlib pylab mpl_toolkits mplfinance seaborn plotnine "
		                 "cartopy arviz plotly");
	/* Methods that draw with matplotlib, whichever module imports it. */
	for (size_t i = 0; i < blocks.count; i++) {
		const struct lexed_cell *cell = blocks.items[i]->code->lexed;
		for (uint32_t k = 0; k < cell->tokens.count && !draws; k++) {
			struct slice name = statement_token(cell, k);
			draws = cell->tokens.items[k].kind == TOKEN_NAME &&
			        (slice_starts_with(name, SLICE("plot")) ||
			         slice_starts_with(name, SLICE("draw_")) ||
			         slice_is_word_of(name, "hist boxplot draw")) &&
			        syntax_is_attribute(cell, k);
		}
	}
	program->effects |= draws ? EFFECT_FIGURES : 0;
	if ((program->effects & EFFECT_FIGURES) == 0 || slice_eq(folder, SLICE("none")))
		return;
	program->figures = folder.len > 0 ? folder
	                                  : arena_printf(context->arena, "%.*s_figures",
	                                                 SLICE_ARG(program->name));
}
