#include "notebook/skim.h"

#include "notebook/skip.h"

/* ---- roles ---- */

/* The meaning of a value. The roles of its members follow from its role and their keys. */
enum role {
	ROLE_SKIP = 0, /* not kept */
	ROLE_LEAF,     /* kept; of an array or object only its kind */
	ROLE_NOTEBOOK,
	ROLE_METADATA,
	ROLE_CONFIG, /* its source is copied */
	ROLE_LANGUAGE_INFO,
	ROLE_KERNELSPEC,
	ROLE_CELLS,
	ROLE_SHEETS,
	ROLE_SHEET,
	ROLE_SHEET_CELLS,
	ROLE_CELL,
	ROLE_CELL_METADATA,
	ROLE_TAGS,
	ROLE_VSCODE,
	ROLE_DOTNET_INTERACTIVE,
	ROLE_POLYGLOT_NOTEBOOK,
	ROLE_SOURCE, /* the text of a string, or of an array's strings, is kept apart */
	ROLE_SOURCE_ITEM,
};

enum { NOT_KEPT = -1 };

struct role_member {
	enum role in;
	struct slice key; /* empty: every member of an array */
	enum role role;
	int kept; /* its enum skim_key or, of ROLE_SOURCE, enum source_key; or NOT_KEPT */
};

static const struct role_member members[] = {
        {ROLE_NOTEBOOK, SLICE_INIT("nbformat"), ROLE_LEAF, NOTEBOOK_NBFORMAT},
        {ROLE_NOTEBOOK, SLICE_INIT("metadata"), ROLE_METADATA, NOT_KEPT},
        {ROLE_NOTEBOOK, SLICE_INIT("cells"), ROLE_CELLS, NOTEBOOK_CELLS},
        {ROLE_NOTEBOOK, SLICE_INIT("worksheets"), ROLE_SHEETS, NOTEBOOK_WORKSHEETS},
        {ROLE_METADATA, SLICE_INIT("language_info"), ROLE_LANGUAGE_INFO, NOT_KEPT},
        {ROLE_METADATA, SLICE_INIT("kernelspec"), ROLE_KERNELSPEC, NOT_KEPT},
        {ROLE_METADATA, SLICE_INIT("nbscorep"), ROLE_CONFIG, NOT_KEPT},
        {ROLE_LANGUAGE_INFO, SLICE_INIT("name"), ROLE_LEAF, NOTEBOOK_LANGUAGE},
        {ROLE_KERNELSPEC, SLICE_INIT("name"), ROLE_LEAF, NOTEBOOK_KERNEL_NAME},
        {ROLE_KERNELSPEC, SLICE_INIT("display_name"), ROLE_LEAF, NOTEBOOK_KERNEL_DISPLAY_NAME},
        {ROLE_KERNELSPEC, SLICE_INIT("language"), ROLE_LEAF, NOTEBOOK_KERNEL_LANGUAGE},
        {ROLE_CELLS, SLICE_INIT(""), ROLE_CELL, NOT_KEPT},
        {ROLE_SHEETS, SLICE_INIT(""), ROLE_SHEET, NOT_KEPT},
        {ROLE_SHEET, SLICE_INIT("cells"), ROLE_SHEET_CELLS, NOT_KEPT},
        {ROLE_SHEET_CELLS, SLICE_INIT(""), ROLE_CELL, NOT_KEPT},
        {ROLE_CELL, SLICE_INIT("cell_type"), ROLE_LEAF, CELL_KEY_TYPE},
        {ROLE_CELL, SLICE_INIT("id"), ROLE_LEAF, CELL_KEY_ID},
        {ROLE_CELL, SLICE_INIT("language"), ROLE_LEAF, CELL_KEY_LANGUAGE},
        {ROLE_CELL, SLICE_INIT("metadata"), ROLE_CELL_METADATA, NOT_KEPT},
        {ROLE_CELL, SLICE_INIT("source"), ROLE_SOURCE, SOURCE_SOURCE},
        {ROLE_CELL, SLICE_INIT("input"), ROLE_SOURCE, SOURCE_INPUT},
        {ROLE_CELL, SLICE_INIT("code"), ROLE_SOURCE, SOURCE_CODE},
        {ROLE_CELL, SLICE_INIT("text"), ROLE_SOURCE, SOURCE_TEXT},
        {ROLE_CELL_METADATA, SLICE_INIT("tags"), ROLE_TAGS, CELL_KEY_TAGS},
        {ROLE_CELL_METADATA, SLICE_INIT("vscode"), ROLE_VSCODE, NOT_KEPT},
        {ROLE_CELL_METADATA, SLICE_INIT("dotnet_interactive"), ROLE_DOTNET_INTERACTIVE, NOT_KEPT},
        {ROLE_CELL_METADATA, SLICE_INIT("polyglot_notebook"), ROLE_POLYGLOT_NOTEBOOK, NOT_KEPT},
        {ROLE_TAGS, SLICE_INIT(""), ROLE_LEAF, NOT_KEPT},
        {ROLE_VSCODE, SLICE_INIT("languageId"), ROLE_LEAF, CELL_KEY_VSCODE},
        {ROLE_DOTNET_INTERACTIVE, SLICE_INIT("language"), ROLE_LEAF, CELL_KEY_DOTNET},
        {ROLE_POLYGLOT_NOTEBOOK, SLICE_INIT("kernelName"), ROLE_LEAF, CELL_KEY_POLYGLOT},
        {ROLE_SOURCE, SLICE_INIT(""), ROLE_SOURCE_ITEM, NOT_KEPT},
};

static const struct role_member role_nothing = {.role = ROLE_SKIP, .kept = NOT_KEPT};

/* The member KEY of a value with role IN; an empty KEY is a member of an array. */
static const struct role_member *role_find(enum role in, struct slice key)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		if (members[i].in == in && slice_eq(members[i].key, key))
			return &members[i];
	}
	return &role_nothing;
}

/* ---- the scanner's state ---- */

struct skimmer {
	struct arena *arena;
	struct skim *out;
	const struct notebook_limits *limits;
	struct strbuf strings, config; /* become OUT's text and config */
	struct grammar grammar;
	const struct role_member *member; /* the role of the next value, a member of an object */
	skim_cell_list *list;             /* where cells are added */
	bool lone_reported;               /* of this cell, or of what precedes the cells */
	const char *part;  /* the part being read whose limit is reached first, or NULL */
	size_t part_limit; /* of the kept bytes */
	struct skim_source *source;
	struct skim_value *value; /* to which the next string belongs, or NULL */
	size_t values;
	struct input in;
};

static struct open_value *top(struct skimmer *k)
{
	return grammar_top(&k->grammar);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* Adds an error about a limit, which OPTION raises. */
__attribute__((format(printf, 3, 4))) static int fail_limit(struct skimmer *k, const char *option,
                                                            const char *format, ...)
{
	va_list args;
	va_start(args, format);
	struct slice message = arena_vprintf(k->arena, format, args);
	va_end(args);
	input_fail(&k->in, DIAG_LIMIT, "%.*s", SLICE_ARG(message));
	return diag_hint(k->in.diags, DIAG_LIMIT, "use %s to permit more", option);
}

/* ---- values ---- */

/* Call before each kept value, or its key. */
static int begin_kept(struct skimmer *k)
{
	if (++k->values > k->limits->values)
		return fail_limit(k, "--max-values=N", "the notebook has more than %zu value%s",
		                  k->limits->values, plural(k->limits->values));
	return 0;
}

static size_t kept_bytes(const struct skimmer *k)
{
	return k->strings.len + k->config.len;
}

static void begin_part(struct skimmer *k, const char *name)
{
	const struct notebook_limits *limits = k->limits;
	k->part_limit = kept_bytes(k) + limits->cell_bytes;
	k->part = limits->cell_bytes < limits->bytes && k->part_limit < limits->bytes ? name : NULL;
}

/* Bytes that may be kept besides those of now. */
static size_t kept_room(const struct skimmer *k)
{
	size_t limit = k->part != NULL ? k->part_limit : k->limits->bytes, kept = kept_bytes(k);
	return limit > kept ? limit - kept : 0;
}

static int fail_size(struct skimmer *k)
{
	const size_t mebibyte = (size_t)1 << 20;
	bool of_part = k->part != NULL;
	size_t size = of_part ? k->limits->cell_bytes : k->limits->bytes;
	bool is_round = size % mebibyte == 0;
	return fail_limit(k, of_part ? "--max-cell-size=SIZE" : "--max-code-size=SIZE",
	                  "%s text exceeds %zu %s", of_part ? k->part : "the cells'",
	                  is_round ? size / mebibyte : size, is_round ? "MiB" : "bytes");
}

/* Adds what was added to STRINGS to those of the value. */
static void end_string(struct skimmer *k)
{
	k->value->count++;
	vec_push(k->arena, &k->out->ends, k->strings.len);
}

static int read_string(struct skimmer *k)
{
	struct sink sink = {.text = &k->strings,
	                    .text_limit = k->strings.len + kept_room(k),
	                    .locate = !k->lone_reported};
	if (json_scan_string(&k->in, &sink) != 0)
		return sink.is_full ? fail_size(k) : -1;
	end_string(k);
	if (sink.is_lone && !k->lone_reported)
		diag_add(k->in.diags, DIAG_SURROGATE, sink.where,
		         "lone surrogate escape replaced by U+FFFD");
	k->lone_reported |= sink.is_lone;
	return 0;
}

/* Skips the rest of a string that is not kept. */
static int skip_string_rest(struct skimmer *k)
{
	struct sink unread = {0};
	bool end = false;
	while (!end && !skip_string(&k->in)) {
		if (json_scan_special(&k->in, &unread, &end) != 0)
			return -1;
		k->in.at += end;
	}
	return 0;
}

static int skip_whole_string(struct skimmer *k)
{
	k->in.at++;
	return skip_string_rest(k);
}

/* Call after each value of ROLE. */
static int end_value(struct skimmer *k, enum role role)
{
	if (role == ROLE_CONFIG) {
		input_copy_end(&k->in);
		if (k->in.copy_max == 0)
			return fail_size(k);
	}
	if (role == ROLE_CELL || role == ROLE_CELLS || role == ROLE_SHEET_CELLS ||
	    role == ROLE_METADATA)
		k->part = NULL;
	return 0;
}

static int close_value(struct skimmer *k)
{
	enum role role = top(k)->role;
	k->in.at++;
	grammar_close(&k->grammar);
	return end_value(k, role);
}

static enum skim_kind kind_of(int c)
{
	return c == '"'                             ? SKIM_STRING
	       : c == '['                           ? SKIM_LIST
	       : c == 'n'                           ? SKIM_NULL
	       : c == '-' || (c >= '0' && c <= '9') ? SKIM_NUMBER
	                                            : SKIM_OTHER;
}

/* Begins the value of a member, whose first byte is C. Of a repeated key the last value counts, as in Python, but
 * objects are put together. */
static void begin_member(struct skimmer *k, int c)
{
	const struct role_member *member = k->member;
	struct skim *out = k->out;
	struct skim_value value = {.kind = kind_of(c), .first = out->ends.count};
	if (member->role == ROLE_SKIP)
		return;
	k->value = NULL;
	if (member->role == ROLE_SOURCE) {
		struct skim_cell *cell = &k->list->items[k->list->count - 1];
		size_t *number = &cell->source[member->kept];
		if (*number == 0) {
			vec_push(k->arena, &out->sources, (struct skim_source){0});
			*number = out->sources.count;
		}
		k->source = &out->sources.items[*number - 1];
		*k->source = (struct skim_source){.value = value, .line = k->in.line};
		k->value = &k->source->value;
	} else if (member->kept != NOT_KEPT) {
		struct skim_value *values = member->in < ROLE_CELL
		                                    ? out->values
		                                    : k->list->items[k->list->count - 1].values;
		k->value = &values[member->kept];
		*k->value = value;
	} else if (member->role == ROLE_CONFIG) {
		k->config.len = 0;
		out->config_line = k->in.line;
		input_copy_begin(&k->in, &k->config, kept_room(k) + 1);
	}
	if (member->role == ROLE_CELLS) {
		k->list = &out->cells;
		k->list->count = 0;
	} else if (member->role == ROLE_SHEET_CELLS) {
		k->list = &out->sheets;
	} else if (member->role == ROLE_METADATA) {
		begin_part(k, "the metadata's");
	}
}

/* Determines the role of the value that begins with C, and prepares for it. */
static int begin_value(struct skimmer *k, enum role *role, int c)
{
	*role = k->grammar.open.count == 0 ? ROLE_NOTEBOOK : ROLE_SKIP;
	if (k->grammar.open.count == 0) {
		k->out->is_object = c == '{';
		return begin_kept(k);
	}
	if (top(k)->role == ROLE_SKIP)
		return 0;
	if (top(k)->close == '}') {
		*role = k->member->role;
		begin_member(k, c);
		return 0;
	}
	*role = role_find(top(k)->role, SLICE(""))->role;
	if (*role == ROLE_SOURCE_ITEM) {
		k->source->last_line = k->in.line;
		if (k->source->items++ == 0)
			k->source->first_line = k->in.line;
	}
	if (*role == ROLE_CELL || *role == ROLE_SHEET)
		k->value = NULL;
	if (*role != ROLE_SKIP && begin_kept(k) != 0)
		return -1;
	if (*role != ROLE_CELL)
		return 0;
	if (k->list->count >= k->limits->cells)
		return fail_limit(k, "--max-cells=N", "the notebook has more than %zu cell%s",
		                  k->limits->cells, plural(k->limits->cells));
	vec_push(k->arena, k->list, (struct skim_cell){.is_object = c == '{'});
	k->lone_reported = false;
	begin_part(k, "the cell's");
	return 0;
}

static int read_value(struct skimmer *k, int c)
{
	char buffer[JSON_NUMBER_MAX];
	struct slice text;
	enum role role;
	if (begin_value(k, &role, c) != 0)
		return -1;
	/* An array cannot be a line of source, so only its kind matters. */
	if (c == '{' || c == '[')
		return grammar_open(&k->grammar, &k->in, (char)c,
		                    role == ROLE_SOURCE_ITEM ? ROLE_SKIP : role);
	int result;
	/* The word -Infinity begins like a number. */
	bool is_minus_word =
	        c == '-' && input_need(&k->in, 2) >= 2 && k->in.bytes[k->in.at + 1] == 'I';
	if (c == '"' && role != ROLE_SKIP && k->value != NULL) {
		result = read_string(k);
	} else if (c == '"') {
		result = skip_whole_string(k);
	} else if (is_minus_word || (c >= 0 && ascii_is_alpha((char)c))) {
		result = json_scan_word(&k->in);
	} else if (c == '-' || (c >= 0 && ascii_is_digit((char)c))) {
		result = json_scan_number(&k->in, buffer, &text);
		if (result == 0 && role == ROLE_LEAF && k->value != NULL &&
		    k->value->kind == SKIM_NUMBER) {
			strbuf_add(&k->strings, text);
			end_string(k);
		}
	} else {
		return grammar_fail(&k->grammar, &k->in, c);
	}
	grammar_end_value(&k->grammar);
	return result != 0 ? -1 : end_value(k, role);
}

/* ---- members of objects ---- */

static int read_key(struct skimmer *k, int c)
{
	if (c != '"')
		return grammar_fail(&k->grammar, &k->in, c);
	enum role in = top(k)->role;
	k->grammar.expect = EXPECT_COLON;
	k->member = &role_nothing;
	if (in == ROLE_SKIP)
		return skip_whole_string(k);
	char text[SCAN_KEY_MAX];
	struct sink key = {.key = text};
	if (json_scan_string(&k->in, &key) != 0)
		return -1;
	if (key.len > 0 && key.len <= SCAN_KEY_MAX)
		k->member = role_find(in, slice_make(text, key.len));
	if (k->member->role == ROLE_SKIP)
		return 0;
	return begin_kept(k);
}

/* ---- the grammar ---- */

static int read_token(struct skimmer *k, int c)
{
	switch (k->grammar.expect) {
	case EXPECT_TOP:
	case EXPECT_ITEM:
	case EXPECT_MEMBER:
		return read_value(k, c);
	case EXPECT_FIRST_ITEM:
		return c == ']' ? close_value(k) : read_value(k, c);
	case EXPECT_FIRST_KEY:
		return c == '}' ? close_value(k) : read_key(k, c);
	case EXPECT_KEY:
		return read_key(k, c);
	case EXPECT_COLON:
		if (c != ':')
			return grammar_fail(&k->grammar, &k->in, c);
		k->in.at++;
		k->grammar.expect = EXPECT_MEMBER;
		return 0;
	case EXPECT_COMMA:
		if (c == top(k)->close)
			return close_value(k);
		if (c != ',')
			return grammar_fail(&k->grammar, &k->in, c);
		k->in.at++;
		k->grammar.expect = top(k)->close == '}' ? EXPECT_KEY : EXPECT_ITEM;
		return 0;
	case EXPECT_END:
		break;
	}
	return grammar_fail(&k->grammar, &k->in, c);
}

/* ---- the file ---- */

/* Skips UTF-8's byte order mark. Rejects UTF-16, which has its own marks or a NUL in a first ASCII
 * character. Returns 0, or -1 after adding an error. */
static int skip_byte_order_mark(struct input *in)
{
	size_t have = input_need(in, 3);
	const unsigned char *b = (const unsigned char *)in->bytes;
	if (have >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF) {
		in->at = in->line_at = 3;
		return 0;
	}
	if (have < 2)
		return 0;
	bool marked = (b[0] == 0xFF && b[1] == 0xFE) || (b[0] == 0xFE && b[1] == 0xFF);
	if (!marked && (b[0] == 0) == (b[1] == 0))
		return 0;
	return input_fail(in, DIAG_ENCODING, "the file is UTF-16, but notebooks are UTF-8");
}

/* Adds a hint of what a file is that does not begin like JSON. */
static void hint_other_file(struct input *in)
{
	static const struct slice pointer = SLICE_INIT("version https://git-lfs");
	int c = input_peek(in);
	input_need(in, pointer.len);
	if (slice_starts_with(input_rest(in), pointer))
		diag_hint(in->diags, DIAG_JSON,
		          "this is a pointer of Git LFS: 'git lfs pull' fetches the notebook");
	else if (c == '<')
		diag_hint(in->diags, DIAG_JSON,
		          "this is a page of HTML or XML: download the notebook itself, as with a "
		          "'Raw' button");
	else if (c == '#' || (c != INPUT_END && ascii_is_alpha((char)c)))
		diag_hint(in->diags, DIAG_JSON,
		          "a notebook is a JSON file; jupytext makes one of a Python script");
}

static int skim_notebook(struct skimmer *k)
{
	if (skip_byte_order_mark(&k->in) != 0)
		return -1;
	for (;;) {
		/* Input that is not kept is skipped up to where more care is needed. */
		bool is_kept = k->grammar.open.count == 0 || top(k)->role != ROLE_SKIP;
		if (!is_kept && skip_tokens(&k->grammar, &k->in) && skip_string_rest(k) != 0)
			return -1;
		int c = input_skip_blanks(&k->in);
		if (c == INPUT_END && k->grammar.expect == EXPECT_END && k->in.error == 0)
			return 0;
		bool begins = k->grammar.expect == EXPECT_TOP;
		if (read_token(k, c) != 0) {
			if (begins)
				hint_other_file(&k->in);
			return -1;
		}
	}
}

struct slice skim_strings(const struct skim *skim, size_t first, size_t count)
{
	size_t begin = first == 0 ? 0 : skim->ends.items[first - 1];
	size_t end = first + count == 0 ? 0 : skim->ends.items[first + count - 1];
	return slice_sub(skim->text, begin, end);
}

struct slice skim_text(const struct skim *skim, const struct skim_value *value)
{
	return value->kind == SKIM_STRING ? skim_strings(skim, value->first, 1) : (struct slice){0};
}

bool skim_integer(const struct skim *skim, const struct skim_value *value, long long *out)
{
	if (value->kind != SKIM_NUMBER)
		return false;
	char digits[JSON_NUMBER_MAX + 1], *end;
	struct slice text = skim_strings(skim, value->first, 1);
	memcpy(digits, text.ptr, text.len);
	digits[text.len] = '\0';
	long long number = strtoll(digits, &end, 10);
	if (end == digits || *end != '\0')
		return false;
	*out = number;
	return true;
}

int skim_read(struct arena *arena, const struct skim_file *file, struct diags *diags,
              struct skim *out)
{
	struct skimmer *k = ARENA_NEW(arena, struct skimmer);
	*out = (struct skim){0};
	k->out = out;
	k->limits = file->limits;
	k->grammar = (struct grammar){.arena = arena, .depth_max = file->limits->nesting};
	k->arena = k->strings.arena = k->config.arena = arena;
	input_init(&k->in, file->fd, file->name, diags);
	if (file->plain != NULL)
		k->in.plain = file->plain;
	int result = skim_notebook(k);
	input_copy_end(&k->in);
	out->text = strbuf_slice(&k->strings);
	out->config = strbuf_slice(&k->config);
	return result;
}
