#include "cli/verify.h"

#include <unistd.h>

#include "base/name_set.h"
#include "base/utf8.h"
#include "emit/emit.h"
#include "emit/template.h"
#include "lex/lex.h"
#include "run/python.h"

enum { BROKEN_RAISE = 2 }; /* of --broken-cells */

/* A cell that is no Python, or an included text. */
struct fault {
	struct location where; /* all 0: the script does not compile, but no cell is at fault */
	struct slice type, message; /* of Python's exception */
	bool python_2;
};

typedef VECTOR(struct fault) fault_list;

/* A script in memory. */
struct text {
	struct slice all;
	VECTOR(struct slice) lines;
	struct source_map map;
};

struct verifier verifier_make(struct arena *arena, const struct options *options)
{
	struct environment environment;
	environment_init(&environment, arena, environ);
	return (struct verifier){.python = python_find(&environment, options->python)};
}

void verifier_configure(struct verifier *verifier, enum command_id command,
                        const struct options *options)
{
	verifier->raises = options->broken_cells == BROKEN_RAISE;
	/* For run it names the Python that is started. */
	verifier->required = options->verify || (options->python != NULL && command != COMMAND_RUN);
	verifier->wanted = (command == COMMAND_CHECK || verifier->raises || verifier->required) &&
	                   !options->no_verify;
}

static void emit_text(struct arena *arena, const struct ir *ir, const struct program *program,
                      enum script_layout layout, struct text *out)
{
	*out = (struct text){0};
	struct emit_names names = {.notebook = ir->notebook_name};
	struct emitted_script script;
	struct strbuf all;
	strbuf_init(&all, arena);
	emit_python(arena, program, &names, layout, &script, &out->map);
	strbuf_add(&all, script.head);
	emit_build_line(&all, slice_make("", 0));
	strbuf_add(&all, script.body);
	out->all = strbuf_slice(&all);
	struct slice line, rest = out->all;
	while (slice_next_line(&rest, &line))
		vec_push(arena, &out->lines, line);
}

static struct slice line_of(struct slice source, unsigned number)
{
	struct slice line = slice_make("", 0);
	while (number-- > 0 && slice_next_line(&source, &line))
		;
	return line;
}

/* The bytes of the first COUNT characters of TEXT. */
static size_t bytes_of(struct slice text, size_t count)
{
	size_t at = 0, len;
	for (; count > 0 && at < text.len; count--, at += len)
		utf8_decode(slice_sub(text, at, text.len), &len);
	return at;
}

/* The offset of the last character of TEXT, which is not empty. */
static size_t last_character(struct slice text)
{
	size_t at = text.len - 1;
	while (at > 0 && ((unsigned char)text.ptr[at] & 0xC0) == 0x80)
		at--;
	return at;
}

/* Where byte OFFSET of WRITTEN, a line of the script, stands in LINE, the notebook's: the script
 * has something before or behind it, or clean-up cut something off its front. SIZE_MAX: neither. */
static size_t offset_in_notebook(struct slice written, size_t offset, struct slice line)
{
	struct slice core = slice_trim(line), rest = slice_sub(written, offset, written.len);
	size_t core_at = (size_t)(core.ptr - line.ptr);
	size_t found = slice_find_slice(written, core, 0);
	if (core.len > 0 && found < written.len && offset >= found)
		return core_at + (offset - found < core.len ? offset - found : core.len);
	if (rest.len > 0 && slice_ends_with(line, rest))
		return line.len - rest.len;
	return SIZE_MAX;
}

/* The part of a cell, from its first one at AT on, that line NUMBER of the script is in, or NULL. */
static const struct source_map_entry *find_part(const struct text *text, size_t at, size_t number)
{
	const struct block *block = text->map.entries.items[at].block;
	for (; at < text->map.entries.count; at++) {
		const struct source_map_entry *part = &text->map.entries.items[at];
		if (part->script_line > number)
			break;
		if (part->block == block && number - part->script_line < part->lines)
			return part;
	}
	return NULL;
}

/* AT: index of the first entry of the cell that is at fault. */
static struct location place(const struct python_fault *fault, const struct text *text, size_t at)
{
	const struct source_map_entry *entry = &text->map.entries.items[at];
	const struct block *block = entry->block;
	size_t script_line = entry->script_line + fault->line - 1;
	const struct source_map_entry *part =
	        fault->line == 0 ? NULL : find_part(text, at, script_line);
	if (part == NULL)
		return block_cell_location(block);
	unsigned number = (unsigned)(part->first_line + script_line - part->script_line);
	struct slice line = line_of(block->source, number), core = slice_trim(line);
	struct slice written = text->lines.items[script_line - 1];
	size_t offset = SIZE_MAX, len = core.len;
	if (fault->column > 0) {
		size_t before = bytes_of(written, fault->column - 1);
		offset = offset_in_notebook(written, before, line);
	}
	size_t start = (size_t)(core.ptr - line.ptr);
	if (offset == SIZE_MAX)
		offset = start;
	else if (core.len > 0 && offset >= start + core.len)
		offset = start + last_character(core); /* something is missing behind it */
	else
		len = bytes_of(slice_sub(line, offset, line.len), fault->length);
	if (len > start + core.len - offset)
		len = start + core.len - offset;
	struct location where = location_in_line(block->lexed->number, number, line, offset, len);
	where.file = block->lexed->file;
	return where;
}

/* Without Python: an error for who asks for it, else a remark. */
static void report_unverified(struct verifier *verifier, struct compilation *c,
                              const struct python_check *check, struct slice reason)
{
	struct location nowhere = {0};
	if (verifier->required) {
		c->system_failed = true;
		diag_add(&c->diags, DIAG_IO, nowhere, "cannot compile the script with '%s': %.*s",
		         verifier->python, SLICE_ARG(reason));
	} else if (!verifier->told) {
		verifier->told = !check->started;
		diag_add(&c->diags, DIAG_NOT_VERIFIED, nowhere,
		         "'%s' did not check that the script compiles: %.*s", verifier->python,
		         SLICE_ARG(reason));
		diag_hint(&c->diags, DIAG_NOT_VERIFIED, "--python or PYTHON names another Python");
	}
}

/* Each of the COUNT cells has one entry where they stand apart: of those of the script, where they
 * come in the same order, its first one. */
static size_t *find_firsts(struct arena *arena, const struct text *script, size_t count)
{
	size_t *firsts = arena_calloc(arena, count, sizeof *firsts);
	for (size_t i = 0, found = 0; i < script->map.entries.count && found < count; i++) {
		if (script->map.entries.items[i].first_line == 1)
			firsts[found++] = i;
	}
	return firsts;
}

/* Adds what Python says about CELLS, a text of them, and WHOLE, the same one as it will run.
 * Returns -1, with a diagnostic, when it says nothing. */
static int check_texts(struct verifier *verifier, struct compilation *c, const struct text *cells,
                       const struct text *whole, fault_list *out)
{
	size_t count = cells->map.entries.count;
	struct python_cell *places = arena_calloc(c->arena, count, sizeof *places);
	size_t *firsts = find_firsts(c->arena, whole, count);
	for (size_t i = 0; i < count; i++) {
		const struct source_map_entry *entry = &cells->map.entries.items[i];
		const struct source_map_entry *in_script = &whole->map.entries.items[firsts[i]];
		places[i] = (struct python_cell){entry->script_line, entry->lines, entry->indent,
		                                 in_script->script_line, in_script->span};
	}
	struct python_check check = {.cell_text = cells->all,
	                             .script = whole->all,
	                             .cells = places,
	                             .cell_count = count};
	struct slice reason, checker = template_text(SLICE("verify.py"));
	if (python_check(c->arena, verifier->python, checker, &check, &reason) < 0) {
		report_unverified(verifier, c, &check, reason);
		return -1;
	}
	for (size_t i = 0; i < check.faults.count; i++) {
		const struct python_fault *fault = &check.faults.items[i];
		struct fault found = {.type = fault->type,
		                      .message = fault->message,
		                      .python_2 = fault->python_2};
		if (fault->cell < count)
			found.where = fault->whole ? place(fault, whole, firsts[fault->cell])
			                           : place(fault, cells, fault->cell);
		else
			found.message = arena_printf(c->arena, "line %u: %.*s", fault->line,
			                             SLICE_ARG(fault->message));
		vec_push(c->arena, out, found);
	}
	return 0;
}

/* Included files are read once more, too: that can fail now, and says nothing of the notebook. */
static bool has_failed(struct compilation *c, const struct compilation *trial)
{
	for (size_t i = 0; trial->system_failed && i < trial->diags.list.count; i++) {
		const struct diag *diag = &trial->diags.list.items[i];
		if (diag->kind == DIAG_IO)
			diag_add(&c->diags, DIAG_IO, diag->where, "%.*s", SLICE_ARG(diag->message));
	}
	c->system_failed |= trial->system_failed;
	return trial->system_failed;
}

/* Compiles the notebook once more, as the cells' own text: inside of the call that displays a
 * cell's last expression Python reads it otherwise. Nothing of it is reported, but that the system
 * failed: then it returns NULL. */
static struct compilation *compile_trial(struct compilation *c, const struct ir_options *options)
{
	struct compilation *trial = ARENA_NEW(c->arena, struct compilation);
	struct ir_options plain = *options;
	*trial = *c;
	diags_init(&trial->diags, c->arena);
	plain.no_echo = true;
	compile_build(trial, &plain);
	return has_failed(c, trial) ? NULL : trial;
}

/* Adds to OUT what Python says about the programs of TRIAL and, the same without errors, those of
 * REAL. Returns -1, with a diagnostic, when it says nothing. */
static int find_faults(struct verifier *verifier, struct compilation *c, const struct ir *trial,
                       const struct ir *real, fault_list *out)
{
	for (size_t i = 0; i < real->programs.count; i++) {
		struct text cells, whole;
		emit_text(c->arena, trial, &trial->programs.items[i], LAYOUT_APART, &cells);
		emit_text(c->arena, real, &real->programs.items[i], LAYOUT_SCRIPT, &whole);
		if (check_texts(verifier, c, &cells, &whole, out) < 0)
			return -1;
	}
	return 0;
}

static bool is_nowhere(const struct fault *fault)
{
	return fault->where.cell == 0 && fault->where.file.len == 0;
}

static void report_fault(struct verifier *verifier, struct compilation *c, enum diag_kind kind,
                         const struct fault *fault)
{
	struct slice message = fault->message;
	/* Python begins some of its messages with a capital letter, others with a name in
	 * capitals. */
	char first = ' ';
	if (message.len > 0)
		first = message.ptr[0];
	bool lower = message.len > 1 && ascii_lower(message.ptr[1]) == message.ptr[1];
	struct slice rest = slice_sub(message, 1, message.len);
	if (is_nowhere(fault))
		kind = DIAG_PYTHON_SYNTAX;
	diag_add(&c->diags, kind, fault->where, "%s%c%.*s",
	         is_nowhere(fault) ? "the script does not compile: " : "",
	         lower ? ascii_lower(first) : first, SLICE_ARG(rest));
	if (fault->python_2)
		diag_hint(&c->diags, kind, "this is Python 2, but the script runs with Python 3");
	else if (kind == DIAG_PYTHON_SYNTAX && !is_nowhere(fault) && !verifier->hinted)
		diag_hint(&c->diags, kind,
		          "--broken-cells=raise compiles the other cells all the same");
	verifier->hinted |= !fault->python_2;
}

/* The name of a cell, of the notebook or of an included one, in a set. */
static struct slice cell_name(struct arena *arena, const struct location *where)
{
	return arena_printf(arena, "%u %.*s", where->cell, SLICE_ARG(where->file));
}

static bool is_lexers(const struct diag *diag)
{
	return diag->kind == DIAG_LEX || diag->kind == DIAG_NUL;
}

/* The lexer's words about a cell are Python's in other words. */
static bool is_said_twice(const struct diag *diag, void *data)
{
	const struct name_set *broken = data;
	return is_lexers(diag) && name_set_has(broken, cell_name(broken->arena, &diag->where));
}

static int report_errors(struct verifier *verifier, struct compilation *c,
                         const struct ir_options *options)
{
	fault_list faults = {0};
	const struct compilation *trial = compile_trial(c, options);
	if (trial == NULL)
		return -1;
	find_faults(verifier, c, &trial->ir, &c->ir, &faults);
	struct name_set broken;
	name_set_init(&broken, c->arena);
	for (size_t i = 0; i < faults.count; i++) {
		if (!is_nowhere(&faults.items[i]))
			name_set_add(&broken, cell_name(c->arena, &faults.items[i].where));
	}
	diags_remove(&c->diags, is_said_twice, &broken);
	for (size_t i = 0; i < faults.count; i++)
		report_fault(verifier, c, DIAG_PYTHON_SYNTAX, &faults.items[i]);
	return c->diags.errors > 0 ? -1 : 0;
}

static void mark_code(struct block *block, void *data)
{
	struct name_set *code = data;
	if (!block_is_code(block))
		return;
	struct location where = block_cell_location(block);
	name_set_add(code, cell_name(code->arena, &where));
}

/* What the lexer found, where there is no Python. */
static void find_lexed_faults(struct compilation *c, struct compilation *trial, fault_list *out)
{
	struct name_set code, broken;
	name_set_init(&code, c->arena);
	name_set_init(&broken, c->arena);
	for (size_t i = 0; i < trial->ir.programs.count; i++)
		blocks_walk(&trial->ir.programs.items[i].blocks, mark_code, &code);
	for (size_t i = 0; i < trial->diags.list.count; i++) {
		const struct diag *diag = &trial->diags.list.items[i];
		struct slice name = cell_name(c->arena, &diag->where);
		/* The first fault of a cell says enough. */
		if (!is_lexers(diag) || !name_set_has(&code, name) || name_set_has(&broken, name))
			continue;
		name_set_add(&broken, name);
		vec_push(c->arena, out,
		         (struct fault){diag->where, SLICE("SyntaxError"), diag->message, false});
	}
}

typedef VECTOR(struct broken_cell) broken_list;

/* --broken-cells=raise: what is known of the broken cells so far. */
struct raising {
	struct verifier *verifier;
	struct compilation *compilation;
	struct ir_options options;
	struct broken_cell *broken; /* by number of the cell */
	broken_list included;
};

static void raise_faults(struct raising *r, const fault_list *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct fault *fault = &faults->items[i];
		struct broken_cell cell = {fault->where, fault->type, fault->message};
		if (fault->where.file.len > 0)
			vec_push(r->compilation->arena, &r->included, cell);
		else if (fault->where.cell > 0)
			r->broken[fault->where.cell] = cell;
		report_fault(r->verifier, r->compilation, DIAG_BROKEN_CELL, fault);
	}
	r->options.included_broken = r->included.items;
	r->options.included_broken_count = r->included.count;
}

/* With errors there is no script to ask Python about; those of broken cells go with the cells. */
static struct compilation *try_without_errors(struct raising *r)
{
	struct compilation *trial = compile_trial(r->compilation, &r->options);
	if (trial == NULL || trial->diags.errors == 0)
		return trial;
	fault_list faults = {0};
	find_lexed_faults(r->compilation, trial, &faults);
	raise_faults(r, &faults);
	return compile_trial(r->compilation, &r->options);
}

/* Finds the broken cells first, then compiles again with their errors in their places. */
static int compile_raising(struct verifier *verifier, struct compilation *c,
                           const struct ir_options *options)
{
	size_t count = (size_t)notebook_last_cell(&c->notebook) + 1;
	struct raising r = {
	        .verifier = verifier,
	        .compilation = c,
	        .options = *options,
	        .broken = arena_calloc(c->arena, count, sizeof *r.broken),
	};
	r.options.broken = r.broken;
	struct compilation *trial = try_without_errors(&r);
	if (trial == NULL)
		return -1;
	fault_list faults = {0};
	bool is_checked = trial->diags.errors == 0 && verifier->wanted &&
	                  find_faults(verifier, c, &trial->ir, &trial->ir, &faults) == 0;
	if (!is_checked) {
		faults = (fault_list){0};
		find_lexed_faults(c, trial, &faults);
	}
	raise_faults(&r, &faults);
	return compile_build(c, &r.options);
}

int verify_compile(struct verifier *verifier, struct compilation *c,
                   const struct ir_options *options)
{
	if (verifier->raises)
		return compile_raising(verifier, c, options);
	if (compile_build(c, options) < 0)
		return -1;
	return verifier->wanted ? report_errors(verifier, c, options) : 0;
}
