#include "driver/selective.h"

#include "base/paths.h"
#include "base/utf8.h"
#include "driver/project.h"
#include "emit/run_script.h"

enum { REGIONS_MAX = 1 << 20 }; /* bytes of a file of names */

/* True if C may be in a pattern for identifiers. Beyond ASCII Python decides. */
static bool is_in_name(char c)
{
	return is_name_byte(c) || c == '*' || c == '?';
}

/* The offset of the first byte that a dotted pattern cannot contain there, or TEXT.len. */
static size_t find_fault(struct slice text)
{
	bool begins = true;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_dot = c == '.' && !begins && i + 1 < text.len;
		if (!is_dot && (!is_in_name(c) || (begins && ascii_is_digit(c))))
			return i;
		begins = is_dot;
	}
	return text.len;
}

static int refuse_regions(struct compilation *c, struct slice path, struct location where,
                          const char *problem)
{
	where.file = path;
	diag_add(&c->diags, DIAG_REGIONS_FILE, where, "%s", problem);
	return -1;
}

/* One line of the file: a name or a pattern, a comment, or nothing. */
static int read_line(struct compilation *c, struct slice path, unsigned number, struct slice line,
                     struct runtime_wishes *out)
{
	struct slice name = slice_trim(slice_sub(line, 0, slice_find(line, '#', 0)));
	size_t fault = find_fault(name);
	if (name.len == 0)
		return 0;
	if (fault == name.len) {
		vec_push(c->arena, &out->regions, name);
		return 0;
	}
	size_t len;
	utf8_decode(slice_sub(name, fault, name.len), &len);
	struct location where =
	        location_in_line(0, number, line, (size_t)(name.ptr - line.ptr) + fault, len);
	return refuse_regions(
	        c, path, where,
	        "a line holds the name of a function or class, such as 'Solver.step' or "
	        "'read_*'");
}

static int read_names(struct compilation *c, struct slice path, struct slice text,
                      struct runtime_wishes *out)
{
	static const struct slice mark = SLICE_INIT("\xEF\xBB\xBF");
	struct slice line, rest = text;
	unsigned number = 0;
	int status = 0;
	if (utf8_check(text) < text.len)
		return refuse_regions(c, path, (struct location){0}, "the file is not UTF-8");
	if (slice_starts_with(rest, mark))
		rest = slice_sub(rest, mark.len, rest.len);
	while (slice_next_line(&rest, &line)) {
		if (read_line(c, path, ++number, line, out) < 0)
			status = -1;
	}
	if (status == 0 && out->regions.count == 0)
		return refuse_regions(c, path, (struct location){0}, "the file names no function");
	return status;
}

int selective_read(struct compilation *c, const struct build_settings *settings,
                   struct runtime_wishes *out)
{
	static const struct slice names[] = {
	        [MEASUREMENT_DEFAULT] = SLICE_INIT(""),
	        [MEASUREMENT_AUTO] = SLICE_INIT("auto"),
	        [MEASUREMENT_SCOREP] = SLICE_INIT("scorep"),
	        [MEASUREMENT_BUILTIN] = SLICE_INIT("builtin"),
	        [MEASUREMENT_NONE] = SLICE_INIT("none"),
	};
	*out = (struct runtime_wishes){
	        .measurement = names[settings->measurement],
	        .records_imports = settings->imports == IMPORTS_RECORD,
	        .progress = settings->progress,
	};
	for (size_t i = 0; i < settings->instrument_modules.count; i++)
		vec_push(c->arena, &out->modules,
		         slice_from(settings->instrument_modules.items[i]));
	if (settings->regions == NULL)
		return 0;
	struct slice regions = slice_from(settings->regions);
	out->all_regions = slice_eq(regions, SLICE("defs"));
	if (path_is_stdin(regions)) /* would be standard input */
		regions = SLICE("./-");
	if (out->all_regions)
		return 0;
	struct slice text;
	return project_read(c, SLICE("regions"), regions, REGIONS_MAX, &text) < 0
	               ? -1
	               : read_names(c, regions, text, out);
}
