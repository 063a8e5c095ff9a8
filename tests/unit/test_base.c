/* base: slice, paths, arena, vector, number_map, strbuf, utf8, suggest, digest, quote, json_writer. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/json_writer.h"
#include "base/name_filter.h"
#include "base/number_map.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "base/vector.h"

/* The allocations that are meant to fail must return NULL under the address sanitizer, too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static int set_up(void **state)
{
	static struct arena arena;
	arena_init(&arena, NULL);
	*state = &arena;
	return 0;
}

static int tear_down(void **state)
{
	arena_release(*state);
	return 0;
}

static void assert_slice(struct slice got, const char *expected)
{
	assert_int_equal(got.len, strlen(expected));
	assert_memory_equal(got.ptr, expected, got.len);
}

static void slice_sub_clamps(void **state)
{
	(void)state;
	assert_slice(slice_sub(SLICE("abcdef"), 2, 4), "cd");
	assert_slice(slice_sub(SLICE("abc"), 2, 99), "c");
	assert_int_equal(slice_sub(SLICE("abc"), 7, 9).len, 0);
	assert_int_equal(slice_sub((struct slice){NULL, 0}, 0, 3).len, 0);
}

static void slice_compares_length_first(void **state)
{
	(void)state;
	assert_true(slice_starts_with(SLICE("scorep_env"), SLICE("scorep")));
	assert_false(slice_starts_with(SLICE("sc"), SLICE("scorep")));
	assert_true(slice_ends_with(SLICE("a.py"), SLICE(".py")));
	assert_false(slice_ends_with(SLICE("py"), SLICE(".py")));
	assert_true(slice_eq(slice_make(NULL, 0), SLICE("")));
	assert_false(slice_eq(SLICE("a\0b"), SLICE("a\0c")));
	assert_true(slice_eq_nocase(SLICE("TruE"), SLICE("tRUe")));
	assert_false(slice_eq_nocase(SLICE("true"), SLICE("tru")));
}

static void slice_is_found_among_words(void **state)
{
	static const struct slice words[] = {SLICE_INIT("on"), SLICE_INIT("off")};
	(void)state;
	assert_true(slice_is_one_of(SLICE("off"), words, 2));
	assert_false(slice_is_one_of(SLICE("off"), words, 1));
	assert_false(slice_is_one_of(SLICE("Off"), words, 2));
	assert_true(slice_is_word_of_nocase(SLICE("Off"), "on off"));
	assert_false(slice_is_word_of_nocase(SLICE("of"), "on off"));
}

static void slice_is_a_number(void **state)
{
	uint64_t number = 3;
	(void)state;
	assert_false(slice_read_number(SLICE(""), 9, &number));
	assert_false(slice_read_number(SLICE("1x"), 99, &number));
	assert_false(slice_read_number(SLICE("256"), 255, &number));
	assert_false(slice_read_number(SLICE("18446744073709551616"), UINT64_MAX, &number));
	assert_int_equal(number, 3);
	assert_true(slice_read_number(SLICE("0255"), 255, &number));
	assert_int_equal(number, 255);
	assert_true(slice_read_number(SLICE("18446744073709551615"), UINT64_MAX, &number));
	assert_true(number == UINT64_MAX);
}

static void assert_path(const char *path, const char *folder, const char *file)
{
	assert_true(slice_eq(path_folder(slice_from(path)), slice_from(folder)));
	assert_true(slice_eq(path_file(slice_from(path)), slice_from(file)));
}

static void path_has_folder_and_file(void **state)
{
	(void)state;
	assert_path("a.py", ".", "a.py");
	assert_path("x/y/a.py", "x/y", "a.py");
	assert_path("/a.py", "/", "a.py");
	assert_path("x/", "x", "");
	assert_path("", ".", "");
}

static void slice_finds(void **state)
{
	(void)state;
	assert_int_equal(slice_find(SLICE("a=b=c"), '=', 0), 1);
	assert_int_equal(slice_find(SLICE("a=b=c"), '=', 2), 3);
	assert_int_equal(slice_find(SLICE("abc"), '=', 0), 3);
	assert_int_equal(slice_find_slice(SLICE("aab aac"), SLICE("aac"), 0), 4);
	assert_int_equal(slice_find_slice(SLICE("aab"), SLICE("abb"), 0), 3);
	assert_int_equal(slice_find_slice(SLICE("ab"), SLICE("abc"), 0), 2);
}

static void slice_cuts_words_and_lines(void **state)
{
	(void)state;
	struct slice rest = SLICE("  one\ttwo "), line;
	assert_slice(slice_next_word(&rest), "one");
	assert_slice(slice_next_word(&rest), "two");
	assert_int_equal(slice_next_word(&rest).len, 0);
	rest = SLICE("a\r\nb\rc\n\nd");
	const char *expected[] = {"a", "b", "c", "", "d"};
	for (size_t i = 0; i < 5; i++) {
		assert_true(slice_next_line(&rest, &line));
		assert_slice(line, expected[i]);
	}
	assert_false(slice_next_line(&rest, &line));
	assert_slice(slice_trim(SLICE(" \v\fx y\r\n")), "x y");
}

static void arena_zeroes_and_aligns(void **state)
{
	for (size_t size = 0; size < 200; size += 7) {
		char *bytes = arena_alloc(*state, size);
		assert_non_null(bytes);
		assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xAB, size);
	}
}

static void arena_serves_big_blocks(void **state)
{
	char *small = arena_alloc(*state, 10);
	char *big = arena_alloc(*state, 10 << 20);
	memset(small, 1, 10);
	memset(big, 2, 10 << 20);
	assert_int_equal(small[9], 1);
	assert_int_equal(big[(10 << 20) - 1], 2);
}

static void arena_grows(void **state)
{
	char *text = arena_grow(*state, NULL, 0, 4);
	memset(text, 'a', 4);
	char *grown = arena_grow(*state, text, 4, 100);
	assert_ptr_equal(grown, text);
	arena_alloc(*state, 1);
	char *moved = arena_grow(*state, grown, 100, 200);
	assert_ptr_not_equal(moved, grown);
	assert_memory_equal(moved, "aaaa", 4);
}

static void number_map_keeps_values(void **state)
{
	enum { COUNT = 1000 };
	struct number_map map;
	number_map_init(&map, *state);
	assert_int_equal(number_map_get(&map, 0), 0);
	for (size_t i = 0; i < COUNT; i++) {
		size_t *value = number_map_at(&map, UINT64_MAX / COUNT * i);
		assert_int_equal(*value, 0);
		*value = i;
	}
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(number_map_get(&map, UINT64_MAX / COUNT * i), i);
		assert_int_equal(*number_map_at(&map, UINT64_MAX / COUNT * i), i);
		assert_int_equal(number_map_get(&map, UINT64_MAX / COUNT * i + 1), 0);
	}
}

static void arena_failure_jumps_to_handler(void **state)
{
	struct arena *arena = *state;
	jmp_buf handler;
	volatile int failures = 0;
	if (setjmp(handler) != 0)
		failures++;
	arena_set_handler(arena, &handler);
	if (failures == 0)
		arena_calloc(arena, SIZE_MAX / 2 + 2, 2);
	if (failures == 1)
		arena_alloc(arena, SIZE_MAX - 1);
	if (failures == 2)
		arena_alloc(arena, SIZE_MAX / 4);
	assert_int_equal(failures, 3);
	assert_ptr_equal(arena_set_handler(arena, NULL), &handler);
	assert_non_null(arena_alloc(arena, 1));
}

static void arena_copies_text(void **state)
{
	struct slice copy = arena_dup(*state, SLICE("a\0b"));
	assert_int_equal(copy.len, 3);
	assert_memory_equal(copy.ptr, "a\0b", 4);
	const char *exact = arena_cstr(*state, SLICE("sixteen letters!"));
	memset(arena_alloc(*state, 16), 'x', 16);
	assert_string_equal(exact, "sixteen letters!");
	assert_slice(arena_printf(*state, "%d-%s", 7, "x"), "7-x");
	assert_int_equal(arena_dup(*state, slice_make(NULL, 0)).len, 0);
}

static void vector_pushes(void **state)
{
	VECTOR(int) vec = {0};
	for (int i = 0; i < 10000; i++) {
		vec_push(*state, &vec, i);
		if (i % 100 == 0)
			arena_alloc(*state, 1);
	}
	assert_int_equal(vec.count, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(vec.items[i], i);
}

static bool counts_up(const int *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i] != (int)i)
			return false;
	}
	return true;
}

/* Beside others, beyond what fits into a block, so that it moves and is alone. */
static void large_vectors_grow_beside_each_other(void **state)
{
	VECTOR(int) first = {0};
	VECTOR(int) second = {0};
	for (int i = 0; i < 200000; i++) {
		vec_push(*state, &first, i);
		vec_push(*state, &second, i);
		if (i % 1000 == 0)
			memset(arena_alloc(*state, 100), 1, 100);
	}
	assert_true(counts_up(first.items, 200000));
	assert_true(counts_up(second.items, 200000));
}

static void name_filter_knows_what_it_has(void **state)
{
	enum { ADDED = 8, ASKED = 4000 };
	struct name_filter filter = {0}, others = {0};
	unsigned maybe = 0;
	for (int i = 0; i < ADDED; i++) {
		struct slice name = arena_printf(*state, "name_%d", i);
		assert_false(name_filters_may_meet(&filter, &others));
		name_filter_add(&filter, name);
		assert_true(name_filter_may_have(&filter, name));
	}
	for (int i = 0; i < ASKED; i++)
		maybe += name_filter_may_have(&filter,
		                              arena_printf(*state, "%c%d", 'a' + i % 26, i));
	assert_in_range(maybe, 0, ASKED / 10);
	name_filter_add(&others, SLICE("name_3"));
	assert_true(name_filters_may_meet(&filter, &others));
}

static void strbuf_collects(void **state)
{
	struct strbuf buf;
	strbuf_init(&buf, *state);
	assert_int_equal(strbuf_slice(&buf).len, 0);
	strbuf_add(&buf, slice_make(NULL, 0));
	strbuf_puts(&buf, "ab");
	strbuf_addc(&buf, '\0');
	strbuf_fill(&buf, '-', 3);
	strbuf_fill(&buf, '-', 0);
	strbuf_printf(&buf, "%05d", 42);
	assert_int_equal(buf.len, 11);
	assert_memory_equal(buf.ptr, "ab\0---00042", 11);
	for (int i = 0; i < 1000; i++)
		strbuf_printf(&buf, "%s", "0123456789");
	assert_int_equal(buf.len, 10011);
	assert_memory_equal(buf.ptr + 10001, "0123456789", 10);
}

static void utf8_decodes(void **state)
{
	(void)state;
	static const struct {
		struct slice text;
		int32_t value;
		size_t len;
	} cases[] = {
	        {SLICE_INIT("a"), 'a', 1},
	        {SLICE_INIT("\0"), 0, 1},
	        {SLICE_INIT("\xC3\xA4x"), 0xE4, 2},
	        {SLICE_INIT("\xE2\x82\xAC"), 0x20AC, 3},
	        {SLICE_INIT("\xF0\x9F\x98\x80"), 0x1F600, 4},
	        {SLICE_INIT("\xF4\x8F\xBF\xBF"), 0x10FFFF, 4},
	        {SLICE_INIT("\x80"), UTF8_INVALID, 1},
	        {SLICE_INIT("\xC0\x80"), UTF8_INVALID, 1},         /* overlong */
	        {SLICE_INIT("\xE0\x80\x80"), UTF8_INVALID, 1},     /* overlong */
	        {SLICE_INIT("\xED\xA0\x80"), UTF8_INVALID, 1},     /* surrogate */
	        {SLICE_INIT("\xF4\x90\x80\x80"), UTF8_INVALID, 1}, /* beyond */
	        {SLICE_INIT("\xE2\x82"), UTF8_INVALID, 1},         /* truncated */
	        {SLICE_INIT("\xC3("), UTF8_INVALID, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t len = 0;
		assert_int_equal(utf8_decode(cases[i].text, &len), cases[i].value);
		assert_int_equal(len, cases[i].len);
	}
}

static void utf8_round_trips(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp += cp < 0x3000 ? 1 : 97) {
		if (cp >= 0xD800 && cp <= 0xDFFF)
			continue;
		char bytes[4];
		size_t len, written = utf8_put(bytes, cp);
		assert_int_equal(utf8_decode(slice_make(bytes, written), &len), cp);
		assert_int_equal(len, written);
	}
}

static void utf8_checks_and_counts(void **state)
{
	(void)state;
	assert_int_equal(utf8_check(SLICE("gr\xC3\xBC\xC3\x9F")), 6);
	assert_int_equal(utf8_check(SLICE("ab\xFF")), 2);
	assert_int_equal(utf8_length(SLICE("gr\xC3\xBC\xC3\x9F")), 4);
	assert_int_equal(utf8_length(SLICE("\xFF\xFE")), 2);
	assert_int_equal(utf8_start(SLICE("a\xE2\x82\xAC"), 1), 1);
	assert_int_equal(utf8_start(SLICE("a\xE2\x82\xAC"), 3), 1);
	assert_int_equal(utf8_start(SLICE("a\xE2\x82\xAC"), 4), 4);
	assert_int_equal(utf8_start(SLICE("a\xE2\x82\xAC"), 9), 9);
	assert_int_equal(utf8_start(SLICE("\x80\x80\x80\x80\x80"), 4), 4);
	assert_int_equal(utf8_width('a'), 1);
	assert_int_equal(utf8_width(0x301), 0);
	assert_int_equal(utf8_width(0x6F22), 2);
	assert_int_equal(utf8_width(0x1F600), 2);
	assert_int_equal(utf8_width(UTF8_INVALID), 1);
}

static void suggest_measures(void **state)
{
	(void)state;
	assert_int_equal(suggest_distance(SLICE(""), SLICE("")), 0);
	assert_int_equal(suggest_distance(SLICE("abc"), SLICE("")), 3);
	assert_int_equal(suggest_distance(SLICE(""), SLICE("abc")), 3);
	assert_int_equal(suggest_distance(SLICE("ture"), SLICE("true")), 1);
	assert_int_equal(suggest_distance(SLICE("TRUE"), SLICE("true")), 0);
	assert_int_equal(suggest_distance(SLICE("kitten"), SLICE("sitting")), 3);
	/* Optimal string alignment, not the unrestricted distance: a swapped pair is not edited. */
	assert_int_equal(suggest_distance(SLICE("ca"), SLICE("abc")), 3);
	char buffer[SUGGEST_MAX + 1];
	memset(buffer, 'x', sizeof buffer);
	assert_int_equal(suggest_distance(slice_make(buffer, SUGGEST_MAX), SLICE("")), SUGGEST_MAX);
	assert_int_equal(suggest_distance(slice_make(buffer, SUGGEST_MAX + 1), SLICE("")),
	                 SUGGEST_MAX + 1);
}

static void suggest_is_near_or_nothing(void **state)
{
	(void)state;
	static const struct slice names[] = {SLICE_INIT("profile"), SLICE_INIT("trace"),
	                                     SLICE_INIT("cProfile"), SLICE_INIT("cTrace"),
	                                     SLICE_INIT("on")};
	assert_slice(suggest(SLICE("cprofil"), names, 5), "cProfile");
	assert_slice(suggest(SLICE("tracer"), names, 5), "trace");
	assert_slice(suggest(SLICE("ctrace"), names, 5), "cTrace");
	assert_int_equal(suggest(SLICE("sampling"), names, 5).len, 0);
	assert_int_equal(suggest(SLICE("x"), names, 5).len, 0);
	assert_int_equal(suggest(SLICE(""), names, 5).len, 0);
	assert_int_equal(suggest(SLICE("trace"), names, 0).len, 0);
}

/* SMHasher's own check of an implementation, and what it must come to for MurmurHash64A (main.cpp):
 * the first four bytes of the digest of the digests of 0, 0 1, 0 1 2 and so on. */
static void digest_is_murmurhash64a(void **state)
{
	(void)state;
	enum { COUNT = 256, BYTES = 8 };
	char key[COUNT], digests[COUNT * BYTES], hex[DIGEST_HEX_LEN + 1];
	for (unsigned i = 0; i < COUNT; i++) {
		key[i] = (char)i;
		uint64_t digest = digest_add(COUNT - i, slice_make(key, i));
		for (unsigned j = 0; j < BYTES; j++)
			digests[BYTES * i + j] = (char)(digest >> (8 * j) & 0xFF);
	}
	uint64_t digest = digest_add(0, slice_make(digests, sizeof digests));
	assert_int_equal((uint32_t)digest, 0x1F0D3804);
	digest_hex(0x0123456789abcdef, hex);
	assert_string_equal(hex, "0123456789abcdef");
}

static void digest_tells_parts_apart(void **state)
{
	(void)state;
	uint64_t one = digest_add(digest_add(DIGEST_START, SLICE("ab")), SLICE("c"));
	uint64_t other = digest_add(digest_add(DIGEST_START, SLICE("a")), SLICE("bc"));
	assert_true(one != other);
	assert_true(digest_add(DIGEST_START, SLICE("")) != DIGEST_START);
}

static void json_quotes(void **state)
{
	struct strbuf out;
	strbuf_init(&out, *state);
	json_quote(&out, SLICE("a\"\\\b\f\n\r\t/\0\x1F\x7F"));
	json_quote(&out, SLICE("\xC3\xA4\xF0\x9F\x98\x80\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF"));
	json_quote(&out, SLICE("\xFFx\xED\xA0\x80"));
	assert_slice(strbuf_slice(&out), "\"a\\\"\\\\\\b\\f\\n\\r\\t/\\u0000\\u001f\\u007f\""
	                                 "\"\xC3\xA4\xF0\x9F\x98\x80\\u0085\\u2028\\ufeff\""
	                                 "\"\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

static void json_writes_nested(void **state)
{
	struct strbuf out;
	struct json_writer json;
	strbuf_init(&out, *state);
	json_writer_init(&json, &out);
	json_begin(&json, '{');
	json_put_key(&json, "empty");
	json_begin(&json, '[');
	json_end(&json, ']');
	json_put_key(&json, "list");
	json_begin(&json, '[');
	json_put_number(&json, -5);
	json_begin(&json, '{');
	json_end(&json, '}');
	json_begin(&json, '{');
	json_put_key(&json, "t");
	json_put_bool(&json, true);
	json_end(&json, '}');
	json_end(&json, ']');
	json_put_key(&json, "s");
	json_put_string(&json, SLICE("x"));
	json_end(&json, '}');
	assert_slice(strbuf_slice(&out), "{\n"
	                                 "  \"empty\": [],\n"
	                                 "  \"list\": [\n"
	                                 "    -5,\n"
	                                 "    {},\n"
	                                 "    {\n"
	                                 "      \"t\": true\n"
	                                 "    }\n"
	                                 "  ],\n"
	                                 "  \"s\": \"x\"\n"
	                                 "}");
}

static void json_writes_scalars_at_the_top(void **state)
{
	struct strbuf out;
	struct json_writer json;
	strbuf_init(&out, *state);
	json_writer_init(&json, &out);
	json_put_bool(&json, false);
	assert_slice(strbuf_slice(&out), "false");
}

static void base64_pads(void **state)
{
	static const char *const rows[][2] = {{"", ""},
	                                      {"f", "Zg=="},
	                                      {"fo", "Zm8="},
	                                      {"foo", "Zm9v"},
	                                      {"foob", "Zm9vYg=="},
	                                      {"fooba", "Zm9vYmE="},
	                                      {"foobar", "Zm9vYmFy"},
	                                      {"\xFB\xFF\xBF", "+/+/"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct strbuf out;
		strbuf_init(&out, *state);
		base64_put(&out, slice_from(rows[i][0]));
		assert_slice(strbuf_slice(&out), rows[i][1]);
	}
}

/* FIPS 180-2, appendix B; and lengths around those at which the last block becomes two. */
static void sha256_of_known_bytes(void **state)
{
	static const struct {
		const char *text;
		size_t times;
		const char *digest;
	} rows[] = {
	        {"", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	        {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
	        {"a", 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
	        {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
	        {"a", 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
	        {"a", 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned char digest[SHA256_LEN];
		struct strbuf text, hex;
		strbuf_init(&text, *state);
		strbuf_init(&hex, *state);
		for (size_t k = 0; k < rows[i].times; k++)
			strbuf_puts(&text, rows[i].text);
		sha256(strbuf_slice(&text), digest);
		for (size_t k = 0; k < sizeof digest; k++)
			strbuf_printf(&hex, "%02x", digest[k]);
		assert_slice(strbuf_slice(&hex), rows[i].digest);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest slices[] = {
	        TEST(slice_sub_clamps),           TEST(slice_compares_length_first),
	        TEST(slice_is_found_among_words), TEST(slice_is_a_number),
	        TEST(path_has_folder_and_file),   TEST(slice_finds),
	        TEST(slice_cuts_words_and_lines),
	};
	static const struct CMUnitTest memory[] = {
	        TEST(arena_zeroes_and_aligns),
	        TEST(arena_serves_big_blocks),
	        TEST(arena_grows),
	        TEST(large_vectors_grow_beside_each_other),
	        TEST(name_filter_knows_what_it_has),
	        TEST(number_map_keeps_values),
	        TEST(arena_failure_jumps_to_handler),
	        TEST(arena_copies_text),
	        TEST(vector_pushes),
	        TEST(strbuf_collects),
	};
	static const struct CMUnitTest text[] = {
	        TEST(utf8_decodes),
	        TEST(utf8_round_trips),
	        TEST(utf8_checks_and_counts),
	        TEST(suggest_measures),
	        TEST(suggest_is_near_or_nothing),
	        TEST(digest_is_murmurhash64a),
	        TEST(digest_tells_parts_apart),
	};
	static const struct CMUnitTest json[] = {
	        TEST(json_quotes),
	        TEST(json_writes_nested),
	        TEST(json_writes_scalars_at_the_top),
	        TEST(base64_pads),
	        TEST(sha256_of_known_bytes),
	};
	int failed = cmocka_run_group_tests_name("base/slice", slices, NULL, NULL);
	failed += cmocka_run_group_tests_name("base/arena", memory, NULL, NULL);
	failed += cmocka_run_group_tests_name("base/text", text, NULL, NULL);
	failed += cmocka_run_group_tests_name("base/json_writer", json, NULL, NULL);
	return failed;
}
