#include "notebook/grammar.h"

#include "base/utf8.h"
#include "notebook/json_scan.h"

int grammar_open(struct grammar *g, struct input *in, char bracket, unsigned role)
{
	if (g->depth == g->depth_max) {
		input_fail(in, DIAG_LIMIT, "the JSON is nested more than %zu level%s deep",
		           g->depth_max, g->depth_max == 1 ? "" : "s");
		diag_hint(in->diags, DIAG_LIMIT, "use --max-nesting=N to permit more");
		return -1;
	}
	if (g->depth == g->capacity) {
		/* The first allocation suffices for all levels of real notebooks; it doubles on
		 * demand. */
		enum { FIRST = 64 };
		size_t capacity = g->capacity == 0 ? FIRST : g->capacity * 2;
		if (capacity > g->depth_max)
			capacity = g->depth_max;
		g->open = arena_grow(g->arena, g->open, g->capacity * sizeof *g->open,
		                     capacity * sizeof *g->open);
		g->capacity = capacity;
	}
	bool is_object = bracket == '{';
	g->open[g->depth++] =
	        (struct open_value){.role = role, .line = in->line, .close = is_object ? '}' : ']'};
	g->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
	in->at++;
	return 0;
}

/* ---- errors ---- */

/* True if a merge conflict marker begins here. It is usually at the start of a line, but not if the
 * file had no final line end. */
static bool is_conflict_marker(struct input *in)
{
	enum { MARKER = 7 };
	input_need(in, MARKER + 1);
	struct slice line = input_rest(in);
	const struct slice signs = SLICE("<=>|");
	if (line.len < MARKER || slice_find(signs, line.ptr[0], 0) == signs.len)
		return false;
	for (size_t i = 1; i < MARKER; i++) {
		if (line.ptr[i] != line.ptr[0])
			return false;
	}
	return line.len == MARKER || ascii_is_blank(line.ptr[MARKER]);
}

static const char *expected(const struct grammar *g)
{
	switch (g->expect) {
	case EXPECT_TOP:
		return "a JSON value";
	case EXPECT_FIRST_ITEM:
		return "a value or ']'";
	case EXPECT_ITEM:
		return "a value after ','";
	case EXPECT_FIRST_KEY:
		return "a string or '}'";
	case EXPECT_KEY:
		return "a string after ','";
	case EXPECT_COLON:
		return "':'";
	case EXPECT_MEMBER:
		return "a value after ':'";
	case EXPECT_COMMA:
		return grammar_top(g)->close == '}' ? "',' or '}'" : "',' or ']'";
	case EXPECT_END:
		break;
	}
	return "the end of the file";
}

int grammar_fail(const struct grammar *g, struct input *in, int c)
{
	if (c == INPUT_END) {
		if (g->depth == 0)
			return input_fail(in, DIAG_JSON, "the file is empty");
		input_fail(in, DIAG_JSON, "unexpected end of file, expected %s", expected(g));
		diag_hint(in->diags, DIAG_JSON, "the unclosed %s begins on line %u",
		          grammar_top(g)->close == '}' ? "object" : "array", grammar_top(g)->line);
		return -1;
	}
	if (is_conflict_marker(in)) {
		input_need(in, 7);
		int result = input_fail(in, DIAG_MERGE_CONFLICT,
		                        "unresolved merge conflict: '%.7s'", in->bytes + in->at);
		diag_hint(in->diags, DIAG_MERGE_CONFLICT, "resolve it, then build again");
		return result;
	}
	if (c > ' ' && c <= '~')
		return input_fail(in, DIAG_JSON, "expected %s, found '%c'", expected(g), c);
	if (c >= 0x80 && json_scan_check_utf8(in) != 0)
		return -1;
	size_t len;
	return input_fail(in, DIAG_JSON, "expected %s, found U+%04X", expected(g),
	                  (unsigned)utf8_decode(input_rest(in), &len));
}
