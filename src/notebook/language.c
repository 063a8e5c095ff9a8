#include "notebook/convert.h"

bool convert_is_python(struct slice language)
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

bool convert_hints_at_python(struct slice name)
{
	return contains_nocase(name, SLICE("python"));
}

bool notebook_is_python_kernel(struct slice name)
{
	return convert_hints_at_python(name) || contains_nocase(name, SLICE("conda"));
}

/* What the notebook says its language is, or an empty slice. */
static struct slice stated_language(const json_t *metadata, const json_t *kernel)
{
	const json_t *info = convert_member(metadata, "language_info");
	struct slice name = convert_text(convert_member(info, "name"));
	/* Older versions of Score-P's kernel say "Any text" of the Python in their notebooks. */
	if (name.len == 0 || slice_eq_nocase(name, SLICE("Any text")))
		name = convert_text(convert_member(kernel, "language"));
	return name;
}

/* Only where no language is stated: does the kernel's name hint at Python, or is there none? */
static bool is_python_kernel(struct slice name, struct slice display)
{
	if (slice_trim(name).len == 0 && slice_trim(display).len == 0)
		return true;
	return notebook_is_python_kernel(name) || notebook_is_python_kernel(display);
}

int convert_language(struct conversion *c, const json_t *metadata)
{
	const json_t *kernel = convert_member(metadata, "kernelspec");
	struct slice language = stated_language(metadata, kernel);
	struct slice name = convert_text(convert_member(kernel, "name"));
	struct slice display = convert_text(convert_member(kernel, "display_name"));
	if (language.len > 0 ? convert_is_python(language) : is_python_kernel(name, display))
		return 0;
	if (language.len > 0)
		diag_add(c->diags, DIAG_LANGUAGE, (struct location){0},
		         "the notebook's language is '%.*s', not Python",
		         SLICE_ARG(convert_shown(language)));
	else
		diag_add(c->diags, DIAG_LANGUAGE, (struct location){0},
		         "the notebook's kernel is '%.*s', not a Python kernel",
		         SLICE_ARG(convert_shown(slice_trim(display).len > 0 ? display : name)));
	return -1;
}
