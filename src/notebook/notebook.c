#include "notebook/notebook.h"

#include <stdlib.h>

#include "base/json_reader.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "notebook/skim.h"

/* ---- conversion ---- */

struct conversion {
	struct arena *arena;
	struct diags *diags;
	const struct skim *skim;
	struct notebook *out;
	/* the cell being converted */
	const struct value *json;
	const struct skim_cell *sources;
	struct cell cell;
};

/* The member NAME of VALUE, or NULL. VALUE may be NULL or no object. */
static const struct value *member(const struct value *value, const char *name)
{
	const struct value_entry *entry =
	        value == NULL ? NULL : value_find(value, slice_from(name));
	return entry == NULL ? NULL : entry->value;
}

static bool is_of_kind(const struct value *value, enum value_kind kind)
{
	return value != NULL && value->kind == kind;
}

/* VALUE's text; empty if VALUE is not a string. */
static struct slice text_of(const struct value *value)
{
	return is_of_kind(value, VALUE_TEXT) ? value->text : slice_make(NULL, 0);
}

/* VALUE's number; 0 if VALUE is not a whole number. */
static long long number_of(const struct value *value)
{
	return is_of_kind(value, VALUE_INT) ? strtoll(value->text.ptr, NULL, 10) : 0;
}

/* TEXT, cut to a length for messages. */
static struct slice convert_shown(struct slice text)
{
	enum { SHOWN = 60 };
	return slice_sub(text, 0, utf8_start(text, SHOWN));
}

/* ---- languages ---- */

/* True if LANGUAGE, as notebooks name it, is Python. */
static bool language_is_python(struct slice language)
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

/* True if NAME, of a kernel or of a language, contains "python", as in "pythonkernel". */
static bool language_hints_at_python(struct slice name)
{
	return contains_nocase(name, SLICE("python"));
}

bool notebook_is_python_kernel(struct slice name)
{
	return language_hints_at_python(name) || contains_nocase(name, SLICE("conda"));
}

/* ---- cells ---- */

static struct location whole_cell(const struct conversion *c)
{
	return (struct location){.cell = c->cell.number};
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
static enum cell_type code_type(const struct conversion *c)
{
	struct slice language = text_of(member(c->json, "language"));
	if (language.len == 0 || language_is_python(language))
		return CELL_CODE;
	diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
	         "the cell's language is '%.*s', so it is not compiled",
	         SLICE_ARG(convert_shown(language)));
	return CELL_RAW;
}

static enum cell_type read_type(const struct conversion *c)
{
	const struct value *value = member(c->json, "cell_type");
	struct slice name = text_of(value);
	for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
		const struct type_row *row = &type_rows[i];
		if (slice_eq(name, row->name) && c->out->nbformat <= row->newest)
			return row->type == CELL_CODE ? code_type(c) : row->type;
	}
	if (is_of_kind(value, VALUE_TEXT))
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "unknown cell type '%.*s', so it is not compiled",
		         SLICE_ARG(convert_shown(name)));
	else
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "the cell has no type, so it is not compiled");
	return CELL_RAW;
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
static struct slice join_source(const struct conversion *c, const struct skim_source *source,
                                size_t *lone)
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
static const struct value *find_source(const struct conversion *c, enum source_key *key)
{
	static const char *const keys[] = {[SOURCE_SOURCE] = "source",
	                                   [SOURCE_INPUT] = "input",
	                                   [SOURCE_CODE] = "code",
	                                   [SOURCE_TEXT] = "text"};
	enum source_key last = c->cell.type == CELL_CODE ? SOURCE_CODE : SOURCE_TEXT;
	for (*key = SOURCE_SOURCE; *key <= last; (*key)++) {
		const struct value *value = member(c->json, keys[*key]);
		if (value != NULL)
			return value;
	}
	*key = SOURCE_SOURCE;
	return NULL;
}

static void read_source(struct conversion *c)
{
	enum source_key key;
	size_t lone;
	const struct value *value = find_source(c, &key);
	const struct skim_source *source = &c->sources->source[key];
	c->cell.source = join_source(c, source, &lone);
	c->cell.file_line = source->line;
	size_t lines = 0;
	for (struct slice line, rest = c->cell.source; slice_next_line(&rest, &line);)
		lines++;
	/* Editors write each source line as an item on its own line. */
	if (source->items > 0 && source->last_line - source->first_line == source->items - 1 &&
	    lines == source->items)
		c->cell.lines_from = source->first_line;
	if (source->lone > 0) {
		enum { REPLACEMENT_BYTES = 3 };
		struct location where =
		        location_in_cell(c->cell.number, c->cell.source, lone, REPLACEMENT_BYTES);
		if (source->lone == 1)
			diag_add(c->diags, DIAG_SURROGATE, where,
			         "lone surrogate escape replaced by U+FFFD");
		else
			diag_add(c->diags, DIAG_SURROGATE, where,
			         "lone surrogate escape replaced by U+FFFD (the first of %zu in "
			         "this cell)",
			         source->lone);
	}
	if (is_of_kind(value, VALUE_LIST) && source->count < source->items)
		diag_add(c->diags, DIAG_CELL_SOURCE, whole_cell(c),
		         "the cell's source has items that are not strings; they are left out");
	else if (value != NULL && !is_of_kind(value, VALUE_LIST) &&
	         !is_of_kind(value, VALUE_TEXT) && value->kind != VALUE_NULL)
		diag_add(c->diags, DIAG_CELL_SOURCE, whole_cell(c),
		         "the cell's source is neither a string nor a list of strings");
}

/* ---- cells and lists of cells ---- */

/* Reads the language from the metadata of VS Code and of Polyglot Notebooks, whose kernels may be
 * called "pythonkernel". */
static void read_language(struct conversion *c)
{
	static const struct {
		const char *tool, *key;
	} places[] = {
	        {"polyglot_notebook", "kernelName"},
	        {"dotnet_interactive", "language"},
	        {"vscode", "languageId"},
	};
	const struct value *metadata = member(c->json, "metadata");
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct value *tool = member(metadata, places[i].tool);
		struct slice name = text_of(member(tool, places[i].key));
		if (name.len > 0 && !language_hints_at_python(name)) {
			c->cell.language = convert_shown(name);
			return;
		}
	}
}

static void read_cell(struct conversion *c)
{
	if (!is_of_kind(c->json, VALUE_MAP)) {
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "the cell is not a JSON object, so it is left out");
		return;
	}
	c->cell.type = read_type(c);
	if (c->cell.type == CELL_HEADING) {
		long long level = number_of(member(c->json, "level"));
		c->cell.level = level < 1 ? 1 : level > 6 ? 6 : (unsigned)level;
	}
	c->cell.id = text_of(member(c->json, "id"));
	read_source(c);
	const struct value *tags = member(member(c->json, "metadata"), "tags");
	for (size_t i = 0; tags != NULL && i < tags->items.count; i++) {
		if (tags->items.items[i]->kind == VALUE_TEXT)
			vec_push(c->arena, &c->cell.tags, tags->items.items[i]->text);
	}
	read_language(c);
	vec_push(c->arena, &c->out->cells, c->cell);
}

/* Adds the members of LIST. *NUMBER counts the cells so far, also those left out. */
static void read_list(struct conversion *c, const struct value *list, const skim_cell_list *skim,
                      unsigned *number)
{
	static const struct skim_cell unknown = {0};
	for (size_t i = 0; list != NULL && i < list->items.count; i++, (*number)++) {
		c->json = list->items.items[i];
		c->sources = *number < skim->count ? &skim->items[*number] : &unknown;
		c->cell = (struct cell){.number = *number + 1};
		read_cell(c);
	}
}

/* ---- metadata.nbscorep ---- */

/* Checks a part of it. Returns 0, or -1 after adding an error. */
static int check_config(struct diags *diags, const struct value *value, unsigned depth)
{
	const char *problem = NULL;
	if (depth > VALUE_MAX_DEPTH)
		problem = "values nest too deeply";
	else if (slice_find(text_of(value), '\0', 0) < text_of(value).len)
		problem = "a text cannot contain a NUL character";
	if (problem != NULL) {
		diag_add(diags, DIAG_CONFIG_SYNTAX, value->where, "metadata.nbscorep: %s", problem);
		return -1;
	}
	for (size_t i = 0; i < value->items.count; i++) {
		if (check_config(diags, value->items.items[i], depth + 1) != 0)
			return -1;
	}
	for (size_t i = 0; i < value->entries.count; i++) {
		if (check_config(diags, value->entries.items[i].value, depth + 1) != 0)
			return -1;
	}
	return 0;
}

/* ---- the language ---- */

/* The language that the notebook states, or an empty slice. The kernel's counts, as language_info is only
 * for the display: Python for Sage, and "Any text" for older versions of Score-P's kernel. */
static struct slice stated_language(const struct value *metadata, const struct value *kernel)
{
	struct slice language = text_of(member(kernel, "language"));
	struct slice name = text_of(member(kernel, "name"));
	if (language.len > 0)
		return language;
	if (slice_starts_with(name, SLICE("sagemath"))) /* older ones state "" */
		return SLICE("sage");
	language = text_of(member(member(metadata, "language_info"), "name"));
	return slice_eq_nocase(language, SLICE("Any text")) ? slice_make(NULL, 0) : language;
}

/* Checks that the notebook with this METADATA is a Python notebook, if the metadata names a
 * language or a kernel. Returns 0, or -1 after adding an error. */
static int check_language(struct conversion *c, const struct value *metadata)
{
	const struct value *kernel = member(metadata, "kernelspec");
	struct slice language = stated_language(metadata, kernel);
	struct slice name = text_of(member(kernel, "name"));
	struct slice display = text_of(member(kernel, "display_name"));
	bool has_kernel = slice_trim(name).len > 0 || slice_trim(display).len > 0;
	bool is_python = language.len > 0 ? language_is_python(language)
	                                  : !has_kernel || notebook_is_python_kernel(name) ||
	                                            notebook_is_python_kernel(display);
	if (is_python)
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

/* ---- the notebook as a whole ---- */

static int fail_format(struct conversion *c, const char *problem)
{
	diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0}, "not a Jupyter notebook: %s",
	         problem);
	return -1;
}

static int read_version(struct conversion *c, const struct value *root)
{
	const struct value *major = member(root, "nbformat");
	long long minor = number_of(member(root, "nbformat_minor"));
	long long version = number_of(major);
	if (major == NULL)
		version = member(root, "worksheets") != NULL ? 3 : 1;
	else if (!is_of_kind(major, VALUE_INT) || version < 1)
		return fail_format(c, "its 'nbformat' is not a version number");
	if (version > 4) {
		diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0},
		         "nbformat %lld is newer than 4, the newest supported", version);
		return -1;
	}
	c->out->nbformat = (unsigned)version;
	c->out->nbformat_minor = minor > 0 && minor <= 1000 ? (unsigned)minor : 0;
	return 0;
}

static int convert_notebook(struct conversion *c, const struct value *root)
{
	if (!is_of_kind(root, VALUE_MAP))
		return fail_format(c, "it is not a JSON object");
	if (read_version(c, root) != 0)
		return -1;
	const struct value *metadata = member(root, "metadata");
	const struct value *kernel = member(metadata, "kernelspec");
	struct notebook *out = c->out;
	out->kernel_name = text_of(member(kernel, "name"));
	out->kernel_display = text_of(member(kernel, "display_name"));
	out->config = member(metadata, "nbscorep");
	if ((out->config != NULL && check_config(c->diags, out->config, 0) != 0) ||
	    check_language(c, metadata) != 0)
		return -1;
	const struct value *cells = member(root, "cells");
	const struct value *sheets = member(root, "worksheets");
	unsigned number = 0;
	if (is_of_kind(cells, VALUE_LIST)) {
		read_list(c, cells, &c->skim->cells, &number);
		return 0;
	}
	if (!is_of_kind(sheets, VALUE_LIST)) {
		diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0},
		         "not a Jupyter notebook: it has no list of cells");
		return -1;
	}
	for (size_t i = 0; i < sheets->items.count; i++)
		read_list(c, member(sheets->items.items[i], "cells"), &c->skim->sheets, &number);
	return 0;
}

const struct notebook_limits notebook_default_limits = {.nesting = 1000,
                                                        .cells = 100000,
                                                        .cell_bytes = (size_t)16 << 20,
                                                        .bytes = (size_t)256 << 20,
                                                        .values = 1000000,
                                                        .included_cells = 20000,
                                                        .included_bytes = (size_t)64 << 20};

int notebook_read(struct arena *arena, int fd, struct slice name,
                  const struct notebook_limits *limits, struct diags *diags, struct notebook *out,
                  int *read_error)
{
	struct skim skim;
	*out = (struct notebook){.name = arena_dup(arena, name)};
	const struct skim_file file = {.fd = fd, .name = out->name, .limits = limits};
	struct conversion c = {.arena = arena, .diags = diags, .skim = &skim, .out = out};
	if (skim_read(arena, &file, diags, &skim, read_error) != 0)
		return -1;
	/* Only the line of metadata.nbscorep is known of its values. */
	struct location where = {.line = skim.config_line};
	return convert_notebook(&c, json_read_kept(arena, where, skim.text));
}
