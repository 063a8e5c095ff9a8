/* scorep: what the text of scorep-config --help tells. */
#include "arena_fixture.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "scorep/capabilities.h"
#include "unit.h"

static struct slice read_data(const char *name)
{
	struct slice path = arena_printf(&arena, TEST_DATA "/scorep-config/%s", name);
	struct strbuf text = {.arena = &arena};
	assert_int_equal(os_read_file(path.ptr, &text, 1 << 20), 0);
	return strbuf_slice(&text);
}

static struct scorep_capabilities read_help(struct slice help)
{
	struct scorep_capabilities capabilities;
	scorep_read_capabilities(&arena, help, &capabilities);
	return capabilities;
}

/* WORDS: blank-separated; each must get this answer. */
static void assert_support(const struct scorep_capabilities *capabilities,
                           enum scorep_support expected, const char *words)
{
	struct slice rest = slice_from(words), word;
	while ((word = slice_next_word(&rest)).len > 0) {
		enum scorep_support got = scorep_supports(capabilities, word);
		if (got != expected)
			fail_msg("%.*s: %d, not %d", SLICE_ARG(word), (int)got, (int)expected);
	}
}

static void assert_values(const struct scorep_capabilities *capabilities, const char *name,
                          const char *expected)
{
	struct slice got = scorep_supported_values(&arena, capabilities, slice_from(name));
	if (!slice_eq(got, slice_from(expected)))
		fail_msg("%s: %.*s", name, SLICE_ARG(got));
}

static void test_everything(void **state)
{
	struct scorep_capabilities all = read_help(read_data("8.4-all.txt"));
	assert_true(all.known);
	assert_values(&all, "--thread", "none, omp:ompt, omp:opari2, pthread");
	assert_values(&all, "--mpp", "none, mpi, shmem");
	assert_values(&all, "--io", "none, posix");
	assert_values(&all, "--user", "");
	assert_values(&all, "--nosuch", "");
	assert_support(
	        &all, SCOREP_SUPPORT_YES,
	        "--thread=none --thread=pthread --thread=omp --thread=omp:ompt --mpp=mpi "
	        "--mpp=none --io=posix --io=runtime:posix --io=linktime:posix --io=none,posix "
	        "--memory --cuda --nocuda --opencl --kokkos --user --compiler --static");
	assert_support(&all, SCOREP_SUPPORT_NO,
	               "--thread=omp:ancestry --thread= --thread=pth --thread=pthread, --mpp=pvm "
	               "--mutex=pthread --io=mpi --io=posix, --io=runtime:mpi --hip --openacc");
}

/* Score-P takes some options without listing them. */
static void test_untold(void **state)
{
	struct scorep_capabilities plain = read_help(read_data("8.4-plain.txt"));
	assert_support(&plain, SCOREP_SUPPORT_UNKNOWN,
	               "--nocuda --nomemory --openmp --mpp:mpi --libwrap=a --nosuch --nosuch=1");
}

static void test_other_text(void **state)
{
	static const char *const texts[] = {
	        "",
	        "\n\n",
	        "--",
	        "   --thread=<x>\n",
	        "   --thread=<x>\n   are:\n  none\n",
	        "Available threading systems are:\n none\n",
	        "scorep-config: command not found\n",
	        "\xff\xfe --thread=\xff\n are:\n\xff\n",
	        "|--|||\n --|--mpp\n a:\n b\n",
	};
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct scorep_capabilities none = read_help(slice_from(texts[i]));
		assert_false(none.known);
		assert_support(&none, SCOREP_SUPPORT_UNKNOWN, "--thread=pthread --cuda --mpp=mpi");
	}
}

/* Paths and rules among the values are not values. */
static void test_lines_between_values(void **state)
{
	struct scorep_capabilities found = read_help(SLICE(
	        "   --thread=<threading system>\n            Available threading systems are:\n"
	        "         none\n         a+b\n         lib/x\n         pthread\n"
	        "   --mpp=<paradigm>\n            Available paradigms are:\n         none\n"));
	assert_true(found.known);
	assert_values(&found, "--thread", "none, pthread");
}

/* Cut anywhere, the text says less, and nothing is read behind its end. */
static void test_cut_text(void **state)
{
	struct slice help = read_data("8.4-all.txt");
	for (size_t len = 0; len < help.len; len++) {
		struct slice part = arena_dup(&arena, slice_sub(help, 0, len));
		struct scorep_capabilities cut = read_help(part);
		assert_true(scorep_supports(&cut, SLICE("--hip")) != SCOREP_SUPPORT_YES);
	}
}

RUN(TEST(test_everything), TEST(test_untold), TEST(test_other_text),
    TEST(test_lines_between_values), TEST(test_cut_text))
