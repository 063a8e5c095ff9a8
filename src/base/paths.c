#include "base/paths.h"

static size_t file_start(struct slice path)
{
	size_t start = path.len;
	while (start > 0 && path.ptr[start - 1] != '/')
		start--;
	return start;
}

struct slice path_folder(struct slice path)
{
	size_t start = file_start(path);
	if (start == 0)
		return SLICE(".");
	return slice_sub(path, 0, start == 1 ? 1 : start - 1);
}

struct slice path_file(struct slice path)
{
	return slice_tail(path, file_start(path));
}

struct slice path_join(struct arena *arena, struct slice folder, struct slice name)
{
	if (folder.len == 0 || slice_eq(folder, SLICE(".")) || (name.len > 0 && name.ptr[0] == '/'))
		return arena_dup(arena, name);
	const char *slash = slice_ends_with(folder, SLICE("/")) ? "" : "/";
	return arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(folder), slash, SLICE_ARG(name));
}

struct slice path_relative(struct arena *arena, struct slice from, struct slice to)
{
	/* The root folder ends in its slash; without it, all paths have the same form. */
	from = slice_eq(from, SLICE("/")) ? slice_make("", 0) : from;
	to = slice_eq(to, SLICE("/")) ? slice_make("", 0) : to;
	size_t common = 0; /* the length of the leading folders that they share */
	for (size_t at = 0;; at++) {
		bool from_ends = at == from.len || from.ptr[at] == '/';
		bool to_ends = at == to.len || to.ptr[at] == '/';
		if (from_ends && to_ends)
			common = at;
		if (at == from.len || at == to.len || from.ptr[at] != to.ptr[at])
			break;
	}
	struct strbuf out = {.arena = arena};
	for (size_t at = common; at < from.len; at++) {
		if (from.ptr[at] == '/')
			strbuf_puts(&out, out.len == 0 ? ".." : "/..");
	}
	if (common < to.len) {
		if (out.len > 0)
			strbuf_addc(&out, '/');
		strbuf_add(&out, slice_tail(to, common + 1));
	}
	return out.len == 0 ? SLICE(".") : strbuf_slice(&out);
}
