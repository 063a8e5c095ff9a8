/* scorep: the variables table and its lints, binding arguments. */
#include <stdio.h>
#include <stdlib.h>

#include "base/quote.h"
#include "diag/diag.h"
#include "diags_fixture.h"
#include "scorep/args.h"
#include "scorep/variables.h"
#include "unit.h"

/* One diagnostic as "name: message | hint @ column+length", the columns where it has a place. */
static struct slice shown(const struct diag *diag)
{
	struct slice hint = diag->hint.len > 0
	                            ? arena_printf(&arena, " | %.*s", SLICE_ARG(diag->hint))
	                            : SLICE("");
	struct slice place = diag->where.line > 0
	                             ? arena_printf(&arena, " @ %u:%u+%u", diag->where.line,
	                                            diag->where.column, diag->where.length)
	                             : SLICE("");
	return arena_printf(&arena, "%s: %.*s%.*s%.*s", diag_row(diag->kind)->name,
	                    SLICE_ARG(diag->message), SLICE_ARG(hint), SLICE_ARG(place));
}

/* All of them, one per line. */
static void assert_diags(const char *expected)
{
	struct slice all = SLICE("");
	for (size_t i = 0; i < diags.list.count; i++)
		all = arena_printf(&arena, "%.*s%s%.*s", SLICE_ARG(all), i > 0 ? "\n" : "",
		                   SLICE_ARG(shown(&diags.list.items[i])));
	assert_text(all, expected);
}

/* The variables */

/* Score-P starts with its own defaults, so none of them may be found fault with. */
static void every_default_is_accepted(void **state)
{
	static const struct slice rows[][2] = {
#define VARIABLE(type, name, initial, allowed) {SLICE_INIT(name), SLICE_INIT(initial)},
#include "scorep/variables.def"
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		scorep_check_variable(&diags, (struct location){0}, (struct location){0},
		                      rows[i][0], rows[i][1]);
	assert_diags("");
}

static void bools(void **state)
{
	static const struct slice yes[] = {SLICE_INIT("true"), SLICE_INIT("YES"), SLICE_INIT("On"),
	                                   SLICE_INIT("1"),    SLICE_INIT("-1"),  SLICE_INIT(" 7"),
	                                   SLICE_INIT("+2"),   SLICE_INIT("010")};
	static const struct slice no[] = {
	        SLICE_INIT("false"), SLICE_INIT("NO"),   SLICE_INIT("off"),   SLICE_INIT("0"),
	        SLICE_INIT(""),      SLICE_INIT("-0"),   SLICE_INIT("00"),    SLICE_INIT("\"no\""),
	        SLICE_INIT("0 "),    SLICE_INIT("none"), SLICE_INIT(" false")};
	static const struct slice mistaken[] = {
	        SLICE_INIT("ture"),   SLICE_INIT("t"),     SLICE_INIT("y"),  SLICE_INIT("1.0"),
	        SLICE_INIT("true "),  SLICE_INIT(" true"), SLICE_INIT("1 "), SLICE_INIT("\"true\""),
	        SLICE_INIT("enable"), SLICE_INIT("-"),     SLICE_INIT("1\0")};
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_int_equal(scorep_parse_bool(yes[i]), SCOREP_TRUE);
	for (size_t i = 0; i < COUNT(no); i++)
		assert_int_equal(scorep_parse_bool(no[i]), SCOREP_FALSE);
	for (size_t i = 0; i < COUNT(mistaken); i++)
		assert_int_equal(scorep_parse_bool(mistaken[i]), SCOREP_MISTAKEN);
}

static void sizes(void **state)
{
	static const struct slice good[] = {SLICE_INIT("0"),   SLICE_INIT("16000k"),
	                                    SLICE_INIT("12b"), SLICE_INIT(" 2 Kb "),
	                                    SLICE_INIT("15E"), SLICE_INIT("18446744073709551615")};
	static const struct slice bad[] = {SLICE_INIT("3q"),
	                                   SLICE_INIT(""),
	                                   SLICE_INIT("g"),
	                                   SLICE_INIT("-1"),
	                                   SLICE_INIT("1.5g"),
	                                   SLICE_INIT("1gg"),
	                                   SLICE_INIT("1bk"),
	                                   SLICE_INIT("1kbb"),
	                                   SLICE_INIT("16E"),
	                                   SLICE_INIT("1k\0"),
	                                   SLICE_INIT("1\0"),
	                                   SLICE_INIT("0x10"),
	                                   SLICE_INIT("\"3g\""),
	                                   SLICE_INIT("18446744073709551616"),
	                                   SLICE_INIT("99999999999999999999999")};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		scorep_check_variable(&diags, (struct location){0}, (struct location){0},
		                      SLICE("SCOREP_PAGE_SIZE"), good[i]);
	assert_diags("");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		scorep_check_variable(&diags, (struct location){0}, (struct location){0},
		                      SLICE("SCOREP_PAGE_SIZE"), bad[i]);
		assert_int_equal(diags.list.count, i + 1);
	}
}

/* Checks the line NAME=VALUE of cell 2. */
static void check_line(struct slice line)
{
	size_t equals = slice_find(line, '=', 0);
	scorep_check_variable(&diags, location_in_cell(2, line, 0, equals),
	                      location_in_cell(2, line, equals + 1, line.len),
	                      slice_sub(line, 0, equals), slice_sub(line, equals + 1, line.len));
}

/* A line and all that is said about it. */
static const struct {
	const char *line, *expected;
} variable_cases[] = {
        {"SCOREP_ENABLE_TRACING=true", ""},
        {"SCOREP_ENABLE_TRACING=$TRACE", ""},
        {"SCOREP_ENABLE_PROFILING=y",
         "scorep-bool: Score-P reads 'y' as false, so 'SCOREP_ENABLE_PROFILING' is off"
         " | use 'true', 'yes', 'on' or a number other than 0 to switch it on @ 1:25+1"},
        {"SCOREP_VERBOSE=\"true\"",
         "scorep-bool: Score-P reads '\"true\"' as false, so 'SCOREP_VERBOSE' is off"
         " | use 'true', 'yes', 'on' or a number other than 0 to switch it on @ 1:16+6"},
        {"SCOREP_VERBOSE= 1 ",
         "scorep-bool: Score-P reads ' 1 ' as false, so 'SCOREP_VERBOSE' is off"
         " | use 'true', 'yes', 'on' or a number other than 0 to switch it on @ 1:16+3"},
        {"SCOREP_TOTAL_MEMORY=3g", ""},
        {"SCOREP_TOTAL_MEMORY=4095M", ""},
        {"SCOREP_TOTAL_MEMORY=4294967295", ""},
        {"SCOREP_TOTAL_MEMORY=4g", "scorep-memory: '4g' is 4 GiB or more; Score-P reduces it"
                                   " | use at most '4095M'; each process has this much @ 1:21+2"},
        {"SCOREP_PAGE_SIZE=4g", ""},
        {"SCOREP_MPI_MAX_GROUPS=5k",
         "scorep-value: '5k' is not a number, which 'SCOREP_MPI_MAX_GROUPS' requires @ 1:23+2"},
        {"SCOREP_MPI_MAX_GROUPS= 100 ", ""},
        {"SCOREP_MPI_MAX_GROUPS=",
         "scorep-value: '' is not a number, which 'SCOREP_MPI_MAX_GROUPS' requires @ 1:23+0"},
        {"SCOREP_MPI_MAX_GROUPS=-1",
         "scorep-value: '-1' is not a number, which 'SCOREP_MPI_MAX_GROUPS' requires @ 1:23+2"},
        {"SCOREP_TIMER=TSC", ""},
        {"SCOREP_TIMER=tsc,gettimeofday",
         "scorep-value: 'tsc,gettimeofday' is not a value of 'SCOREP_TIMER', which takes tsc, "
         "gettimeofday, clock_gettime | did you mean 'gettimeofday'? @ 1:14+16"},
        {"SCOREP_KOKKOS_ENABLE=Regions:user;malloc ~memcpy", ""},
        {"SCOREP_KOKKOS_ENABLE=", ""},
        {"SCOREP_KOKKOS_ENABLE=user,regoins,x",
         "scorep-value: 'regoins' is not a value of 'SCOREP_KOKKOS_ENABLE', which takes regions, "
         "user, malloc, memcpy, default, yes, 1, none, no | did you mean 'regions'? @ 1:22+14\n"
         "scorep-value: 'x' is not a value of 'SCOREP_KOKKOS_ENABLE', which takes regions, user, "
         "malloc, memcpy, default, yes, 1, none, no @ 1:22+14"},
        {"SCOREP_EXPERIMENT_DIRECTORY=/a b/c", ""},
        {"SCOREP_METRIC_PAPI=PAPI_TOT_INS", ""},
        {"scorep_enable_tracing=true",
         "scorep-variable: 'scorep_enable_tracing' is not a variable of "
         "Score-P | did you mean 'SCOREP_ENABLE_TRACING'? @ 1:1+21"},
        {"CORE_ENABLE_TRACIN=x", ""},
        {"ENABLE_TRACING=x", ""},
        {"SCOREP_WHATEVER=1",
         "scorep-variable: 'SCOREP_WHATEVER' is not a variable of Score-P @ 1:1+15"},
        {"SCOREP_METRIC_PAPPI=x", ""},
        {"SCOREP_JUPYTER_PERSISTENCE_DIR=/x", ""},
        {"scorep_jupyter_x=1", ""},
        {"SCOREP_KERNEL_PERSISTENCE_MODE=MEMORY", ""},
        {"JUMPER_REPORT_FREQUENCY=2", ""},
        {"SCOREP_PYTHON_BINDINGS_INITIALISED=true", ""},
        {"SCOREP_LD_PRELOAD_BACKUP=", ""},
        {"SCOREP_WRAPPER_INSTRUMENTER_FLAGS=--user", ""},
        {"OMP_NUM_THREADS=ture", ""},
};

static void variable_lints(void **state)
{
	for (size_t i = 0; i < COUNT(variable_cases); i++) {
		diags.list.count = 0;
		check_line(slice_from(variable_cases[i].line));
		assert_diags(variable_cases[i].expected);
	}
}

/* The arguments */

static struct scorep_arg_text in_cell(struct slice source, size_t offset)
{
	static struct source_mark mark;
	mark = (struct source_mark){0};
	return (struct scorep_arg_text){.text = slice_sub(source, offset, source.len),
	                                .cell = 3,
	                                .source = source,
	                                .offset = offset,
	                                .mark = &mark};
}

static struct slice joined(const struct scorep_words *words)
{
	struct slice text = SLICE("");
	for (size_t i = 0; i < words->list.count; i++)
		text = arena_printf(&arena, "%.*s[%.*s]%s", SLICE_ARG(text),
		                    SLICE_ARG(words->list.items[i].text),
		                    words->list.items[i].expands ? "*" : "");
	return text;
}

/* A copy without a byte behind it, so that the address sanitizer sees who reads on. */
static struct slice exact(const char *text)
{
	struct slice source = slice_from(text);
	char *copy = malloc(source.len);
	if (source.len > 0)
		memcpy(copy, source.ptr, source.len);
	return slice_make(copy, source.len);
}

/* Text, and its words in brackets, with a star behind those that expand; or what is wrong. */
static const struct {
	const char *text, *words, *expected;
} split_cases[] = {
        {"", "", ""},
        {" \t\n", "", ""},
        {"--noinstrumenter", "[--noinstrumenter]", ""},
        {"--a\r\n  --b\r--c\n", "[--a][--b][--c]", ""},
        {"--a # comment 'x\n#another\n--b#no", "[--a][--b#no]", ""},
        {"# only", "", ""},
        {"'a b'\"c d\"\\ e", "[a bc d e]", ""},
        {"'' \"\"", "[][]", ""},
        {"\"a\\\"b\\\\c\\d\" 'a\\b'", "[a\"b\\c\\d][a\\b]", ""},
        {"a\\\nb \\\r\n c \"d\\\ne\"", "[ab][c][de]", ""},
        {"$HOME/x ${A}b", "[$HOME/x]*[${A}b]*", ""},
        {"'$HOME' \\$A \"\\$B\"", "[$HOME][$A][$B]", ""},
        {"\"$A\"b $A'x'", "[${A}b]*[${A}x]*", ""},
        {"`x` $(y) a;b|c&d>e *", "[`x`][$(y)][a;b|c&d>e][*]", ""},
        {"a\\'b", "[a'b]", ""},
        {"--x 'abc", "", "args-syntax: this \"'\" is never closed @ 1:5+1"},
        {"\n \"abc\n\n", "", "args-syntax: this '\"' is never closed @ 2:2+1"},
        {"\"abc\\", "", "args-syntax: this '\"' is never closed @ 1:1+1"},
        {"abc\\", "", "args-syntax: nothing follows the backslash @ 1:4+1"},
        {"'$A'$B", "",
         "args-syntax: a word cannot contain both a '$' that expands and a literal '$' @ 1:1+6"},
};

static void splitting(void **state)
{
	for (size_t i = 0; i < COUNT(split_cases); i++) {
		diags.list.count = 0;
		struct scorep_words words = {0};
		struct slice source = exact(split_cases[i].text);
		struct scorep_arg_text text = in_cell(source, 0);
		int result = scorep_split_args(&diags, &text, &words);
		assert_diags(split_cases[i].expected);
		assert_int_equal(result, split_cases[i].expected[0] == '\0' ? 0 : -1);
		if (result == 0)
			assert_text(joined(&words), split_cases[i].words);
		free((char *)source.ptr);
	}
}

static void nul_is_refused(void **state)
{
	struct scorep_words words = {0};
	struct scorep_arg_text text = in_cell(SLICE("--a\0b"), 0);
	assert_int_equal(scorep_split_args(&diags, &text, &words), -1);
	assert_diags("args-syntax: a NUL character cannot be part of an argument @ 1:1+5");
}

#define GIVE_ONLY_OPTIONS " | give only options; nbscorep adds Python, '-m scorep' and the script"

/* Arguments, what is passed on, what is said. */
static const struct {
	const char *text, *words, *expected;
} arg_cases[] = {
        {"--noinstrumenter", "[--noinstrumenter]", ""},
        {"--mpp=mpi --thread=omp:ompt --io=runtime:posix --opencl:runtime --opencl -v",
         "[--mpp=mpi][--thread=omp:ompt][--io=runtime:posix][--opencl:runtime][--opencl][-v]", ""},
        {"--instrumenter-type=cTrace --instrumenter-file=a=b.py --libwrap=x",
         "[--instrumenter-type=cTrace][--instrumenter-file=a=b.py][--libwrap=x]", ""},
        {"--instrumenter-type=$TYPE $MORE", "[--instrumenter-type=$TYPE]*[$MORE]*", ""},
        {"--instrumenter-type=cprofile --user", "[--user]",
         "args-option: 'cprofile' is not a value of '--instrumenter-type', which takes profile, "
         "trace, cProfile, cTrace, dummy | did you mean '--instrumenter-type=cProfile'? @ 1:1+28"},
        {"--instrumenter-type=sampling", "",
         "args-option: 'sampling' is not a value of '--instrumenter-type', which takes profile, "
         "trace, cProfile, cTrace, dummy @ 1:1+28"},
        {"--instrumenter-type", "",
         "args-option: '--instrumenter-type' requires a value after '=' @ 1:1+19"},
        {"--mpp=", "", "args-option: '--mpp=' requires a value after '=' @ 1:1+6"},
        {"--mpp:mpi", "", "args-option: '--mpp:mpi' requires a value after '=' @ 1:1+9"},
        {"--user=yes", "", "args-option: '--user=yes' takes no value @ 1:1+10"},
        {"--opencl=runtime", "",
         "args-option: '--opencl=runtime' takes its mode after ':' @ 1:1+16"},
        {"--memory --memory=malloc,libc", "[--memory][--memory=malloc,libc]", ""},
        {"--memory=", "", "args-option: '--memory=' requires a value after '=' @ 1:1+9"},
        {"--mpi=yes", "", "args-option: '--mpi=yes' takes no value @ 1:1+9"},
        {"--help", "",
         "args-option: '--help' makes the bindings print help and run nothing @ 1:1+6"},
        {"--mpp=mip", "[--mpp=mip]",
         "args-unknown: 'mip' is not a value of '--mpp', which takes none, mpi, shmem"
         " | did you mean '--mpp=mpi'? @ 1:1+9"},
        {"-thread=pthread", "[-thread=pthread]",
         "args-unknown: unknown option '-thread' of the bindings and scorep-config"
         " | did you mean '--thread=pthread'? @ 1:1+15"},
        {"--frobnicate", "[--frobnicate]",
         "args-unknown: unknown option '--frobnicate' of the bindings and scorep-config @ 1:1+12"},
        {"--thread pthread", "",
         "args-option: '--thread' requires a value after '=' @ 1:1+8\n"
         "args-option: 'pthread' does not start with '-', so the bindings take it as the script"
         " | did you mean '--thread=pthread'? @ 1:10+7"},
        {"--user ''", "[--user]",
         "args-option: '' does not start with '-', so the bindings take it as the "
         "script" GIVE_ONLY_OPTIONS " @ 1:8+2"},
};

static void arg_lints(void **state)
{
	for (size_t i = 0; i < COUNT(arg_cases); i++) {
		diags_init(&diags, &arena);
		struct scorep_words words = {0}, good = {0};
		struct scorep_arg_text text = in_cell(slice_from(arg_cases[i].text), 0);
		assert_int_equal(scorep_split_args(&diags, &text, &words), 0);
		int result = scorep_check_args(&diags, &text, &words, &good);
		assert_diags(arg_cases[i].expected);
		assert_text(joined(&good), arg_cases[i].words);
		assert_int_equal(result, diags.errors > 0 ? -1 : 0);
	}
}

RUN(TEST(every_default_is_accepted), TEST(bools), TEST(sizes), TEST(variable_lints),
    TEST(splitting), TEST(nul_is_refused), TEST(arg_lints))
