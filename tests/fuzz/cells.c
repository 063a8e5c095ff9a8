/* The cells of a notebook as text, built: the input is code, and a line "# %%" begins another cell.
 * Words behind the %% are its tags; the first may be [markdown] or [raw]. */
#include "base/json_writer.h"
#include "building.h"

#define MARK SLICE("# %%")

static void add_cell(struct json_writer *json, struct slice mark, struct slice source)
{
	struct slice rest = mark, word = slice_next_word(&rest);
	struct slice type = SLICE("code");
	if (slice_eq(word, SLICE("[markdown]")) || slice_eq(word, SLICE("[raw]"))) {
		type = slice_sub(word, 1, word.len - 1);
		word = slice_next_word(&rest);
	}
	json_put(json, "{'cell_type': ?, 'metadata': {'tags': [", J(type));
	for (; word.len > 0; word = slice_next_word(&rest))
		json_put(json, "?", J(word));
	json_put(json, "]}, 'source': ?}", J(source));
}

static void add_cells(struct json_writer *json, struct slice text)
{
	struct slice rest = text, line = {0}, mark = {0};
	size_t begin = 0;
	while (rest.len > 0) {
		size_t at = text.len - rest.len;
		size_t end = slice_find(rest, '\n', 0);
		line = slice_sub(rest, 0, end);
		rest = slice_sub(rest, end + 1, rest.len);
		if (!slice_starts_with(line, MARK))
			continue;
		if (at > 0)
			add_cell(json, mark, slice_sub(text, begin, at - 1));
		mark = slice_sub(line, MARK.len, line.len);
		begin = text.len - rest.len;
	}
	add_cell(json, mark, slice_sub(text, begin, text.len));
}

static void add_notebook(struct strbuf *out, struct slice text)
{
	struct json_writer json = {.out = out};
	json_put(&json, "{'nbformat': 4, 'nbformat_minor': 4, 'metadata': {}, 'cells': [");
	add_cells(&json, text);
	json_put(&json, "]}");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct slice text = fuzz_input(data, size), trimmed = text;
	arena_init(&arena, NULL);
	struct strbuf notebook = {.arena = &arena};
	while (trimmed.len > 0 && trimmed.ptr[trimmed.len - 1] == '\n')
		trimmed.len--;
	add_notebook(&notebook, trimmed);
	strbuf_add(&notebook, slice_sub(text, trimmed.len, text.len)); /* chooses options */
	fuzz_build(strbuf_slice(&notebook));
	arena_release(&arena);
	return 0;
}
