#include "notebook/language.h"

bool language_is_python(struct slice language)
{
	static const struct slice names[] = {SLICE_INIT("python"), SLICE_INIT("python2"),
	                                     SLICE_INIT("python3"), SLICE_INIT("ipython"),
	                                     SLICE_INIT("ipython3")};
	return slice_is_one_of_nocase(language, names, sizeof names / sizeof *names);
}

static bool contains_nocase(struct slice text, struct slice word)
{
	for (size_t at = 0; at + word.len <= text.len; at++) {
		if (slice_eq_nocase(slice_sub(text, at, at + word.len), word))
			return true;
	}
	return false;
}

bool language_hints_at_python(struct slice name)
{
	return contains_nocase(name, SLICE("python"));
}

bool notebook_is_python_kernel(struct slice name)
{
	return language_hints_at_python(name) || contains_nocase(name, SLICE("conda"));
}
