#include "lex/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"

static const struct {
	const char *preferred, *fallback; /* PCRE2 before 10.40 knows no boolean properties */
} sources[PATTERN_CLASS_COUNT] = {
        [PATTERN_NAME_START] = {"\\A\\p{XID_Start}", "\\A[\\p{L}\\p{Nl}]"},
        [PATTERN_NAME_CONTINUE] = {"\\A\\p{XID_Continue}",
                                   "\\A[\\p{L}\\p{Nl}\\p{Mn}\\p{Mc}\\p{Nd}\\p{Pc}]"},
        [PATTERN_WORD] = {"\\A[\\p{L}\\p{N}_]", "\\A[\\p{L}\\p{N}_]"},
        [PATTERN_DIGIT] = {"\\A\\p{Nd}", "\\A\\p{Nd}"},
};

static void *allocate(size_t size, void *arena)
{
	return arena_alloc(arena, size);
}

static void forget(void *memory, void *arena)
{
	(void)memory;
	(void)arena;
}

void patterns_init(struct patterns *patterns, struct arena *arena)
{
	*patterns = (struct patterns){.arena = arena};
}

static pcre2_code *compile(pcre2_compile_context *context, const char *source)
{
	int error = 0;
	PCRE2_SIZE offset = 0;
	return pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP,
	                     &error, &offset, context);
}

static void prepare(struct patterns *patterns, enum pattern_class class)
{
	if (patterns->context == NULL)
		patterns->context = pcre2_general_context_create(allocate, forget, patterns->arena);
	pcre2_compile_context *context = pcre2_compile_context_create(patterns->context);
	pcre2_code *code = compile(context, sources[class].preferred);
	if (code == NULL)
		code = compile(context, sources[class].fallback);
	patterns->code[class] = code;
	if (code != NULL)
		patterns->match[class] =
		        pcre2_match_data_create_from_pattern(code, patterns->context);
}

bool pattern_is(struct patterns *patterns, enum pattern_class class, uint32_t codepoint)
{
	if (patterns->code[class] == NULL)
		prepare(patterns, class);
	/* Without Unicode support in the library: what is not ASCII is taken for a letter. */
	if (patterns->code[class] == NULL)
		return class != PATTERN_DIGIT;
	char text[4];
	size_t len = utf8_put(text, codepoint);
	return pcre2_match(patterns->code[class], (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK,
	                   patterns->match[class], NULL) > 0;
}
