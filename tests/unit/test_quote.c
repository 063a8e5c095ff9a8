/* Quoting: random texts through the real bash and Python. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena_fixture.h"
#include "base/quote.h"
#include "unit.h"

typedef void quote_function(struct strbuf *out, struct slice text);

static struct slice quoted(quote_function *quote, struct slice text)
{
	struct strbuf out = {.arena = &arena};
	quote(&out, text);
	return strbuf_slice(&out);
}

/* Bytes that shells and Python care about come often. */
static struct slice random_text(uint32_t *seed)
{
	static const char special[] =
	        "'\"\\$`!{}()[]<>|&;*?~#%= \t\n\r\f\v\x01\x1b\x7f-@^\xC3\xA9x0";
	char text[24];
	*seed = *seed * 1664525u + 1013904223u;
	size_t len = (*seed >> 24) % sizeof text;
	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 1664525u + 1013904223u;
		text[i] = (*seed >> 16) % 3 ? special[(*seed >> 24) % (sizeof special - 1)]
		                            : (char)(1 + (*seed >> 24) % 255);
	}
	return arena_dup(&arena, slice_make(text, len));
}

static struct slice read_output(const char *command)
{
	struct strbuf out = {.arena = &arena};
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	char buffer[4096];
	size_t got;
	while ((got = fread(buffer, 1, sizeof buffer, pipe)) > 0)
		strbuf_add(&out, slice_make(buffer, got));
	assert_int_equal(pclose(pipe), 0);
	return strbuf_slice(&out);
}

/* Writes BEFORE QUOTED AFTER for many texts into a script, runs it, and expects the texts back, each
 * with a NUL behind it. */
static void check_random(const char *interpreter, const char *head, const char *before,
                         const char *after, quote_function *quote)
{
	struct strbuf script = {.arena = &arena};
	struct strbuf expected = {.arena = &arena};
	strbuf_puts(&script, head);
	uint32_t seed = 7;
	for (int i = 0; i < 3000; i++) {
		struct slice text = random_text(&seed);
		strbuf_puts(&script, before);
		strbuf_add(&script, quoted(quote, text));
		strbuf_puts(&script, after);
		strbuf_add(&expected, text);
		strbuf_addc(&expected, '\0');
	}
	char path[] = "/tmp/nbscorep-quote-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, script.ptr, script.len), (ssize_t)script.len);
	close(fd);
	struct slice got =
	        read_output(arena_cstr(&arena, arena_printf(&arena, "%s %s", interpreter, path)));
	unlink(path);
	assert_true(slice_eq(got, strbuf_slice(&expected)));
}

static void test_bash_gives_text_back(void **state)
{
	check_random("bash", "", "printf '%s\\0' ", "\n", bash_word);
}

static void expand_nothing(struct strbuf *out, struct slice text)
{
	/* With the expansions taken out of the text, nothing else may expand. */
	if (bash_has_expansion(text))
		bash_word(out, text);
	else
		bash_expandable(out, text, slice_make(NULL, 0));
}

static void test_bash_expands_names_only(void **state)
{
	check_random("bash", "", "printf '%s\\0' ", "\n", expand_nothing);
}

static void test_python_gives_text_back(void **state)
{
	check_random("python3", "import os, sys\nw = sys.stdout.buffer.write\n", "w(os.fsencode(",
	             ") + b'\\0')\n", python_string);
}

static void test_comment_has_each_line(void **state)
{
	struct strbuf out = {.arena = &arena};
	python_comment(&out, SLICE("\na \t\r\n \rb "), 1);
	assert_true(slice_eq(strbuf_slice(&out), SLICE(" #\n # a\n #\n # b")));
}

RUN(TEST(test_bash_gives_text_back), TEST(test_bash_expands_names_only),
    TEST(test_python_gives_text_back), TEST(test_comment_has_each_line))
