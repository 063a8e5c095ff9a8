#include "cli/needed_files.h"

#include <errno.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "scorep/filter.h"

enum { FILTER_MAX = 16 << 20 };

static const char *value_of(struct slice name, void *data)
{
	return getenv(arena_cstr(data, name));
}

/* NAME as it expands now. False where a variable in it is not set. */
static bool expand(struct arena *arena, struct slice name, struct slice *out)
{
	struct strbuf text;
	strbuf_init(&text, arena);
	struct slice unset = bash_expand(&text, name, slice_make("", 0), value_of, arena);
	*out = strbuf_slice(&text);
	return unset.len == 0;
}

/* The run starts in the notebook's folder. */
static struct slice path_of(const struct compilation *c, struct slice name)
{
	if (name.len > 0 && name.ptr[0] == '/')
		return name;
	struct slice folder = slice_eq(c->path, SLICE("-")) ? SLICE(".") : path_folder(c->path);
	return path_join(c->arena, folder, name);
}

static void note(struct compilation *c, struct slice path)
{
	if (!slice_is_one_of(path, c->needed.items, c->needed.count))
		vec_push(c->arena, &c->needed, path);
}

static void check_later(struct compilation *c, const struct argument *argument, struct slice name)
{
	struct slice now;
	if (expand(c->arena, name, &now) &&
	    os_check_readable(arena_cstr(c->arena, path_of(c, now))) == 0)
		return;
	diag_add(&c->diags, DIAG_MISSING_YET, argument_place(argument),
	         "'%.*s' cannot be found now; the run needs it when it starts", SLICE_ARG(name));
}

/* After a call failed: KIND where that is the file's fault. */
static enum diag_kind kind_of_failure(struct compilation *c, enum diag_kind kind)
{
	if (os_is_unsuitable(errno))
		return kind;
	c->system_failed = true;
	return DIAG_IO;
}

static void check(struct compilation *c, const struct argument *argument, struct slice name)
{
	struct slice path = path_of(c, name);
	if (os_check_readable(arena_cstr(c->arena, path)) == 0) {
		note(c, path);
		return;
	}
	enum diag_kind kind = kind_of_failure(c, DIAG_MISSING_FILE);
	diag_add(&c->diags, kind, argument_place(argument), "cannot read '%.*s': %s",
	         SLICE_ARG(name), strerror(errno));
	diag_hint(&c->diags, kind, "the run looks for it from the notebook's folder");
}

static void check_argument(struct compilation *c, const struct argument *argument)
{
	static const struct slice option = SLICE_INIT("--instrumenter-file=");
	if (!slice_starts_with(argument->text, option))
		return;
	struct slice name = slice_sub(argument->text, option.len, argument->text.len);
	if (argument->expands)
		check_later(c, argument, name);
	else
		check(c, argument, name);
}

static void check_filter_text(struct compilation *c, struct slice path)
{
	struct strbuf text;
	strbuf_init(&text, c->arena);
	if (os_read_file(arena_cstr(c->arena, path), &text, FILTER_MAX) < 0)
		diag_add(&c->diags, kind_of_failure(c, DIAG_MISSING_FILE), (struct location){0},
		         "cannot read '%.*s': %s", SLICE_ARG(path), strerror(errno));
	else
		scorep_check_filter(&c->diags, path, strbuf_slice(&text));
}

/* The one in force. The command line's has no place in the notebook. */
static const struct setting *find_filter(const struct program *program)
{
	for (size_t i = program->environment.count; i-- > 0;) {
		if (slice_eq(program->environment.items[i].name, SLICE("SCOREP_FILTERING_FILE")))
			return &program->environment.items[i];
	}
	return NULL;
}

static void check_filter(struct compilation *c, const struct program *program)
{
	const struct setting *setting = find_filter(program);
	if (setting == NULL || setting->value.len == 0 ||
	    slice_find(setting->value, '\0', 0) < setting->value.len ||
	    (!setting->literal && bash_has_expansion(setting->value)))
		return;
	bool is_given = c->filter.len > 0;
	struct slice path = is_given ? c->filter : path_of(c, setting->value);
	if (slice_eq(path, SLICE("-"))) /* would be standard input */
		path = SLICE("./-");
	const char *file = arena_cstr(c->arena, path);
	/* A notebook's may be made before the run. */
	enum diag_kind kind = is_given ? DIAG_MISSING_FILE : DIAG_MISSING_YET;
	int is_regular = os_check_readable(file) == 0 ? os_find_file(file) : -1;
	if (is_regular < 0) {
		diag_add(&c->diags, kind_of_failure(c, kind), setting->value_where,
		         "cannot read the filter file '%.*s': %s", SLICE_ARG(path),
		         strerror(errno));
		return;
	}
	note(c, path);
	if (is_regular)
		check_filter_text(c, path);
}

static bool is_beside(struct compilation *c, struct slice name)
{
	return os_check_readable(arena_cstr(c->arena, path_of(c, name))) == 0;
}

/* `python -m scorep` looks in the notebook's folder first, and there for the package first. The
 * bindings themselves are a package that can be run. */
static void check_bindings(struct compilation *c)
{
	const char *file = "scorep.py";
	if (is_beside(c, SLICE("scorep/__init__.py"))) {
		if (is_beside(c, SLICE("scorep/__main__.py")))
			return;
		file = "scorep/__init__.py";
	} else if (!is_beside(c, SLICE("scorep.py"))) {
		return;
	}
	diag_add(&c->diags, DIAG_SHADOW, (struct location){0},
	         "'%s' beside the notebook is what Python takes for Score-P's bindings, so that "
	         "nothing can be measured",
	         file);
	diag_hint(&c->diags, DIAG_SHADOW, "move or rename it");
}

void needed_files_find(struct compilation *c)
{
	check_bindings(c);
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		const struct program *program = &c->ir.programs.items[i];
		check_filter(c, program);
		for (size_t k = 0; k < program->arguments.count; k++)
			check_argument(c, &program->arguments.items[k]);
	}
}

int needed_file_read(struct compilation *c, struct slice path, size_t limit, struct slice *out)
{
	struct strbuf text;
	strbuf_init(&text, c->arena);
	if (os_read_file(arena_cstr(c->arena, path), &text, limit) < 0) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot read '%.*s': %s",
		         SLICE_ARG(path), strerror(errno));
		return -1;
	}
	note(c, path);
	*out = strbuf_slice(&text);
	return 0;
}
