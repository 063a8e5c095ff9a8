#include "lex/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"

static const struct {
	const char *preferred, *fallback; /* PCRE2 before 10.40 has no boolean properties */
} sources[PATTERN_CLASS_COUNT] = {
        [PATTERN_NAME_START] = {"\\A\\p{XID_Start}", "\\A[\\p{L}\\p{Nl}]"},
        [PATTERN_NAME_CONTINUE] = {"\\A\\p{XID_Continue}",
                                   "\\A[\\p{L}\\p{Nl}\\p{Mn}\\p{Mc}\\p{Nd}\\p{Pc}]"},
        [PATTERN_WORD] = {"\\A[\\p{L}\\p{N}_]", "\\A[\\p{L}\\p{N}_]"},
        [PATTERN_DIGIT] = {"\\A\\p{Nd}", "\\A\\p{Nd}"},
};

/* Lives as long as the process. */
static struct pattern {
	bool is_prepared;
	pcre2_code *code; /* NULL: the library lacks the class */
	pcre2_match_data *match;
} patterns[PATTERN_CLASS_COUNT];

static pcre2_code *compile(struct arena *arena, const char *source)
{
	int error = 0;
	PCRE2_SIZE offset = 0;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
	                                 PCRE2_UTF | PCRE2_UCP, &error, &offset, NULL);
	if (code == NULL && error == PCRE2_ERROR_HEAP_FAILED)
		arena_fail(arena);
	return code;
}

static void prepare(struct arena *arena, enum pattern_class class)
{
	struct pattern *pattern = &patterns[class];
	if (pattern->code == NULL)
		pattern->code = compile(arena, sources[class].preferred);
	if (pattern->code == NULL)
		pattern->code = compile(arena, sources[class].fallback);
	if (pattern->code != NULL)
		pattern->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	if (pattern->code != NULL && pattern->match == NULL)
		arena_fail(arena);
	pattern->is_prepared = true;
}

bool pattern_is(struct arena *arena, enum pattern_class class, uint32_t codepoint)
{
	const struct pattern *pattern = &patterns[class];
	if (!pattern->is_prepared)
		prepare(arena, class);
	/* Without Unicode support in the library, characters beyond ASCII count as letters. */
	if (pattern->code == NULL)
		return class != PATTERN_DIGIT;
	char text[4];
	size_t len = utf8_put(text, codepoint);
	return pcre2_match(pattern->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK,
	                   pattern->match, NULL) > 0;
}
