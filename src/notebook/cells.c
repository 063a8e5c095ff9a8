#include "notebook/cells.h"

#include "base/strbuf.h"
#include "notebook/convert.h"
#include "notebook/language.h"
#include "notebook/notebook.h"

/* A cell being converted. */
struct work {
	struct conversion *c;
	const json_t *json;
	const struct skim_cell *skim;
	struct cell cell;
};

static struct location whole_cell(const struct work *w)
{
	return (struct location){.cell = w->cell.number};
}

/* ---- the type ---- */

static const struct type_row {
	struct slice name;
	enum cell_type type;
	unsigned newest; /* the last nbformat that has the type */
} type_rows[] = {
        {SLICE_INIT("code"), CELL_CODE, 4}, {SLICE_INIT("markdown"), CELL_MARKDOWN, 4},
        {SLICE_INIT("raw"), CELL_RAW, 4},   {SLICE_INIT("heading"), CELL_HEADING, 3},
        {SLICE_INIT("html"), CELL_RAW, 3},  {SLICE_INIT("text"), CELL_MARKDOWN, 1},
};

/* Until nbformat 3, each code cell had its own language. */
static enum cell_type code_type(const struct work *w)
{
	struct slice language = convert_text(convert_member(w->json, "language"));
	if (language.len == 0 || language_is_python(language))
		return CELL_CODE;
	diag_add(w->c->diags, DIAG_CELL_TYPE, whole_cell(w),
	         "the cell's language is '%.*s', so it is not compiled",
	         SLICE_ARG(convert_shown(language)));
	return CELL_RAW;
}

static enum cell_type read_type(const struct work *w)
{
	const json_t *value = convert_member(w->json, "cell_type");
	struct slice name = convert_text(value);
	for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
		const struct type_row *row = &type_rows[i];
		if (slice_eq(name, row->name) && w->c->out->nbformat <= row->newest)
			return row->type == CELL_CODE ? code_type(w) : row->type;
	}
	if (json_is_string(value))
		diag_add(w->c->diags, DIAG_CELL_TYPE, whole_cell(w),
		         "unknown cell type '%.*s', so it is not compiled",
		         SLICE_ARG(convert_shown(name)));
	else
		diag_add(w->c->diags, DIAG_CELL_TYPE, whole_cell(w),
		         "the cell has no type, so it is not compiled");
	return CELL_RAW;
}

static unsigned read_level(const json_t *value)
{
	json_int_t level = json_integer_value(value);
	return level < 1 ? 1 : level > 6 ? 6 : (unsigned)level;
}

/* ---- the source ---- */

/* The separator that nbformat inserts between the items of a list: in version 3 none if the first
 * item, FIRST, has its line end. */
static struct slice separator(unsigned nbformat, struct slice first)
{
	bool whole_lines =
	        slice_ends_with(first, SLICE("\n")) || slice_ends_with(first, SLICE("\r"));
	bool newline = nbformat <= 2 || (nbformat == 3 && !whole_lines);
	return newline ? SLICE("\n") : SLICE("");
}

/* Concatenates the strings of SOURCE. *LONE is the offset of the first lone surrogate. */
static struct slice join(const struct conversion *c, const struct skim_source *source, size_t *lone)
{
	struct slice all = skim_strings(c->skim, source->first, source->count), between = {0};
	*lone = source->lone_at + skim_strings(c->skim, source->first, source->lone_in).len;
	if (source->count > 1)
		between = separator(c->out->nbformat, skim_strings(c->skim, source->first, 1));
	if (between.len == 0)
		return arena_dup(c->arena, all);
	struct strbuf text;
	strbuf_init(&text, c->arena);
	for (size_t i = 0; i < source->count; i++) {
		if (i > 0)
			strbuf_add(&text, between);
		strbuf_add(&text, skim_strings(c->skim, source->first + i, 1));
	}
	*lone += source->lone_in * between.len;
	return strbuf_slice(&text);
}

/* The source is under the first of these keys that the cell has. */
static const json_t *find_source(const struct work *w, enum source_key *key)
{
	static const char *const keys[] = {[SOURCE_SOURCE] = "source",
	                                   [SOURCE_INPUT] = "input",
	                                   [SOURCE_CODE] = "code",
	                                   [SOURCE_TEXT] = "text"};
	enum source_key last = w->cell.type == CELL_CODE ? SOURCE_CODE : SOURCE_TEXT;
	for (*key = SOURCE_SOURCE; *key <= last; (*key)++) {
		const json_t *value = convert_member(w->json, keys[*key]);
		if (value != NULL)
			return value;
	}
	*key = SOURCE_SOURCE;
	return NULL;
}

static void report_lone(const struct work *w, size_t count, size_t offset)
{
	enum { REPLACEMENT_BYTES = 3 };
	struct location where =
	        location_in_cell(w->cell.number, w->cell.source, offset, REPLACEMENT_BYTES);
	if (count == 1)
		diag_add(w->c->diags, DIAG_SURROGATE, where,
		         "lone surrogate escape replaced by U+FFFD");
	else
		diag_add(w->c->diags, DIAG_SURROGATE, where,
		         "lone surrogate escape replaced by U+FFFD (the first of %zu in this cell)",
		         count);
}

static size_t count_lines(struct slice source)
{
	size_t count = 0;
	for (struct slice line, rest = source; slice_next_line(&rest, &line);)
		count++;
	return count;
}

/* The file's line of the first source line, or 0 if not each source line is an item on its own
 * line, as editors write them. */
static unsigned lines_from(const struct skim_source *source, struct slice text)
{
	bool one_each = source->items > 0 &&
	                source->last_line - source->first_line == source->items - 1 &&
	                count_lines(text) == source->items;
	return one_each ? source->first_line : 0;
}

static void read_source(struct work *w)
{
	struct conversion *c = w->c;
	enum source_key key;
	size_t lone;
	const json_t *value = find_source(w, &key);
	const struct skim_source *source = &w->skim->source[key];
	w->cell.source = join(c, source, &lone);
	w->cell.file_line = source->line;
	w->cell.lines_from = lines_from(source, w->cell.source);
	if (source->lone > 0)
		report_lone(w, source->lone, lone);
	if (json_is_array(value) && source->count < source->items)
		diag_add(c->diags, DIAG_CELL_SOURCE, whole_cell(w),
		         "the cell's source has items that are not strings; they are left out");
	else if (value != NULL && !json_is_array(value) && !json_is_string(value) &&
	         !json_is_null(value))
		diag_add(c->diags, DIAG_CELL_SOURCE, whole_cell(w),
		         "the cell's source is neither a string nor a list of strings");
}

/* ---- cells and lists of cells ---- */

static void read_tags(struct work *w)
{
	const json_t *tags = convert_member(convert_member(w->json, "metadata"), "tags");
	for (size_t i = 0; i < json_array_size(tags); i++) {
		const json_t *tag = json_array_get(tags, i);
		if (json_is_string(tag))
			vec_push(w->c->arena, &w->cell.tags,
			         arena_dup(w->c->arena, convert_text(tag)));
	}
}

/* Reads the language from the metadata of VS Code and of Polyglot Notebooks, whose kernels may be
 * called "pythonkernel". */
static void read_language(struct work *w)
{
	static const struct {
		const char *tool, *key;
	} places[] = {
	        {"polyglot_notebook", "kernelName"},
	        {"dotnet_interactive", "language"},
	        {"vscode", "languageId"},
	};
	const json_t *metadata = convert_member(w->json, "metadata");
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const json_t *tool = convert_member(metadata, places[i].tool);
		struct slice name = convert_text(convert_member(tool, places[i].key));
		if (name.len > 0 && !language_hints_at_python(name)) {
			w->cell.language = arena_dup(w->c->arena, convert_shown(name));
			return;
		}
	}
}

static void read_cell(struct work *w)
{
	struct conversion *c = w->c;
	if (!json_is_object(w->json)) {
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(w),
		         "the cell is not a JSON object, so it is left out");
		return;
	}
	w->cell.type = read_type(w);
	if (w->cell.type == CELL_HEADING)
		w->cell.level = read_level(convert_member(w->json, "level"));
	w->cell.id = arena_dup(c->arena, convert_text(convert_member(w->json, "id")));
	read_source(w);
	read_tags(w);
	read_language(w);
	vec_push(c->arena, &c->out->cells, w->cell);
}

/* Adds the members of LIST. *NUMBER counts the cells so far, also those left out. */
static void read_list(struct conversion *c, const json_t *list, const struct skim_cells *skim,
                      unsigned *number)
{
	static const struct skim_cell unknown = {0};
	for (size_t i = 0; i < json_array_size(list); i++, (*number)++) {
		struct work w = {.c = c, .json = json_array_get(list, i), .skim = &unknown};
		if (*number < skim->list.count)
			w.skim = &skim->list.items[*number];
		w.cell.number = *number + 1;
		read_cell(&w);
	}
}

int convert_cells(struct conversion *c, const json_t *root)
{
	const json_t *cells = convert_member(root, "cells");
	const json_t *sheets = convert_member(root, "worksheets");
	unsigned number = 0;
	if (json_is_array(cells)) {
		read_list(c, cells, &c->skim->cells, &number);
		return 0;
	}
	if (!json_is_array(sheets)) {
		diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0},
		         "not a Jupyter notebook: it has no list of cells");
		return -1;
	}
	for (size_t i = 0; i < json_array_size(sheets); i++)
		read_list(c, convert_member(json_array_get(sheets, i), "cells"), &c->skim->sheets,
		          &number);
	return 0;
}
