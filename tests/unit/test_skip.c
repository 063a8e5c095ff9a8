/* notebook: the fast way through what is not kept gives what the careful one gives. */
#include "base/strbuf.h"
#include "notebook/input.h"
#include "notebook/plain.h"
#include "notebook/skim.h"
#include "notebook_helpers.h"

/* The same numbers on every machine (Knuth's MMIX generator). */
static uint64_t seed;

static size_t below(size_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % limit;
}

/* ---- kernels ---- */

static bool is_plain(char c)
{
	return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

static void assert_block(const struct plain_kernel *kernel, const char *at)
{
	uint64_t mask = kernel->mask(at), digits = kernel->digits(at);
	for (int i = 0; i < PLAIN_BLOCK; i++) {
		assert_int_equal(mask >> i & 1, !is_plain(at[i]));
		assert_int_equal(digits >> i & 1, !ascii_is_digit(at[i]));
	}
}

static void each_kernel_knows_each_byte(void **state)
{
	enum { LEN = 300 };
	char text[LEN + 1 + PLAIN_PAD] = "";
	for (size_t i = 0; i < plain_kernel_count; i++) {
		const struct plain_kernel *kernel = &plain_kernels[i];
		for (int c = 0; kernel->is_supported() && c < 256; c++) {
			size_t at = below(LEN);
			memset(text, c % 2 == 0 ? 'a' : '7', LEN);
			text[at] = (char)c;
			assert_ptr_equal(kernel->end(text), text + (is_plain((char)c) ? LEN : at));
			assert_block(kernel,
			             text + (at < PLAIN_BLOCK ? 0 : at - below(PLAIN_BLOCK)));
		}
	}
}

static void the_portable_kernel_is_always_there(void **state)
{
	assert_string_equal(plain_kernels[plain_kernel_count - 1].name, "portable");
	assert_true(plain_kernels[plain_kernel_count - 1].is_supported());
	assert_true(plain_best_kernel()->is_supported());
}

/* ---- whole notebooks ---- */

static const char sample[] =
        "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\r\n   \"source\": [\"a = 1\\n\", "
        "{\"b\": "
        "[2, \"source\"]}, \"c\"],\n   \"outputs\": [\n    {\n     \"data\": {\n      "
        "\"image/png\": \"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+P+/HgAF"
        "hAJ/wlseKgAAAABJRU5ErkJggg==\\n\",\n      \"text/plain\": [\"\\u00e9 \\ud83d\\ude00\", "
        "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \xE6\x97\xA5\\/\\b\"],\n      \"x\": [0, -1, "
        "12.5e-3,\t1E+9, 0.25, -0, null, true, false, NaN, -Infinity, Infinity, {}, [], [[]],\n "
        "            {\"a\": {\"b\": [1]}}, 123456789012345678901234567890]\n     }\n    }\n   "
        "],\n   \"metadata\": {\"tags\": [\"t\", [1]], \"k\": 1}\n  }\n ],\r \"metadata\": "
        "{\"nbscorep\": {\"env\": {\"A\": [1, \"\xC3\xA9\"]}}, \"widgets\": {\"s\": \"x\"}},\n "
        "\"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

/* What one reading gave: the texts that are kept, and the first diagnostic. */
struct outcome {
	int result;
	struct slice kept, sources, message, shown;
	unsigned line, column;
};

static struct outcome skim_sample(struct reading *r, struct slice text, size_t at_most,
                                  const struct plain_kernel *kernel)
{
	struct skim_file file = {.fd = 99,
	                         .name = SLICE("a.ipynb"),
	                         .limits = &notebook_default_limits,
	                         .plain = kernel};
	struct skim skim;
	memory_file.rest = text;
	memory_file.at_most = at_most;
	diags_init(&r->diags, &r->arena);
	struct outcome out = {.result = skim_read(&r->arena, &file, &r->diags, &skim)};
	out.kept = skim.config;
	out.sources = skim.text;
	if (r->diags.list.count > 0) {
		const struct diag *diag = &r->diags.list.items[0];
		out.message = diag->message;
		out.shown = diag->where.text;
		out.line = diag->where.line;
		out.column = diag->where.column;
	}
	return out;
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->result, b->result);
	assert_slices(a->message, b->message);
	assert_slices(a->shown, b->shown);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->column, b->column);
	assert_slices(a->kept, b->kept);
	assert_slices(a->sources, b->sources);
}

/* Byte by byte, no token is ever whole in memory, so the fast way is not taken. */
static int compare_ways(struct reading *r, struct slice text)
{
	struct outcome careful = skim_sample(r, text, 1, NULL);
	for (size_t i = 0; i < plain_kernel_count; i++) {
		if (!plain_kernels[i].is_supported())
			continue;
		struct outcome fast = skim_sample(r, text, SIZE_MAX, &plain_kernels[i]);
		assert_same(&careful, &fast);
	}
	struct outcome pieces = skim_sample(r, text, 1 + below(64), NULL);
	assert_same(&careful, &pieces);
	return careful.result;
}

/* One or two bytes of the sample are replaced, left out or doubled. */
static struct slice mutated(struct reading *r)
{
	static const char bytes[] = "\"\\{}[]:,0-.eE+ \n\r\tntu\xC3\x80\xED\x01";
	struct strbuf text = {.arena = &r->arena};
	struct slice whole = slice_from(sample);
	size_t last = 0;
	for (size_t i = 1 + below(2); i > 0 && last < whole.len; i--) {
		size_t at = last + below(whole.len - last), kind = below(3);
		strbuf_add(&text, slice_sub(whole, last, at));
		if (kind != 1)
			strbuf_addc(&text, kind == 0 ? bytes[below(sizeof bytes)] : whole.ptr[at]);
		last = kind == 2 ? at : at + 1;
	}
	strbuf_add(&text, slice_sub(whole, last, whole.len));
	return strbuf_slice(&text);
}

static void mutations_are_the_same_both_ways(void **state)
{
	struct reading *r = *state;
	size_t good = 0, bad = 0;
	seed = 1;
	for (int i = 0; i < 3000; i++) {
		if (compare_ways(r, mutated(r)) == 0)
			good++;
		else
			bad++;
		arena_release(&r->arena);
		arena_init(&r->arena, NULL);
	}
	assert_true(good > 300);
	assert_true(bad > 300);
}

/* Where the file ends matters as much as what stands in it. */
static void beginnings_are_the_same_both_ways(void **state)
{
	struct reading *r = *state;
	struct slice whole = slice_from(sample);
	for (size_t len = 0; len < whole.len - 2; len++) {
		assert_int_equal(compare_ways(r, slice_sub(whole, 0, len)), -1);
		arena_release(&r->arena);
		arena_init(&r->arena, NULL);
	}
}

/* Tokens of all kinds lie across the border of two chunks. */
static void chunks_end_anywhere(void **state)
{
	struct reading *r = *state;
	for (size_t pad = 0; pad < sizeof sample; pad += 3) {
		struct strbuf text = {.arena = &r->arena};
		strbuf_puts(&text, "{\"a\": \"");
		strbuf_fill(&text, 'x', INPUT_CHUNK - pad);
		strbuf_puts(&text, "\", \"b\": ");
		strbuf_puts(&text, sample);
		strbuf_puts(&text, "?");
		struct slice whole = strbuf_slice(&text);
		struct outcome fast = skim_sample(r, whole, SIZE_MAX, NULL);
		struct outcome pieces = skim_sample(r, whole, 1000, NULL);
		assert_same(&pieces, &fast);
		assert_text(fast.message, "expected ',' or '}', found '?'");
		arena_release(&r->arena);
		arena_init(&r->arena, NULL);
	}
}

RUN(cmocka_unit_test(each_kernel_knows_each_byte),
    cmocka_unit_test(the_portable_kernel_is_always_there), TEST(mutations_are_the_same_both_ways),
    TEST(beginnings_are_the_same_both_ways), TEST(chunks_end_anywhere))
