#include "notebook/notebook.h"

#include "base/json_value.h"
#include "base/utf8.h"
#include "notebook/skim.h"

/* ---- conversion ---- */

struct conversion {
	struct arena *arena;
	struct diags *diags;
	struct notebook *out;
	struct arena scratch; /* for the first stage; larger than the result */
	struct skim skim;     /* its result */
	/* The cell that is converted: */
	const struct skim_cell *from;
	struct cell cell;
};

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

bool notebook_is_python_kernel(struct slice name)
{
	return contains_nocase(name, SLICE("python")) || contains_nocase(name, SLICE("conda"));
}

/* ---- cells ---- */

static struct slice cell_text(const struct conversion *c, enum skim_key key)
{
	return skim_text(&c->skim, &c->from->values[key]);
}

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
        {SLICE_INIT("raw"), CELL_RAW, 4},   {SLICE_INIT("heading"), CELL_MARKDOWN, 3},
        {SLICE_INIT("html"), CELL_RAW, 3},  {SLICE_INIT("text"), CELL_MARKDOWN, 1},
};

static enum cell_type read_type(const struct conversion *c)
{
	struct slice name = cell_text(c, CELL_KEY_TYPE);
	/* Until nbformat 3, each code cell had its own language. */
	struct slice language = cell_text(c, CELL_KEY_LANGUAGE);
	for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
		const struct type_row *row = &type_rows[i];
		if (!slice_eq(name, row->name) || c->out->nbformat > row->newest)
			continue;
		if (row->type != CELL_CODE || language.len == 0 || language_is_python(language))
			return row->type;
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "the cell's language is '%.*s', so it is not compiled",
		         SLICE_ARG(convert_shown(language)));
		return CELL_RAW;
	}
	if (c->from->values[CELL_KEY_TYPE].kind == SKIM_STRING)
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "unknown cell type '%.*s', so it is not compiled",
		         SLICE_ARG(convert_shown(name)));
	else
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "the cell has no type, so it is not compiled");
	return CELL_RAW;
}

/* ---- the source ---- */

/* Concatenates the strings of SOURCE. Until version 3, nbformat inserts line ends between the items of a list, in
 * version 3 not if the first item has its own. */
static struct slice join_source(const struct conversion *c, const struct skim_source *source)
{
	size_t first = source->value.first, count = source->value.count;
	bool inserts = count > 1 && c->out->nbformat <= 3;
	if (inserts && c->out->nbformat == 3) {
		struct slice item = skim_strings(&c->skim, first, 1);
		inserts = item.len == 0 || !slice_has(SLICE("\r\n"), item.ptr[item.len - 1]);
	}
	if (!inserts)
		return arena_dup(c->arena, skim_strings(&c->skim, first, count));
	struct strbuf text = {.arena = c->arena};
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strbuf_addc(&text, '\n');
		strbuf_add(&text, skim_strings(&c->skim, first + i, 1));
	}
	return strbuf_slice(&text);
}

static void read_source(struct conversion *c)
{
	static const struct skim_source none = {0};
	const struct skim_source *source = &none; /* of the first of these keys that the cell has */
	enum source_key last = c->cell.type == CELL_CODE ? SOURCE_CODE : SOURCE_TEXT;
	for (enum source_key key = SOURCE_SOURCE; key <= last && source == &none; key++) {
		if (c->from->source[key] > 0)
			source = &c->skim.sources.items[c->from->source[key] - 1];
	}
	c->cell.source = join_source(c, source);
	c->cell.file_line = source->line;
	size_t lines = 0;
	for (struct slice line, rest = c->cell.source; slice_next_line(&rest, &line);)
		lines++;
	/* Editors write each source line as an item on its own line. */
	if (source->items > 0 && source->last_line - source->first_line == source->items - 1 &&
	    lines == source->items)
		c->cell.lines_from = source->first_line;
	if (source->value.kind == SKIM_LIST && source->value.count < source->items)
		diag_add(c->diags, DIAG_CELL_SOURCE, whole_cell(c),
		         "the cell's source has items that are not strings; they are left out");
	else if (source->value.kind == SKIM_NUMBER || source->value.kind == SKIM_OTHER)
		diag_add(c->diags, DIAG_CELL_SOURCE, whole_cell(c),
		         "the cell's source is neither a string nor a list of strings");
}

/* ---- cells and lists of cells ---- */

static void read_cell(struct conversion *c)
{
	if (!c->from->is_object) {
		diag_add(c->diags, DIAG_CELL_TYPE, whole_cell(c),
		         "the cell is not a JSON object, so it is left out");
		return;
	}
	c->cell.type = read_type(c);
	c->cell.id = arena_dup(c->arena, cell_text(c, CELL_KEY_ID));
	read_source(c);
	const struct skim_value *tags = &c->from->values[CELL_KEY_TAGS];
	for (size_t i = 0; tags->kind == SKIM_LIST && i < tags->count; i++)
		vec_push(c->arena, &c->cell.tags,
		         arena_dup(c->arena, skim_strings(&c->skim, tags->first + i, 1)));
	/* The language is in the metadata of VS Code and of Polyglot Notebooks, whose kernels may be called
	 * "pythonkernel"; the last key counts. */
	for (enum skim_key key = CELL_KEY_VSCODE; key <= CELL_KEY_POLYGLOT; key++) {
		struct slice name = cell_text(c, key);
		if (name.len > 0 && !contains_nocase(name, SLICE("python")))
			c->cell.language = arena_dup(c->arena, convert_shown(name));
	}
	vec_push(c->arena, &c->out->cells, c->cell);
}

/* ---- the notebook as a whole ---- */

/* Checks that the notebook is a Python notebook, if its metadata names a language or a kernel.
 * Returns 0, or -1 after adding an error. */
static int check_language(struct conversion *c)
{
	const struct skim_value *values = c->skim.values;
	struct slice name = skim_text(&c->skim, &values[NOTEBOOK_KERNEL_NAME]),
	             display = skim_text(&c->skim, &values[NOTEBOOK_KERNEL_DISPLAY_NAME]);
	/* The kernel's language counts, as language_info is only for the display: Python for Sage, and "Any text" for
	 * older versions of Score-P's kernel. */
	struct slice language = skim_text(&c->skim, &values[NOTEBOOK_KERNEL_LANGUAGE]);
	if (language.len == 0 && slice_starts_with(name, SLICE("sagemath"))) {
		language = SLICE("sage"); /* of older ones, which state "" */
	} else if (language.len == 0) {
		language = skim_text(&c->skim, &values[NOTEBOOK_LANGUAGE]);
		if (slice_eq_nocase(language, SLICE("Any text")))
			language.len = 0;
	}
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

static int fail_format(struct conversion *c, const char *problem)
{
	return diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0},
	                "not a Jupyter notebook: %s", problem);
}

static int convert_notebook(struct conversion *c)
{
	const struct skim *skim = &c->skim;
	const struct skim_value *values = skim->values;
	struct notebook *out = c->out;
	long long version;
	if (!skim->is_object)
		return fail_format(c, "it is not a JSON object");
	if (values[NOTEBOOK_NBFORMAT].kind == SKIM_ABSENT)
		version = values[NOTEBOOK_WORKSHEETS].kind != SKIM_ABSENT ? 3 : 1;
	else if (!skim_integer(skim, &values[NOTEBOOK_NBFORMAT], &version) || version < 1)
		return fail_format(c, "its 'nbformat' is not a version number");
	if (version > 4)
		return diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0},
		                "nbformat %lld is newer than 4, the newest supported", version);
	out->nbformat = (unsigned)version;
	if (skim->config.len > 0) {
		const char *problem;
		struct location where = {.line = skim->config_line};
		out->config = json_value_read(c->arena, skim->config, 0, &where, &problem);
		if (out->config == NULL)
			return diag_add(c->diags, DIAG_CONFIG_SYNTAX, where,
			                "metadata.nbscorep: %s", problem);
	}
	if (check_language(c) != 0)
		return -1;
	bool has_cells = values[NOTEBOOK_CELLS].kind == SKIM_LIST;
	if (!has_cells && values[NOTEBOOK_WORKSHEETS].kind != SKIM_LIST)
		return fail_format(c, "it has no list of cells");
	const skim_cell_list *list = has_cells ? &skim->cells : &skim->sheets;
	for (size_t i = 0; i < list->count; i++) { /* those left out are counted, too */
		c->from = &list->items[i];
		c->cell = (struct cell){.number = (unsigned)i + 1};
		read_cell(c);
	}
	return 0;
}

/* ---- both stages ---- */

const struct notebook_limits notebook_default_limits = {.nesting = 1000,
                                                        .cells = 100000,
                                                        .cell_bytes = (size_t)16 << 20,
                                                        .bytes = (size_t)256 << 20,
                                                        .values = 1000000,
                                                        .included_cells = 20000,
                                                        .included_bytes = (size_t)64 << 20};

int notebook_read(struct arena *arena, int fd, struct slice name,
                  const struct notebook_limits *limits, struct diags *diags, struct notebook *out)
{
	*out = (struct notebook){.name = arena_dup(arena, name)};
	struct skim_file file = {.fd = fd, .name = out->name, .limits = limits};
	struct conversion *c = ARENA_NEW(arena, struct conversion);
	*c = (struct conversion){.arena = arena, .diags = diags, .out = out};
	arena_init_inner(&c->scratch, arena);
	int result = skim_read(&c->scratch, &file, diags, &c->skim);
	if (result == 0)
		result = convert_notebook(c);
	arena_unguard(arena);
	return result;
}
