/* The text of a code cell: the magics in it, and what the compiler asks about them. */
#include "fuzz.h"
#include "ir/inclusion.h"
#include "ir/lower/shell_command.h"
#include "lex/lex.h"
#include "lex_check.h"

static void check_magic(struct arena *arena, const struct magic *magic)
{
	struct include_request request;
	fuzz_require(magic->kind != MAGIC_HELP || magic->help_level == 1 || magic->help_level == 2,
	             "help has a level");
	fuzz_require(magic->assigned || magic->target.len == 0,
	             "only what is assigned has a target");
	fuzz_require(magic->row == NULL || magic->row->name.len > 0, "a row has a name");
	if (include_requested(arena, magic, &request))
		fuzz_require(request.problem != NULL || request.name.len > 0,
		             "what is taken in has a name");
	if (magic->kind == MAGIC_SHELL || magic->kind == MAGIC_SHELL_LIST) {
		shell_installs(magic->args);
		fuzz_require(shell_sets(magic->args).len <= magic->args.len,
		             "a word of a command is a part of it");
	}
}

static void check_places(const struct lexed_cell *cell, struct diags *found)
{
	for (size_t i = 0; i < cell->magics.count; i++) {
		const struct magic *magic = &cell->magics.items[i];
		diag_add(found, DIAG_LEX, lexed_location(cell, magic->offset, magic->len), "here");
		diag_add(found, DIAG_LEX,
		         lexed_location(cell, magic->args_offset, (uint32_t)magic->args.len),
		         "there");
	}
	for (size_t i = 0; i < cell->cell_magics.count; i++) {
		const struct magic *head = &cell->cell_magics.items[i];
		fuzz_require(head->offset + head->len <= cell->source.len &&
		                     head->args_offset <= cell->source.len,
		             "the head of a cell lies in its source");
		diag_add(found, DIAG_LEX, lexed_magic_location(cell, head), "head");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct diags diags, found;
	struct lexed_cell lexed;
	struct notebook notebook = {0};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = fuzz_input(data, size)};
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	diags_init(&found, &arena);
	vec_push(&arena, &notebook.cells, cell);
	lex_cell(&arena, &cell, &diags, &lexed);
	lex_check(&lexed, &diags);
	check_places(&lexed, &found);
	fuzz_check_places(&diags, &notebook);
	fuzz_check_places(&found, &notebook);
	for (size_t i = 0; i < lexed.magics.count; i++)
		check_magic(&arena, &lexed.magics.items[i]);
	for (size_t i = 0; i < lexed.cell_magics.count; i++)
		check_magic(&arena, &lexed.cell_magics.items[i]);
	arena_release(&arena);
	return 0;
}
