#include "notebook/check_language.h"

#include "notebook/language.h"

/* The language that the notebook states, or an empty slice. */
static struct slice stated_language(const json_t *metadata, const json_t *kernel)
{
	const json_t *info = convert_member(metadata, "language_info");
	struct slice name = convert_text(convert_member(info, "name"));
	/* Older versions of Score-P's kernel state "Any text" for the Python in their notebooks. */
	if (name.len == 0 || slice_eq_nocase(name, SLICE("Any text")))
		name = convert_text(convert_member(kernel, "language"));
	return name;
}

/* True if the kernel's name indicates Python, or the notebook has no kernel. Only for notebooks
 * that state no language. */
static bool is_python_kernel(struct slice name, struct slice display)
{
	if (slice_trim(name).len == 0 && slice_trim(display).len == 0)
		return true;
	return notebook_is_python_kernel(name) || notebook_is_python_kernel(display);
}

int check_language(struct conversion *c, const json_t *metadata)
{
	const json_t *kernel = convert_member(metadata, "kernelspec");
	struct slice language = stated_language(metadata, kernel);
	struct slice name = convert_text(convert_member(kernel, "name"));
	struct slice display = convert_text(convert_member(kernel, "display_name"));
	if (language.len > 0 ? language_is_python(language) : is_python_kernel(name, display))
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
