#include "notebook/language.h"

bool language_is_python(struct slice language)
{
	return slice_is_word_of_nocase(language, "python python2 python3 ipython ipython3");
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
