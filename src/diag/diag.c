#include "diag/diag.h"

#include "base/suggest.h"
#include "base/utf8.h"

/* Longer messages are not useful, and a hostile notebook must not inflate the report. */
enum { MESSAGE_MAX = 1000 };

static const struct diag_row rows[] = {
#define DIAG(id, name, severity, doc) [DIAG_##id] = {name, SEVERITY_##severity, doc},
#include "diag/diag.def"
};

const struct diag_row *diag_row(enum diag_kind kind)
{
	return &rows[kind];
}

enum diag_kind diag_by_name(struct slice name)
{
	for (size_t i = 0; i < DIAG_KIND_COUNT; i++) {
		if (slice_eq(slice_from(rows[i].name), name))
			return (enum diag_kind)i;
	}
	return DIAG_KIND_COUNT;
}

void diags_init(struct diags *diags, struct arena *arena)
{
	*diags = (struct diags){.arena = arena};
	for (size_t i = 0; i < DIAG_KIND_COUNT; i++)
		diags->severity[i] = rows[i].severity;
}

int diags_switch(struct diags *diags, struct slice text)
{
	static const struct {
		struct slice prefix;
		enum severity severity;
	} forms[] = {
	        {SLICE_INIT("no-error="), SEVERITY_WARNING},
	        {SLICE_INIT("no-"), SEVERITY_IGNORED},
	        {SLICE_INIT("error="), SEVERITY_ERROR},
	};
	if (slice_eq(text, SLICE("error"))) {
		diags->warnings_are_errors = true;
		for (size_t i = 0; i < DIAG_KIND_COUNT; i++) {
			if (diags->severity[i] == SEVERITY_WARNING)
				diags->severity[i] = SEVERITY_ERROR;
		}
		return 0;
	}
	/* Names are tried first, because some begin with "no-". */
	enum diag_kind kind = diag_by_name(text);
	if (kind != DIAG_KIND_COUNT) {
		enum severity severity = rows[kind].severity;
		if (severity == SEVERITY_IGNORED)
			severity = SEVERITY_WARNING;
		if (severity == SEVERITY_WARNING && diags->warnings_are_errors)
			severity = SEVERITY_ERROR;
		if (diags->severity[kind] == SEVERITY_IGNORED)
			diags->severity[kind] = severity;
		return 0;
	}
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (!slice_cut_prefix(&text, forms[i].prefix))
			continue;
		kind = diag_by_name(text);
		if (kind == DIAG_KIND_COUNT)
			return -1;
		enum severity usual = rows[kind].severity, wanted = forms[i].severity;
		if (usual == SEVERITY_ERROR && wanted < SEVERITY_ERROR)
			return -1;
		/* no-error= reverts error=, and must not raise a remark. */
		if (wanted != SEVERITY_WARNING)
			diags->severity[kind] = wanted;
		else if (diags->severity[kind] == SEVERITY_ERROR)
			diags->severity[kind] = usual < wanted ? usual : wanted;
		return 0;
	}
	return -1;
}

static struct slice cut_message(struct arena *arena, struct slice text)
{
	if (text.len <= MESSAGE_MAX)
		return text;
	size_t end = utf8_start(text, MESSAGE_MAX);
	return arena_printf(arena, "%.*s...", (int)end, text.ptr);
}

int diag_add(struct diags *diags, enum diag_kind kind, struct location where, const char *format,
             ...)
{
	enum severity severity = diags->severity[kind];
	if (severity == SEVERITY_IGNORED)
		return -1;
	va_list args;
	va_start(args, format);
	struct slice message = arena_vprintf(diags->arena, format, args);
	va_end(args);
	struct diag diag = {.kind = kind, .severity = severity, .where = where};
	diag.where.file = arena_dup(diags->arena, where.file.len > 0 ? where.file : diags->file);
	diag.hidden = kind != DIAG_IO && diags->hidden != NULL &&
	              name_set_has(diags->hidden, diag.where.file);
	diag.where.text = arena_dup(diags->arena, diag.hidden ? slice_make("", 0) : where.text);
	diag.message =
	        cut_message(diags->arena, diag.hidden ? slice_from(rows[kind].doc) : message);
	vec_push(diags->arena, &diags->list, diag);
	diags->failed |= kind == DIAG_IO || kind == DIAG_FOREIGN_FILE;
	diags->errors += severity == SEVERITY_ERROR;
	diags->warnings += severity == SEVERITY_WARNING;
	return -1;
}

int diag_hint(struct diags *diags, enum diag_kind kind, const char *format, ...)
{
	if (diags->severity[kind] == SEVERITY_IGNORED || diags->list.count == 0)
		return -1;
	struct diag *last = &diags->list.items[diags->list.count - 1];
	if (last->kind != kind || last->hidden)
		return -1;
	va_list args;
	va_start(args, format);
	last->hint = cut_message(diags->arena, arena_vprintf(diags->arena, format, args));
	va_end(args);
	return -1;
}

bool diag_suggest(struct diags *diags, enum diag_kind kind, struct slice word,
                  const struct slice *candidates, size_t count)
{
	struct slice near = suggest(word, candidates, count);
	if (near.len > 0)
		diag_hint(diags, kind, "did you mean '%.*s'?", SLICE_ARG(near));
	return near.len > 0;
}

void diags_rewind(struct diags *diags, const struct diags *before)
{
	diags->list.count = before->list.count;
	diags->errors = before->errors;
	diags->warnings = before->warnings;
}

void diags_remove(struct diags *diags, bool (*unwanted)(const struct diag *diag, void *data),
                  void *data)
{
	size_t kept = 0;
	for (size_t i = 0; i < diags->list.count; i++) {
		const struct diag diag = diags->list.items[i];
		if (unwanted(&diag, data)) {
			diags->errors -= diag.severity == SEVERITY_ERROR;
			diags->warnings -= diag.severity == SEVERITY_WARNING;
		} else {
			diags->list.items[kept++] = diag;
		}
	}
	diags->list.count = kept;
}

/* Equal places keep their order, which is that of the pointers. */
static int compare_places(const void *a, const void *b)
{
	const struct diag *left = *(const struct diag *const *)a;
	const struct diag *right = *(const struct diag *const *)b;
	const struct location *x = &left->where, *y = &right->where;
	int files = slice_compare(x->file, y->file);
	if (files != 0)
		return files;
	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return left < right ? -1 : 1;
}

/* True for one about an included file with the same content and place as one before. */
static bool is_repeated(const struct diag *diag, void *data)
{
	struct name_set *said = data;
	const struct location *where = &diag->where;
	size_t known = said->names.count;
	if (where->file.len == 0)
		return false;
	struct slice text = arena_printf(said->arena, "%d %u %u %u %zu %.*s%.*s", (int)diag->kind,
	                                 where->cell, where->line, where->column, where->file.len,
	                                 SLICE_ARG(where->file), SLICE_ARG(diag->message));
	return name_set_add(said, text) < known;
}

void diags_sort(struct diags *diags)
{
	size_t count = diags->list.count;
	struct diag *out = arena_calloc(diags->arena, count, sizeof *out);
	const struct diag **order = arena_calloc(diags->arena, count, sizeof(struct diag *));
	struct name_set said = {.arena = diags->arena};
	for (size_t i = 0; i < count; i++)
		order[i] = &diags->list.items[i];
	qsort(order, count, sizeof(struct diag *), compare_places);
	for (size_t i = 0; i < count; i++)
		out[i] = *order[i];
	diags->list.items = out;
	diags->list.capacity = count;
	diags_remove(diags, is_repeated, &said);
}
