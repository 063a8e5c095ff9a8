#include "notebook/skip.h"

#include <stdint.h>

#include "base/utf8.h"

/* The same as in struct input; the compiler keeps it in registers. */
struct cursor {
	const char *at, *end; /* END is a NUL that is not of the file */
	const char *line_at;
	size_t continued;
	unsigned lines; /* ended since the start */
	const struct plain_kernel *plain;
};

/* ---- tokens: each returns false, and moves nothing, where more care is needed ---- */

static inline void pass_spaces(struct cursor *c)
{
	const uint64_t spaces = 0x2020202020202020u;
	uint64_t word;
	while (memcpy(&word, c->at, sizeof word), word == spaces)
		c->at += sizeof word;
	while (*c->at == ' ' || *c->at == '\t')
		c->at++;
}

static inline void pass_blanks(struct cursor *c)
{
	for (;;) {
		pass_spaces(c);
		size_t len = *c->at == '\n' ? 1 : 2;
		if (*c->at != '\n' && (*c->at != '\r' || c->at[1] != '\n'))
			return;
		c->at += len;
		c->line_at = c->at;
		c->continued = 0;
		c->lines++;
	}
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline const char *pass_digits(const char *at)
{
	while (is_digit(*at))
		at++;
	return at;
}

static inline bool pass_number(struct cursor *c)
{
	const char *at = c->at + (*c->at == '-'), *digits = at;
	at = pass_digits(at);
	if (at == digits || (*digits == '0' && at > digits + 1))
		return false;
	if (*at == '.') {
		digits = at + 1;
		at = pass_digits(digits);
		if (at == digits)
			return false;
	}
	if (*at == 'e' || *at == 'E') {
		at += at[1] == '+' || at[1] == '-' ? 2 : 1;
		digits = at;
		at = pass_digits(digits);
		if (at == digits)
			return false;
	}
	if (at >= c->end)
		return false;
	c->at = at;
	return true;
}

static inline bool pass_word(struct cursor *c)
{
	size_t len = *c->at == 'f' ? 5 : 4;
	const char *word = *c->at == 'f' ? "false" : *c->at == 't' ? "true" : "null";
	if (memcmp(c->at, word, len) != 0 || c->at + len >= c->end || ascii_is_alpha(c->at[len]))
		return false;
	c->at += len;
	return true;
}

static inline bool is_hex(char c)
{
	return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
}

static inline bool pass_escape(struct cursor *c)
{
	switch (c->at[1]) {
	case 'u':
		for (int i = 2; i < 6; i++) {
			if (!is_hex(c->at[i]))
				return false;
		}
		c->at += 6;
		return true;
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		c->at += 2;
		return true;
	default:
		return false;
	}
}

static inline bool pass_utf8(struct cursor *c)
{
	size_t len;
	if (utf8_decode(slice_make(c->at, (size_t)(c->end - c->at)), &len) == UTF8_INVALID)
		return false;
	c->at += len;
	c->continued += len - 1;
	return true;
}

/* From behind the opening quote to behind the closing one. False: AT is inside of the string. */
static inline bool pass_string_rest(struct cursor *c)
{
	for (;;) {
		c->at = c->plain->end(c->at);
		if (*c->at == '"') {
			c->at++;
			return true;
		}
		bool passed = *c->at == '\\'            ? pass_escape(c)
		              : (signed char)*c->at < 0 ? pass_utf8(c)
		                                        : false;
		if (!passed)
			return false;
	}
}

/* ---- the grammar ---- */

enum step { STEP_ON, STEP_OUT, STEP_CARE, STEP_IN_STRING };

static inline enum step pass_string(struct grammar *g, struct cursor *c, enum expect behind)
{
	c->at++;
	g->expect = behind;
	return pass_string_rest(c) ? STEP_ON : STEP_IN_STRING;
}

static inline enum step pass_open(struct grammar *g, struct cursor *c, unsigned line)
{
	if (g->depth == g->capacity)
		return STEP_CARE;
	bool is_object = *c->at++ == '{';
	g->open[g->depth++] =
	        (struct open_value){.line = line + c->lines, .close = is_object ? '}' : ']'};
	g->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
	return STEP_ON;
}

static inline enum step pass_close(struct grammar *g, struct cursor *c)
{
	c->at++;
	grammar_close(g);
	return g->depth > 0 && grammar_top(g)->role == 0 ? STEP_ON : STEP_OUT;
}

static inline enum step pass_value(struct grammar *g, struct cursor *c, unsigned line)
{
	char first = *c->at;
	if (first == '"')
		return pass_string(g, c, EXPECT_COMMA);
	if (first == '{' || first == '[')
		return pass_open(g, c, line);
	bool passed = first == '-' || is_digit(first) ? pass_number(c) : pass_word(c);
	if (passed)
		g->expect = EXPECT_COMMA;
	return passed ? STEP_ON : STEP_CARE;
}

static inline enum step pass_colon(struct grammar *g, struct cursor *c)
{
	if (*c->at != ':')
		return STEP_CARE;
	c->at++;
	g->expect = EXPECT_MEMBER;
	return STEP_ON;
}

static inline enum step pass_comma(struct grammar *g, struct cursor *c)
{
	char close = grammar_top(g)->close;
	if (*c->at == close)
		return pass_close(g, c);
	if (*c->at != ',')
		return STEP_CARE;
	c->at++;
	g->expect = close == '}' ? EXPECT_KEY : EXPECT_ITEM;
	return STEP_ON;
}

static inline enum step pass_token(struct grammar *g, struct cursor *c, unsigned line)
{
	switch (g->expect) {
	case EXPECT_COMMA:
		return pass_comma(g, c);
	case EXPECT_FIRST_ITEM:
		return *c->at == ']' ? pass_close(g, c) : pass_value(g, c, line);
	case EXPECT_ITEM:
	case EXPECT_MEMBER:
		return pass_value(g, c, line);
	case EXPECT_FIRST_KEY:
		if (*c->at == '}')
			return pass_close(g, c);
		/* fall through */
	case EXPECT_KEY:
		return *c->at == '"' ? pass_string(g, c, EXPECT_COLON) : STEP_CARE;
	case EXPECT_COLON:
		return pass_colon(g, c);
	default:
		return STEP_CARE;
	}
}

enum skip_stop skip_tokens(struct grammar *g, struct input *in)
{
	if (in->after_cr)
		return SKIP_AT_TOKEN;
	struct cursor c = {.at = in->bytes + in->at,
	                   .end = in->bytes + in->end,
	                   .line_at = in->bytes + in->line_at,
	                   .continued = in->continued,
	                   .plain = in->plain};
	enum step step;
	do {
		pass_blanks(&c);
		step = pass_token(g, &c, in->line);
	} while (step == STEP_ON);
	in->at = (size_t)(c.at - in->bytes);
	input_note_lines(in, c.lines, (size_t)(c.line_at - in->bytes), c.continued);
	return step == STEP_IN_STRING ? SKIP_IN_STRING : SKIP_AT_TOKEN;
}
