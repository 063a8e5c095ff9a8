/* The place of a magic: replaces it and reports about it. */
#include "ir/lower/lower_site.h"

#include "base/quote.h"
#include "ir/build/magic_meaning.h"
#include "notebook/notebook.h"

struct location site_location(const struct site *site)
{
	if (site->magic->kind == MAGIC_CELL)
		return lexed_head_location(site->block->code->lexed, site->magic);
	return block_location(site->block, site->magic->offset, site->magic->len);
}

struct location site_part_location(const struct site *site, struct slice part)
{
	size_t offset = site->magic->args_offset + (size_t)(part.ptr - site->magic->args.ptr);
	if (part.len == 0)
		return site_location(site);
	return block_location(site->block, (uint32_t)offset, (uint32_t)part.len);
}

/* Returns the name of the magic in messages: "%time", "!", "?". */
static struct slice site_name(const struct site *site)
{
	const struct magic *magic = site->magic;
	switch (magic->kind) {
	case MAGIC_CELL:
		return arena_printf(site->context->arena, "%%%%%.*s", SLICE_ARG(magic->name));
	case MAGIC_LINE:
		return arena_printf(site->context->arena, "%%%.*s", SLICE_ARG(magic->name));
	case MAGIC_SHELL_LIST:
		return SLICE("!!");
	case MAGIC_HELP:
		return SLICE("?");
	case MAGIC_SHELL:
	case MAGIC_AUTOCALL:
		break;
	}
	return slice_sub(site->block->code->lexed->text, magic->offset, magic->offset + 1);
}

static bool is_last_line(const struct site *site)
{
	const struct lexed_cell *lexed = site->block->code->lexed;
	if (lexed->last_line == UINT32_MAX)
		return false;
	const struct logical_line *line = &lexed->logical.items[lexed->last_line];
	return line->kind == LINE_MAGIC && line->column == 0 &&
	       &lexed->magics.items[line->magic] == site->magic;
}

bool site_shows_value(const struct site *site)
{
	return !site->magic->assigned &&
	       !(site->block->origin != NULL && site->block->origin->silent) &&
	       !site->context->options->no_echo && !block_is_called(site->block) &&
	       is_last_line(site);
}

struct slice site_echo(const struct site *site)
{
	return program_echo(site->context->arena, site->program, site->block);
}

static struct slice magic_text(const struct site *site)
{
	return slice_sub(site->block->code->lexed->text, site->magic->offset,
	                 site->magic->offset + site->magic->len);
}

void site_add_line_ends(const struct site *site, struct strbuf *out)
{
	const char *end =
	        site->block->code->lexed->text.ptr + site->magic->offset + site->magic->len;
	struct slice line = {0}, rest = magic_text(site);
	while (slice_next_line(&rest, &line)) {
		if (line.ptr + line.len < end)
			strbuf_addc(out, '\n');
	}
}

void site_replace(const struct site *site, struct slice text)
{
	block_add_edit(site->context->arena, site->block, site->magic->offset, site->magic->len,
	               text);
}

void site_put_before(const struct site *site, struct slice text)
{
	const struct magic *magic = site->magic;
	size_t start = magic->offset;
	if (magic->assigned)
		start = (size_t)(magic->target.ptr - site->block->code->lexed->text.ptr);
	block_add_edit(site->context->arena, site->block, (uint32_t)start, 0, text);
}

bool magic_has_header(const struct magic *magic)
{
	/* The colon of an annotation or a slice counts, too, which is harmless. */
	return magic->assigned && (slice_find(magic->target, ':', 0) < magic->target.len ||
	                           slice_find(magic->target, ';', 0) < magic->target.len);
}

void site_comment_out(const struct site *site, const char *reason)
{
	const char *end =
	        site->block->code->lexed->text.ptr + site->magic->offset + site->magic->len;
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_puts(&out, site->magic->assigned ? "None  " : "pass  ");
	site->block->code->dropped += !site->magic->assigned;
	struct slice line = {0}, rest = magic_text(site);
	strbuf_printf(&out, "# %s: ", reason);
	const char *begin = rest.ptr;
	while (slice_next_line(&rest, &line)) {
		/* One source line must become one comment line. */
		strbuf_puts(&out, line.ptr == begin ? "" : "# ");
		comment_inline(&out, slice_trim_end(line));
		/* A continued magic may end with the line end of a last, empty line. */
		if (line.ptr + line.len < end)
			strbuf_addc(&out, '\n');
	}
	site_replace(site, strbuf_slice(&out));
}

/* Returns the kernel in which JUmPER's wrapper kernel runs the cells after MAGIC. Returns an empty
 * slice if that is a Python kernel, or known only at run time. */
static struct slice find_other_kernel(const struct magic *magic)
{
	struct slice rest = magic->args, kernel = slice_next_word(&rest);
	bool is_chosen = magic->kind == MAGIC_LINE && slice_eq(magic->name, SLICE("wrap_kernel")) &&
	                 kernel.len > 0 && kernel.ptr[0] != '#' &&
	                 slice_find(kernel, '{', 0) == kernel.len &&
	                 slice_find(kernel, '$', 0) == kernel.len;
	return is_chosen && !notebook_is_python_kernel(kernel) ? kernel : slice_make("", 0);
}

static void report_dropped(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct diags *diags = site->context->diags;
	struct slice name = site_name(site), kernel = find_other_kernel(magic);
	if (magic->row == NULL) {
		report_unknown_magic(diags, site_location(site), magic->kind, magic->name);
	} else if (kernel.len > 0) {
		diag_add(diags, DIAG_LANGUAGE, site_part_location(site, kernel),
		         "the cells after '%%wrap_kernel' are for the kernel '%.*s', which is not "
		         "a Python kernel",
		         SLICE_ARG(kernel));
		diag_hint(diags, DIAG_LANGUAGE,
		          "tag this cell and the kernel's cells, and skip them with --skip-tag");
	} else if (magic_means_nothing(magic)) {
		diag_add(diags, DIAG_MAGIC_NO_EFFECT, site_location(site),
		         "'%.*s' has no effect in batch; it is left out", SLICE_ARG(name));
	} else {
		diag_add(diags, DIAG_MAGIC_DROPPED, site_location(site),
		         "'%.*s' is left out of the script", SLICE_ARG(name));
	}
}

void site_drop(const struct site *site)
{
	const struct magic *magic = site->magic;
	/* The lexer has reported a cell magic below the first line. */
	if (magic->kind != MAGIC_LINE || !slice_starts_with(magic->name, SLICE("%")))
		report_dropped(site);
	site_comment_out(site, "left out");
}
