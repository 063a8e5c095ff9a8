/* Cells that are not valid Python and raise the error that Python reports for them. */
#include "ir/build/broken_cell.h"

#include "base/quote.h"
#include "ir/build/builder.h"
#include "notebook/notebook.h"

/* Python shows a SyntaxError with its place: a file's name, line, column and text. */
static void add_raise(struct strbuf *out, const struct broken_cell *broken,
                      struct slice notebook_name)
{
	const struct location *where = &broken->where;
	strbuf_printf(out, "raise %.*s(", SLICE_ARG(broken->type));
	python_string(out, broken->message);
	strbuf_puts(out, ", (");
	python_string(out, where->cell == 0 ? notebook_name
	                                    : arena_printf(out->arena, "%.*s, cell %u",
	                                                   SLICE_ARG(notebook_name), where->cell));
	/* The place may be the whole cell. TEXT may be a part of a long line. */
	strbuf_printf(out, ", %u, %u, ", where->line > 0 ? where->line : 1,
	              where->column > where->skipped ? where->column - where->skipped : 1);
	python_string(out, where->text);
	strbuf_puts(out, "))");
}

const struct cell *build_broken_cell(struct arena *arena, const struct cell *cell,
                                     const struct broken_cell *broken, struct slice notebook_name)
{
	struct diags unheard;
	struct lexed_cell lexed;
	struct strbuf out;
	diags_init(&unheard, arena);
	lex_cell(arena, cell, &unheard, &lexed);
	strbuf_init(&out, arena);
	struct slice line = slice_make(NULL, 0), rest = cell->source;
	for (uint32_t i = 0; i < lexed.text_line; i++)
		slice_next_line(&rest, &line);
	strbuf_add(&out, slice_sub(cell->source, 0, cell->source.len - rest.len));
	for (bool first = true; slice_next_line(&rest, &line); first = false) {
		if (first) {
			add_raise(&out, broken, notebook_name);
			strbuf_puts(&out, "  ");
		}
		python_comment_line(&out, line, 0);
		strbuf_addc(&out, '\n');
	}
	struct cell *raising = ARENA_NEW(arena, struct cell);
	*raising = *cell;
	raising->source = strbuf_slice(&out);
	return raising;
}
