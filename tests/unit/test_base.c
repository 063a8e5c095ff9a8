/* base: numbers, arena, vector, name_filter, number_map, utf8, suggest, digest, json_writer. */
#include <limits.h>

#include "arena_fixture.h"
#include "base/arena.h"
#include "base/digest.h"
#include "base/json_writer.h"
#include "base/name_filter.h"
#include "base/number_map.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "base/vector.h"
#include "unit.h"

/* The allocations that are meant to fail must return NULL under the address sanitizer, too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void slice_is_a_number(void **state)
{
	uint64_t number = 3;
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

static void slice_is_a_word(void **state)
{
	static const char words[] = "in not is_ is Insert";
	static const struct slice are[] = {SLICE_INIT("in"), SLICE_INIT("is"), SLICE_INIT("is_"),
	                                   SLICE_INIT("Insert")},
	                          are_not[] = {SLICE_INIT(""),        SLICE_INIT("i"),
	                                       SLICE_INIT("n"),       SLICE_INIT("s"),
	                                       SLICE_INIT("not is_"), SLICE_INIT("in "),
	                                       SLICE_INIT(" in"),     SLICE_INIT("Insert\0in"),
	                                       SLICE_INIT("\0"),      SLICE_INIT("IN")};
	for (size_t i = 0; i < COUNT(are); i++)
		assert_true(slice_is_word_of(are[i], words));
	for (size_t i = 0; i < COUNT(are_not); i++)
		assert_false(slice_is_word_of(are_not[i], words));
	assert_false(slice_is_word_of(SLICE("in"), ""));
}

static void arena_zeroes_and_aligns(void **state)
{
	for (size_t size = 0; size < 200; size += 7) {
		char *bytes = arena_alloc(&arena, size);
		assert_non_null(bytes);
		assert_int_equal((uintptr_t)bytes % sizeof(uint64_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xAB, size);
	}
}

static void arena_grows(void **state)
{
	char *text = arena_grow(&arena, NULL, 0, 4);
	memset(text, 'a', 4);
	char *grown = arena_grow(&arena, text, 4, 100);
	assert_ptr_equal(grown, text);
	arena_alloc(&arena, 1);
	char *moved = arena_grow(&arena, grown, 100, 200);
	assert_ptr_not_equal(moved, grown);
	assert_memory_equal(moved, "aaaa", 4);
}

static void number_map_keeps_values(void **state)
{
	enum { COUNT = 1000 };
	struct number_map map = {.arena = &arena};
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
	jmp_buf handler;
	volatile int failures = 0;
	if (setjmp(handler) != 0)
		failures++;
	arena_set_handler(&arena, &handler);
	if (failures == 0)
		arena_calloc(&arena, SIZE_MAX / 2 + 2, 2);
	if (failures == 1)
		arena_alloc(&arena, SIZE_MAX - 1);
	if (failures == 2)
		arena_alloc(&arena, SIZE_MAX / 4);
	assert_int_equal(failures, 3);
	assert_ptr_equal(arena_set_handler(&arena, NULL), &handler);
	assert_non_null(arena_alloc(&arena, 1));
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
		vec_push(&arena, &first, i);
		vec_push(&arena, &second, i);
		if (i % 1000 == 0)
			memset(arena_alloc(&arena, 100), 1, 100);
	}
	assert_true(counts_up(first.items, 200000));
	assert_true(counts_up(second.items, 200000));
}

/* A vector that shares a block with others, then one that is alone in its block. */
static void vector_gives_room_back(void **state)
{
	VECTOR(int) vec = {0};
	vec_trim(*state, &vec);
	vec_reserve(*state, &vec, 1000);
	int value = 0;
	for (size_t most = 10; most < 100000; most *= 100) {
		while (vec.count < most) {
			vec_push(*state, &vec, value);
			value++;
		}
		vec_trim(*state, &vec);
		assert_int_equal(vec.capacity, most);
		char *next = arena_alloc(*state, 1);
		assert_true(most > 10 || next < (char *)(vec.items + 1000));
		assert_true(counts_up(vec.items, most));
	}
	vec_push(*state, &vec, value);
	assert_true(counts_up(vec.items, vec.count));
}

static void name_filter_knows_what_it_has(void **state)
{
	enum { ADDED = 8, ASKED = 4000 };
	struct name_filter filter = {0}, others = {0};
	unsigned maybe = 0;
	for (int i = 0; i < ADDED; i++) {
		struct slice name = arena_printf(&arena, "name_%d", i);
		assert_false(name_filters_may_meet(&filter, &others));
		name_filter_add(&filter, name);
		assert_true(name_filter_may_have(&filter, name));
	}
	for (int i = 0; i < ASKED; i++)
		maybe += name_filter_may_have(&filter,
		                              arena_printf(&arena, "%c%d", 'a' + i % 26, i));
	assert_in_range(maybe, 0, ASKED / 10);
	name_filter_add(&others, SLICE("name_3"));
	assert_true(name_filters_may_meet(&filter, &others));
}

static void utf8_decodes(void **state)
{
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
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t len = 0;
		assert_int_equal(utf8_decode(cases[i].text, &len), cases[i].value);
		assert_int_equal(len, cases[i].len);
	}
}

static void utf8_round_trips(void **state)
{
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
	static const struct slice names[] = {SLICE_INIT("profile"), SLICE_INIT("trace"),
	                                     SLICE_INIT("cProfile"), SLICE_INIT("cTrace"),
	                                     SLICE_INIT("on")};
	assert_text(suggest(SLICE("cprofil"), names, 5), "cProfile");
	assert_text(suggest(SLICE("tracer"), names, 5), "trace");
	assert_text(suggest(SLICE("ctrace"), names, 5), "cTrace");
	assert_int_equal(suggest(SLICE("sampling"), names, 5).len, 0);
	assert_int_equal(suggest(SLICE("x"), names, 5).len, 0);
	assert_int_equal(suggest(SLICE(""), names, 5).len, 0);
	assert_int_equal(suggest(SLICE("trace"), names, 0).len, 0);
}

/* SMHasher's own check of an implementation, and what it must come to for MurmurHash64A (main.cpp):
 * the first four bytes of the digest of the digests of 0, 0 1, 0 1 2 and so on. */
static void digest_is_murmurhash64a(void **state)
{
	enum { COUNT = 256, BYTES = 8 };
	char key[COUNT], digests[COUNT * BYTES];
	for (unsigned i = 0; i < COUNT; i++) {
		key[i] = (char)i;
		uint64_t digest = digest_add(COUNT - i, slice_make(key, i));
		for (unsigned j = 0; j < BYTES; j++)
			digests[BYTES * i + j] = (char)(digest >> (8 * j) & 0xFF);
	}
	uint64_t digest = digest_add(0, slice_make(digests, sizeof digests));
	assert_int_equal((uint32_t)digest, 0x1F0D3804);
}

static void json_fills_a_template(void **state)
{
	struct strbuf text = {.arena = *state};
	struct json_writer json = {.out = &text};
	const char *no_text = NULL;
	json_put(&json, "{'cell': ?, 'title': ?*, 'share': ?*, ?: [?, 'a?', ", J(3), J(SLICE("")),
	         json_decimal(0.5, 2), J("runs"), J((size_t)4));
	json_put(&json, "?, ?, ?], 'end': {}", J(no_text), json_bool(true), json_decimal(NAN, 1));
	json_put(&json, "'a': ?*, 'b': ?*, 'c': ?*", json_positive(0), json_if(false, J("x")),
	         json_texts(NULL, 0));
	json_put(&json, "'d': ?*, 'e': ?*, 'f': ?*, 'g': ?}", json_decimal(-0.1, 0),
	         json_decimal(INFINITY, 1), J(0), json_texts(&SLICE("h"), 1));
	assert_string_equal(
	        arena_cstr(*state, strbuf_slice(&text)),
	        "{\n  \"cell\": 3,\n  \"share\": 0.50,\n  \"runs\": [\n    4,\n"
	        "    \"a?\",\n    null,\n    true,\n    null\n  ],\n"
	        "  \"end\": {},\n  \"d\": 0,\n  \"f\": 0,\n  \"g\": [\n    \"h\"\n  ]\n}");
}

RUN(TEST(slice_is_a_number), TEST(slice_is_a_word), TEST(arena_zeroes_and_aligns),
    TEST(vector_gives_room_back), TEST(arena_grows), TEST(large_vectors_grow_beside_each_other),
    TEST(name_filter_knows_what_it_has), TEST(number_map_keeps_values),
    TEST(arena_failure_jumps_to_handler), TEST(utf8_decodes), TEST(utf8_round_trips),
    TEST(utf8_checks_and_counts), TEST(suggest_measures), TEST(suggest_is_near_or_nothing),
    TEST(digest_is_murmurhash64a), TEST(json_fills_a_template))
