/* The lines of an args cell and of an env cell: alone, and in the build of a notebook. */
#include "base/json_writer.h"
#include "building.h"
#include "scorep/args.h"
#include "scorep/variables.h"

static void check_words(struct diags *diags, struct slice text)
{
	struct scorep_words words = {0}, checked = {0};
	struct source_mark mark = {0};
	struct scorep_arg_text where = {.text = text, .cell = 1, .source = text, .mark = &mark};
	if (scorep_split_args(diags, &where, &words) < 0)
		return;
	size_t end = 0;
	for (size_t i = 0; i < words.list.count; i++) {
		const struct scorep_word *word = &words.list.items[i];
		fuzz_require(word->offset >= end && word->len > 0, "words follow each other");
		end = word->offset + word->len;
		fuzz_require(end <= text.len, "words lie in the text");
		struct location place = scorep_arg_place(&where, word->offset, word->len),
		                afresh = location_in_cell(1, text, word->offset, word->len);
		fuzz_require(place.line == afresh.line && place.column == afresh.column &&
		                     place.length == afresh.length,
		             "a place is the same however many came before it");
	}
	scorep_check_args(diags, &where, &words, &checked);
}

static void check_variable(struct diags *diags, struct slice text)
{
	size_t equals = slice_find(text, '=', 0);
	struct slice name = slice_sub(text, 0, equals);
	struct slice value = slice_sub(text, equals + 1, text.len);
	struct location where = location_in_cell(1, text, 0, name.len);
	scorep_check_variable(diags, where, where, name, value);
}

static void check_alone(struct slice text)
{
	struct arena arena;
	struct diags diags;
	struct notebook notebook = {0};
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = text};
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	vec_push(&arena, &notebook.cells, cell);
	check_words(&diags, text);
	check_variable(&diags, text);
	fuzz_check_places(&diags, &notebook);
	arena_release(&arena);
}

static void add_cell(struct strbuf *out, const char *head, struct slice text)
{
	struct strbuf source = {.arena = out->arena};
	strbuf_puts(&source, head);
	strbuf_add(&source, text);
	strbuf_puts(out, "{\"cell_type\":\"code\",\"metadata\":{},\"source\":");
	json_quote(out, strbuf_slice(&source));
	strbuf_puts(out, "}");
}

/* A notebook with one such cell, built. */
static void build_with(struct slice text, const char *head)
{
	struct arena arena;
	arena_init(&arena, NULL);
	struct strbuf notebook = {.arena = &arena};
	strbuf_puts(&notebook, "{\"nbformat\":4,\"nbformat_minor\":4,\"metadata\":{},\"cells\":[");
	add_cell(&notebook, head, text);
	strbuf_puts(&notebook, ",");
	add_cell(&notebook, "%%execute_with_scorep\n", SLICE("x = 1"));
	strbuf_puts(&notebook, "]}");
	fuzz_build(strbuf_slice(&notebook));
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_input(data, size);
	check_alone(text);
	build_with(text, "%%scorep_env\n");
	build_with(text, "%%scorep_python_binding_arguments\n");
	return 0;
}
