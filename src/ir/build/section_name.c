#include "ir/build/section_name.h"

#include "ir/build/builder.h"

#include "base/paths.h"
#include "lex/lex.h"

static struct slice without_py(struct slice name)
{
	return slice_ends_with(name, SLICE(".py")) && name.len > 3
	               ? slice_sub(name, 0, name.len - 3)
	               : name;
}

static bool has_parent_component(struct slice name)
{
	for (size_t at = 0; at <= name.len;) {
		size_t end = slice_find(name, '/', at);
		if (slice_eq(slice_sub(name, at, end), SLICE("..")))
			return true;
		at = end + 1;
	}
	return false;
}

/* Returns what is wrong with NAME as a file below the output folder, or NULL. */
static const char *name_fault(struct slice name, const struct ir_options *options)
{
	if (slice_find(name, '\0', 0) < name.len)
		return "contains a NUL character";
	struct slice last = path_file(name);
	if (last.len == 0 || slice_eq(last, SLICE(".")))
		return "has no file name at its end";
	if (options->allow_outside)
		return NULL;
	if (name.ptr[0] == '/')
		return "is an absolute path";
	return has_parent_component(name) ? "contains '..'" : NULL;
}

struct slice build_section_name(struct arena *arena, struct diags *diags, const struct magic *magic,
                                struct location where, const struct ir_options *options)
{
	/* The kernel takes the rest of the line, including blanks. */
	struct slice name = slice_trim(magic->args);
	if (name.len == 0)
		return SLICE("jupyter_to_script");
	const char *fault = name_fault(name, options);
	if (fault == NULL)
		return without_py(arena_dup(arena, name));
	diag_add(diags, DIAG_NAME, where, "'%.*s' is not a valid program name: it %s",
	         SLICE_ARG(name), fault);
	struct ir_options lifted = *options;
	lifted.allow_outside = true;
	if (name_fault(name, &lifted) == NULL)
		diag_hint(diags, DIAG_NAME,
		          "use a path below the output folder, or --allow-outside to permit this");
	return slice_make("", 0);
}
