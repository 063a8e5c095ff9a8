#include "notebook/skip.h"

#include <endian.h>

#include "base/utf8.h"

/* The cursor stays in registers only if all of this is inlined into one function. */
#define INLINE static inline __attribute__((always_inline))

/* The part of the grammar and the input that the compiler keeps in registers. */
struct cursor {
	const char *at, *end; /* END is a NUL after the file's bytes */
	const char *line_at;
	size_t continued;
	unsigned line;
	enum expect expect;
	char close; /* the bracket that ends the innermost open value */
	const struct plain_kernel *plain;
};

INLINE uint64_t eight_bytes(const char *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof word);
	return word;
}

static const uint64_t each_byte = 0x0101010101010101u;

/* ---- white space ---- */

INLINE void pass_blanks(struct cursor *c)
{
	if (*c->at == ' ' && c->at[1] > ' ')
		c->at++;
	while (*c->at <= ' ') {
		if (*c->at == '\n') {
			c->line_at = c->at + 1;
			c->continued = 0;
			c->line++;
		} else if (*c->at != ' ' && *c->at != '\t' && *c->at != '\r') {
			return;
		}
		c->at++;
		while (eight_bytes(c->at) == each_byte * ' ')
			c->at += sizeof(uint64_t);
		while (*c->at == ' ')
			c->at++;
	}
}

/* ---- numbers and words: each function returns false and does not move if more care is needed
 * ---- */

/* The bit after a run of at least one digit from bit FROM on, or 0. OTHERS are the bytes from FROM
 * on that are not digits. */
INLINE unsigned end_of_digits(uint64_t others, unsigned from)
{
	unsigned end = others == 0 ? 0 : (unsigned)__builtin_ctzll(others);
	return end > from ? end : 0;
}

INLINE uint64_t from_bit(uint64_t mask, unsigned bit)
{
	return mask & ~(uint64_t)0 << bit;
}

INLINE bool pass_number(struct cursor *c)
{
	const char *at = c->at;
	unsigned begin = *at == '-';
	uint64_t others = from_bit(c->plain->digits(at), begin);
	unsigned end = end_of_digits(others, begin);
	if (end == 0 || (at[begin] == '0' && end > begin + 1))
		return false;
	if (at[end] == '.') {
		others &= others - 1;
		end = end_of_digits(others, end + 1);
	}
	if (end > 0 && ascii_lower(at[end]) == 'e') {
		begin = end + 1 + (at[end + 1] == '+' || at[end + 1] == '-');
		end = begin < PLAIN_BLOCK ? end_of_digits(from_bit(others, begin), begin) : 0;
	}
	if (end == 0 || at + end >= c->end)
		return false;
	c->at = at + end;
	return true;
}

INLINE bool pass_word(struct cursor *c)
{
	size_t len = *c->at == 'f' ? 5 : 4;
	const char *word = *c->at == 'f' ? "false" : *c->at == 't' ? "true" : "null";
	if (memcmp(c->at, word, len) != 0 || c->at + len >= c->end || ascii_is_alpha(c->at[len]))
		return false;
	c->at += len;
	return true;
}

/* ---- strings ---- */

enum string_stop {
	STRING_ON,   /* it continues */
	STRING_ENDS, /* AT is after it */
	STRING_CARE, /* AT is where more care is needed */
};

/* 1 for hexadecimal digits. */
static const unsigned char hex_digits[256] = {
        ['0' ... '9'] = 1, ['a' ... 'f'] = 1, ['A' ... 'F'] = 1};

/* The length of an escape by the letter after the backslash; 0 for an invalid one. */
static const unsigned char escapes[256] = {
        ['"'] = 2, ['\\'] = 2, ['/'] = 2, ['b'] = 2, ['f'] = 2,
        ['n'] = 2, ['r'] = 2,  ['t'] = 2, ['u'] = 6,
};

INLINE unsigned look_up(const unsigned char table[256], char c)
{
	return table[(unsigned char)c];
}

INLINE bool is_escape(const char *at)
{
	unsigned len = look_up(escapes, at[1]);
	if (len == 6)
		return (look_up(hex_digits, at[2]) & look_up(hex_digits, at[3]) &
		        look_up(hex_digits, at[4]) & look_up(hex_digits, at[5])) != 0;
	return len > 0;
}

/* The length of the non-ASCII character at the cursor; 0 if it is malformed. RFC 3629,
 * section 4: lead and continuation bytes, nothing overlong, no surrogates, nothing beyond
 * U+10FFFF. */
INLINE unsigned utf8_len(const struct cursor *c)
{
	uint32_t four;
	memcpy(&four, c->at, sizeof four);
	four = le32toh(four);
	if ((four & 0xC0C0F0) == 0x8080E0)
		return (four & 0x200F) != 0 && (four & 0x200F) != 0x200D ? 3 : 0;
	if ((four & 0xC0E0) == 0x80C0)
		return (four & 0x1E) != 0 ? 2 : 0;
	if ((four & 0xC0C0C0F8) == 0x808080F0)
		return (four & 0x3007) != 0 && ((four & 7) < 4 || (four & 0x3007) == 4) ? 4 : 0;
	return 0;
}

/* Passes the characters up to the next ASCII one. Returns false at a malformed one. Each length is a
 * constant after a branch: if the next load depended on a loaded length, this would take several
 * times as long. */
INLINE bool pass_non_ascii(struct cursor *c)
{
	do {
		unsigned len = utf8_len(c);
		if (len == 3)
			c->at += 3, c->continued += 2;
		else if (len == 2)
			c->at += 2, c->continued += 1;
		else if (len == 4)
			c->at += 4, c->continued += 3;
		else
			return false;
	} while ((signed char)*c->at < 0);
	return true;
}

/* Passes the special bytes of the block at AT, one after the other, without checking the others. */
INLINE enum string_stop pass_specials(struct cursor *c, uint64_t mask)
{
	const char *block = c->at, *next = block + PLAIN_BLOCK;
	while (mask != 0) {
		unsigned index = (unsigned)__builtin_ctzll(mask);
		c->at = block + index;
		if (*c->at == '"') {
			c->at++;
			return STRING_ENDS;
		}
		/* Nearly each line of a text ends like this. */
		if (*c->at == '\\' && c->at[1] == 'n' && c->at[2] == '"') {
			c->at += 3;
			return STRING_ENDS;
		}
		if (*c->at == '\\' && is_escape(c->at)) {
			/* an escape's digits are not special */
			mask &= (~(uint64_t)0 << 2) << index;
			if (index == PLAIN_BLOCK - 1)
				next++;
			continue;
		}
		if ((signed char)*c->at >= 0 || !pass_non_ascii(c))
			return STRING_CARE;
		if (c->at >= next)
			return STRING_ON;
		mask = from_bit(mask, (unsigned)(c->at - block));
	}
	c->at = next;
	return STRING_ON;
}

/* Passes from after the opening quote to after the closing quote. */
INLINE bool pass_string_rest(struct cursor *c)
{
	enum string_stop stop = STRING_ON;
	while (stop == STRING_ON) {
		uint64_t mask = c->plain->mask(c->at);
		if (mask == 0)
			c->at = c->plain->end(c->at + PLAIN_BLOCK);
		else
			stop = pass_specials(c, mask);
	}
	return stop == STRING_ENDS;
}

/* ---- the grammar ---- */

enum step { STEP_ON, STEP_OUT, STEP_CARE, STEP_IN_STRING };

INLINE enum step pass_string(struct cursor *c, enum expect behind)
{
	c->at++;
	c->expect = behind;
	return pass_string_rest(c) ? STEP_ON : STEP_IN_STRING;
}

INLINE enum step pass_close(struct grammar *g, struct cursor *c)
{
	c->at++;
	grammar_close(g);
	c->expect = g->expect;
	if (g->open.count == 0 || grammar_top(g)->role != 0)
		return STEP_OUT;
	c->close = grammar_top(g)->close;
	return STEP_ON;
}

INLINE enum step pass_value(struct grammar *g, struct cursor *c)
{
	char first = *c->at;
	if (first == '"')
		return pass_string(c, EXPECT_COMMA);
	if (first == '{' || first == '[') {
		if (g->open.count == g->open.capacity || g->open.count == g->depth_max)
			return STEP_CARE;
		c->at++;
		c->close = first == '{' ? '}' : ']';
		c->expect = first == '{' ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
		g->open.items[g->open.count++] =
		        (struct open_value){.line = c->line, .close = c->close};
		return STEP_ON;
	}
	bool passed = first == '-' || ascii_is_digit(first) ? pass_number(c) : pass_word(c);
	if (passed)
		c->expect = EXPECT_COMMA;
	return passed ? STEP_ON : STEP_CARE;
}

INLINE enum step pass_token(struct grammar *g, struct cursor *c)
{
	switch (c->expect) {
	case EXPECT_COMMA:
		if (*c->at == c->close)
			return pass_close(g, c);
		if (*c->at != ',')
			return STEP_CARE;
		c->at++;
		c->expect = c->close == '}' ? EXPECT_KEY : EXPECT_ITEM;
		return STEP_ON;
	case EXPECT_FIRST_ITEM:
		if (*c->at == ']')
			return pass_close(g, c);
		/* fall through */
	case EXPECT_ITEM:
	case EXPECT_MEMBER:
		return pass_value(g, c);
	case EXPECT_FIRST_KEY:
		if (*c->at == '}')
			return pass_close(g, c);
		/* fall through */
	case EXPECT_KEY:
		return *c->at == '"' ? pass_string(c, EXPECT_COLON) : STEP_CARE;
	case EXPECT_COLON:
		if (*c->at != ':')
			return STEP_CARE;
		c->at++;
		c->expect = EXPECT_MEMBER;
		return STEP_ON;
	default:
		return STEP_CARE;
	}
}

static struct cursor cursor_begin(const struct input *in)
{
	return (struct cursor){.at = in->bytes + in->at,
	                       .end = in->bytes + in->end,
	                       .line_at = in->bytes + in->line_at,
	                       .continued = in->continued,
	                       .line = in->line,
	                       .plain = in->plain};
}

static void cursor_finish(const struct cursor *c, struct input *in)
{
	in->at = (size_t)(c->at - in->bytes);
	if (c->line != in->line)
		in->dropped = 0;
	in->line = c->line;
	in->line_at = (size_t)(c->line_at - in->bytes);
	in->continued = c->continued;
}

bool skip_string(struct input *in)
{
	struct cursor c = cursor_begin(in);
	bool ends = pass_string_rest(&c);
	cursor_finish(&c, in);
	return ends;
}

bool skip_tokens(struct grammar *g, struct input *in)
{
	struct cursor c = cursor_begin(in);
	c.expect = g->expect;
	c.close = grammar_top(g)->close;
	enum step step;
	do {
		pass_blanks(&c);
		step = pass_token(g, &c);
	} while (step == STEP_ON);
	g->expect = c.expect;
	cursor_finish(&c, in);
	return step == STEP_IN_STRING;
}

/* ---- grammar ---- */

int grammar_open(struct grammar *g, struct input *in, char bracket, unsigned role)
{
	if (g->open.count == g->depth_max) {
		input_fail(in, DIAG_LIMIT, "the JSON is nested more than %zu level%s deep",
		           g->depth_max, g->depth_max == 1 ? "" : "s");
		return diag_hint(in->diags, DIAG_LIMIT, "use --max-nesting=N to permit more");
	}
	bool is_object = bracket == '{';
	struct open_value value = {.role = role, .line = in->line, .close = is_object ? '}' : ']'};
	vec_push(g->arena, &g->open, value);
	g->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
	in->at++;
	return 0;
}

/* ---- errors ---- */

static const char *expected(const struct grammar *g)
{
	static const char *const names[] = {
	        [EXPECT_TOP] = "a JSON value",         [EXPECT_FIRST_ITEM] = "a value or ']'",
	        [EXPECT_ITEM] = "a value after ','",   [EXPECT_FIRST_KEY] = "a string or '}'",
	        [EXPECT_KEY] = "a string after ','",   [EXPECT_COLON] = "':'",
	        [EXPECT_MEMBER] = "a value after ':'", [EXPECT_COMMA] = "',' or ']'",
	        [EXPECT_END] = "the end of the file",
	};
	bool in_object = g->expect == EXPECT_COMMA && grammar_top(g)->close == '}';
	return in_object ? "',' or '}'" : names[g->expect];
}

int grammar_fail(const struct grammar *g, struct input *in, int c)
{
	enum { MARKER = 7 };
	if (c == INPUT_END) {
		if (g->open.count == 0)
			return input_fail(in, DIAG_JSON, "the file is empty");
		input_fail(in, DIAG_JSON, "unexpected end of file, expected %s", expected(g));
		return diag_hint(in->diags, DIAG_JSON, "the unclosed %s begins on line %u",
		                 grammar_top(g)->close == '}' ? "object" : "array",
		                 grammar_top(g)->line);
	}
	/* A merge conflict marker is usually at the start of a line, but not if the file had no final line end. */
	input_need(in, MARKER + 1);
	struct slice line = input_rest(in);
	if (line.len >= MARKER && slice_has(SLICE("<=>|"), line.ptr[0]) &&
	    memcmp(line.ptr, line.ptr + 1, MARKER - 1) == 0 && /* one sign */
	    (line.len == MARKER || ascii_is_blank(line.ptr[MARKER]))) {
		input_fail(in, DIAG_MERGE_CONFLICT, "unresolved merge conflict: '%.7s'",
		           in->bytes + in->at);
		return diag_hint(in->diags, DIAG_MERGE_CONFLICT, "resolve it, then build again");
	}
	if (c > ' ' && c <= '~')
		return input_fail(in, DIAG_JSON, "expected %s, found '%c'", expected(g), c);
	if (c >= 0x80 && json_scan_check_utf8(in) != 0)
		return -1;
	size_t len;
	return input_fail(in, DIAG_JSON, "expected %s, found U+%04X", expected(g),
	                  (unsigned)utf8_decode(input_rest(in), &len));
}
