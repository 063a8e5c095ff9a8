/* Builds the tree of blocks from cells. The Jupyter kernel is a state machine: its mode and the
 * magic of a cell decide the step that the cell takes. The table `steps` contains these
 * transitions, and builder_step() runs a step. A stack of lists takes the blocks: that of the
 * notebook, of an open write-mode section, of an open multicell group. */
#include "ir/build/builder.h"

#include <assert.h>

#include "base/paths.h"
#include "base/quote.h"
#include "ir/build/build_code.h"
#include "ir/build/magic_meaning.h"
#include "lex/syntax.h"
#include "notebook/notebook.h"

/* ---- names of sections ---- */

/* Returns what is wrong with NAME as a file below the output folder, or NULL. */
static const char *section_name_fault(struct slice name, bool allow_outside)
{
	if (slice_has(name, '\0'))
		return "contains a NUL character";
	struct slice last = path_file(name);
	if (last.len == 0 || slice_eq(last, SLICE(".")))
		return "has no file name at its end";
	if (allow_outside)
		return NULL;
	if (name.ptr[0] == '/')
		return "is an absolute path";
	for (struct slice part; slice_next_part(&name, '/', &part);) {
		if (slice_eq(part, SLICE("..")))
			return "contains '..'";
	}
	return NULL;
}

/* Returns the program name of `%%start_writefile [name]` without ".py", by default
 * "jupyter_to_script". Returns an empty slice after an error. */
static struct slice build_section_name(const struct builder *b, struct location where)
{
	/* The kernel takes the rest of the line, including blanks. */
	struct slice name = slice_trim(b->head->args);
	if (name.len == 0)
		return SLICE("jupyter_to_script");
	const char *fault = section_name_fault(name, b->options->build.allow_outside);
	if (fault == NULL) {
		bool has_ending = slice_ends_with(name, SLICE(".py")) && name.len > 3;
		return arena_dup(b->arena, slice_sub(name, 0, name.len - (has_ending ? 3 : 0)));
	}
	diag_add(b->diags, DIAG_NAME, where, "'%.*s' is not a valid program name: it %s",
	         SLICE_ARG(name), fault);
	if (section_name_fault(name, true) == NULL)
		diag_hint(b->diags, DIAG_NAME,
		          "use a path below the output folder, or --allow-outside to permit this");
	return slice_make("", 0);
}

/* ---- broken cells ---- */

/* Returns a copy of the cell that only raises BROKEN. Its lines are comments; the statement is in the
 * first one. Lines above its code are kept. */
static const struct cell *build_broken_cell(const struct builder *b,
                                            const struct broken_cell *broken)
{
	struct lexed_cell lexed;
	lex_text(b->arena, b->cell->source, &lexed);
	const struct location *where = &broken->where;
	struct strbuf out = {.arena = b->arena};
	struct slice line, rest = b->cell->source, place = path_file(b->notebook->name);
	if (where->cell > 0)
		place = arena_printf(b->arena, "%.*s, cell %u", SLICE_ARG(place), where->cell);
	for (uint32_t i = 0; i < lexed.text_line; i++)
		slice_next_line(&rest, &line);
	strbuf_add(&out, slice_sub(b->cell->source, 0, b->cell->source.len - rest.len));
	for (bool first = true; slice_next_line(&rest, &line); first = false) {
		if (first) {
			/* Python shows a SyntaxError with its place: a file's name, line, column
			 * and text. */
			strbuf_printf(&out, "raise %.*s(", SLICE_ARG(broken->type));
			python_string(&out, broken->message);
			strbuf_puts(&out, ", (");
			python_string(&out, place);
			/* The place may be the whole cell. TEXT may be a part of a long line. */
			strbuf_printf(&out, ", %u, %u, ", where->line > 0 ? where->line : 1,
			              where->column > where->skipped
			                      ? where->column - where->skipped
			                      : 1);
			python_string(&out, where->text);
			strbuf_puts(&out, "))  ");
		}
		python_comment_line(&out, line, 0);
		strbuf_addc(&out, '\n');
	}
	struct cell *raising = ARENA_NEW(b->arena, struct cell);
	*raising = *b->cell;
	raising->source = strbuf_slice(&out);
	return raising;
}

/* ---- the builder ---- */

/* What a magic does in a mode. */
enum step {
	CODE,    /* an ordinary code cell */
	EXECUTE, /* an instrumented cell */
	KEEP,    /* an ordinary code cell; its magic is ignored */
	ENV,
	ARGS,
	OPEN_GROUP,
	CLOSE_GROUP,
	ABORT_GROUP,
	OPEN_SECTION,
	CLOSE_SECTION,
	ABORT_SECTION,
	VAMPIR_ON,
	VAMPIR_OFF,
	NOTHING, /* write mode: the kernel ignores the magic */
	WRONG,   /* "Currently in <mode>, command ignored" */
};

/* The modes as a state machine (facts: kernel, "Write mode, exactly" and the modes of the
 * interactive kernel). Actions without a row are ordinary code in every mode. */
static const unsigned char steps[ACTION_COUNT][MODE_COUNT] = {
        /* clang-format off */
	/*                          default       multicell    write          write, multicell  included */
	[ACTION_SCOREP_ENV]      = {ENV,          WRONG,       ENV,           ENV,              WRONG},
	[ACTION_SCOREP_ARGS]     = {ARGS,         WRONG,       ARGS,          ARGS,             WRONG},
	[ACTION_EXECUTE]         = {EXECUTE,      EXECUTE,     EXECUTE,       EXECUTE,          KEEP},
	[ACTION_MULTICELL_BEGIN] = {OPEN_GROUP,   WRONG,       OPEN_GROUP,    WRONG,            WRONG},
	[ACTION_MULTICELL_END]   = {WRONG,        CLOSE_GROUP, WRONG,         CLOSE_GROUP,      WRONG},
	[ACTION_MULTICELL_ABORT] = {WRONG,        ABORT_GROUP, NOTHING,       NOTHING,          WRONG},
	[ACTION_SECTION_BEGIN]   = {OPEN_SECTION, WRONG,       WRONG,         WRONG,            WRONG},
	[ACTION_SECTION_END]     = {WRONG,        WRONG,       CLOSE_SECTION, CLOSE_SECTION,    WRONG},
	[ACTION_SECTION_ABORT]   = {WRONG,        WRONG,       ABORT_SECTION, ABORT_SECTION,    WRONG},
	[ACTION_VAMPIR_ON]       = {VAMPIR_ON,    VAMPIR_ON,   VAMPIR_ON,     VAMPIR_ON,        WRONG},
	[ACTION_VAMPIR_OFF]      = {VAMPIR_OFF,   VAMPIR_OFF,  VAMPIR_OFF,    VAMPIR_OFF,       WRONG},
        /* clang-format on */
};

static const char *const mode_names[MODE_COUNT] = {"default mode", "multicell mode", "write mode",
                                                   "write mode", "an included notebook"};

static struct group *open_list(struct builder *b, enum block_kind kind)
{
	struct group *group = ARENA_NEW(b->arena, struct group);
	builder_add_block(b, kind)->group = group;
	group->where = builder_head_location(b);
	group->last_cell = b->cell->number;
	b->depth++;
	b->open[b->depth] = group;
	b->lists[b->depth] = &group->blocks;
	return group;
}

static void close_list(struct builder *b, bool aborted)
{
	struct group *group = b->open[b->depth];
	assert(group != NULL); /* the table closes a list only in a mode in which it is open */
	group->last_cell = b->cell->number;
	group->aborted = aborted;
	b->depth--;
}

static const char *head_sign(const struct builder *b)
{
	return b->head->kind == MAGIC_LINE ? "%" : "%%";
}

static void warn_ignored_argument(struct builder *b)
{
	if (b->head->args.len > 0)
		diag_add(b->diags, DIAG_CODE_IGNORED, builder_head_location(b),
		         "'%s%.*s' takes no argument; '%.*s' is ignored", head_sign(b),
		         SLICE_ARG(b->head->name), SLICE_ARG(b->head->args));
}

/* The kernel silently drops code in the cell of a magic that takes none. The script keeps the text
 * as a comment. */
static void warn_ignored_code(struct builder *b)
{
	if (b->lexed->code_lines > (b->head->kind == MAGIC_LINE ? 1 : 0))
		diag_add(b->diags, DIAG_CODE_IGNORED, builder_head_location(b),
		         "code in the cell of '%s%.*s' is ignored", head_sign(b),
		         SLICE_ARG(b->head->name));
	if (b->head->row->action != ACTION_SECTION_BEGIN)
		warn_ignored_argument(b);
}

/* Adds the cell of a mode magic to the script as a comment. */
static void add_comment(struct builder *b)
{
	builder_add_block(b, BLOCK_COMMENT);
	warn_ignored_code(b);
}

static void report_open_group(struct builder *b)
{
	diag_add(b->diags, DIAG_GROUP_OPEN, b->open[b->depth]->where,
	         "the multicell group that begins here is never finalized");
	diag_hint(b->diags, DIAG_GROUP_OPEN,
	          "add a cell with '%%%%finalize_multicellmode' after its last cell");
}

static void close_section(struct builder *b, bool aborted)
{
	warn_ignored_code(b);
	if (b->mode == MODE_WRITE_MULTICELL) {
		if (!aborted)
			report_open_group(b);
		close_list(b, false);
	}
	close_list(b, aborted);
	b->mode = MODE_DEFAULT;
}

static void builder_step(struct builder *b, enum step step)
{
	switch (step) {
	case CODE:
		builder_add_code(b);
		break;
	case EXECUTE:
		if (!b->lexed->is_python) {
			builder_add_code(b);
			break;
		}
		warn_ignored_argument(b);
		builder_add_block(b, BLOCK_EXECUTE);
		break;
	case KEEP:
		diag_add(b->diags, DIAG_MAGIC_DROPPED, builder_head_location(b),
		         "in %s, '%%%%%.*s' is left out; its code is kept", mode_names[b->mode],
		         SLICE_ARG(b->head->name));
		builder_add_code(b);
		break;
	case ENV:
		build_env(b, builder_add_block(b, BLOCK_ENV));
		break;
	case ARGS:
		build_args(b, builder_add_block(b, BLOCK_ARGS));
		break;
	case OPEN_GROUP:
		warn_ignored_code(b);
		open_list(b, BLOCK_MULTICELL);
		b->mode = b->mode == MODE_DEFAULT ? MODE_MULTICELL : MODE_WRITE_MULTICELL;
		break;
	case CLOSE_GROUP:
	case ABORT_GROUP:
		close_list(b, step == ABORT_GROUP);
		add_comment(b);
		b->mode = b->mode == MODE_MULTICELL ? MODE_DEFAULT : MODE_WRITE;
		break;
	case OPEN_SECTION:
		warn_ignored_code(b);
		struct group *section = open_list(b, BLOCK_SECTION);
		section->name = build_section_name(b, section->where);
		b->mode = MODE_WRITE;
		break;
	case CLOSE_SECTION:
	case ABORT_SECTION:
		close_section(b, step == ABORT_SECTION);
		break;
	case VAMPIR_ON:
	case VAMPIR_OFF:
		/* The kernel does this in every mode. */
		b->opens_vampir = step == VAMPIR_ON;
		add_comment(b);
		if (b->opens_vampir)
			diag_add(b->diags, DIAG_VAMPIR, builder_head_location(b),
			         "'nbscorep run' opens the trace in Vampir; the run script does "
			         "not");
		break;
	case NOTHING:
		add_comment(b);
		diag_add(b->diags, DIAG_ABORT_IGNORED, builder_head_location(b),
		         "'%%%%%.*s' has no effect in write mode", SLICE_ARG(b->head->name));
		break;
	case WRONG:
		builder_add_block(b, BLOCK_COMMENT);
		diag_add(b->diags, DIAG_WRONG_MODE, builder_head_location(b),
		         "in %s, '%s%.*s' is ignored", mode_names[b->mode], head_sign(b),
		         SLICE_ARG(b->head->name));
		break;
	}
}

/* The kernel reads the first magic only. Here a mode magic below another one (%%time over
 * %%execute_with_scorep) counts, too. */
static enum step find_step(struct builder *b)
{
	vec_each(const struct magic, magic, &b->lexed->cell_magics) {
		enum step step = magic->row == NULL ? CODE : steps[magic->row->action][b->mode];
		if (step != CODE) {
			b->head = magic;
			return step;
		}
	}
	/* %start_write_script and %end_write_script of the JUmPER extension. */
	vec_each(const struct magic, magic, &b->lexed->magics) {
		bool writes = magic->row != NULL && (magic->row->action == ACTION_SECTION_BEGIN ||
		                                     magic->row->action == ACTION_SECTION_END);
		if (writes && magic->kind == MAGIC_LINE && !magic->assigned) {
			b->head = magic;
			return steps[magic->row->action][b->mode];
		}
	}
	return CODE;
}

/* Why the notebook excludes the cell, or empty. nbclient skips "skip-execution"; a cell with jupytext's
 * "active-ipynb" runs in the notebook, and is a comment in a script. */
static struct slice find_exclusion(const struct builder *b, const struct cell *cell)
{
	for (size_t i = 0; i < cell->tags.count; i++) {
		struct slice tag = cell->tags.items[i];
		bool excludes = slice_is_word_of(tag, "skip skip-execution active-ipynb");
		for (size_t j = 0; j < b->options->build.skip_tags.count; j++)
			excludes |= slice_eq(tag, slice_from(b->options->build.skip_tags.items[j]));
		if (excludes)
			return arena_printf(b->arena, "tag '%.*s'", SLICE_ARG(tag));
	}
	/* Among the lines "#| ..." that a cell begins with: the cell options of Quarto
	 * (https://quarto.org/docs/reference/cells/cells-jupyter.html). */
	struct slice rest = cell->source, line;
	while (slice_next_line(&rest, &line) && slice_cut_prefix(&line, SLICE("#|"))) {
		line = slice_trim(line);
		if (!slice_cut_prefix(&line, SLICE("eval:")))
			continue;
		if (slice_is_word_of(slice_trim(line), "false False FALSE"))
			return SLICE("line '#| eval: false'");
		break;
	}
	return slice_make("", 0);
}

static void add_cell(struct builder *b, const struct cell *cell)
{
	b->cell = cell;
	b->head = NULL;
	struct slice reason = find_exclusion(b, cell);
	if (cell->type == CELL_CODE && reason.len > 0 && b->mode != MODE_INCLUDED) {
		builder_add_block(b, BLOCK_COMMENT)->left_out.reason = reason;
		diag_add(b->diags, DIAG_CELL_SKIPPED, builder_head_location(b),
		         "the cell is left out because of its %.*s", SLICE_ARG(reason));
		return;
	}
	const struct broken_cell *broken = b->mode == MODE_INCLUDED ? NULL : b->options->broken;
	if (broken != NULL && broken[cell->number].where.cell != 0)
		b->cell = cell = build_broken_cell(b, &broken[cell->number]);
	if (cell->type != CELL_CODE) {
		builder_add_block(b, cell->type == CELL_RAW ? BLOCK_RAW : BLOCK_MARKDOWN);
		return;
	}
	b->cell = cell = build_bare_magic(b->arena, b->notebook, cell, &b->bare_magics);
	b->executions += slice_trim(cell->source).len > 0 ? 1 : 0;
	struct lexed_cell *lexed = ARENA_NEW(b->arena, struct lexed_cell);
	lex_cell(b->arena, cell, b->diags, lexed);
	lexed->file = b->file;
	b->lexed = lexed;
	builder_step(b, find_step(b));
}

void ir_build(struct arena *arena, const struct notebook *notebook, struct slice file,
              const struct ir_options *options, struct diags *diags, block_list *out)
{
	struct builder b = {
	        .arena = arena,
	        .diags = diags,
	        .options = options,
	        .notebook = notebook,
	        .file = file,
	        .mode = file.len > 0 ? MODE_INCLUDED : MODE_DEFAULT,
	        .lists = {out},
	};
	vec_each(const struct cell, cell, &notebook->cells) {
		if (cell->type != CELL_RAW || file.len == 0)
			add_cell(&b, cell);
	}
	if (b.mode == MODE_MULTICELL || b.mode == MODE_WRITE_MULTICELL) {
		report_open_group(&b);
		b.depth--;
	}
	if (b.depth > 0) {
		diag_add(b.diags, DIAG_SECTION_OPEN, b.open[b.depth]->where,
		         "the write-mode section that begins here is never ended");
		diag_hint(b.diags, DIAG_SECTION_OPEN,
		          "add a cell with '%%%%end_writefile' or '%%end_write_script' after its "
		          "last cell");
	}
}
