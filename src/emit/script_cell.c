#include "emit/script_cell.h"

#include "base/quote.h"
#include "ir/ir.h"

unsigned python_cell_indent(const struct block *block, unsigned at_least)
{
	const struct code *code = &block->code;
	if (at_least == 0 || slice_find(code->text, '\t', 0) == code->text.len)
		return at_least;
	for (size_t i = 0; i < code->lines.count; i++) {
		const struct code_line *line = &code->lines.items[i];
		struct slice indent =
		        slice_sub(code->text, line->offset, line->offset + line->indent);
		if (!line->fixed && slice_find(indent, '\t', 0) < indent.len)
			return (at_least + 7) / 8 * 8;
	}
	return at_least;
}

/* The source lines above the code: the cell magics and blank lines. */
void python_cell_heads(struct strbuf *out, const struct block *block, unsigned indent)
{
	struct slice line, rest = block->source;
	for (uint32_t i = 0; i < block->code.head_lines && slice_next_line(&rest, &line); i++) {
		if (slice_trim(line).len > 0)
			python_comment_line(out, line, indent);
		strbuf_addc(out, '\n');
	}
}

/* Writes the text up to END with its edits. An edit may extend beyond END. An insertion at END
 * itself is written only with AT_END: it belongs to the line that ends there, not to the next
 * one. */
static void write_to(struct cell_writer *writer, uint32_t end, bool at_end)
{
	struct slice text = writer->block->code.text;
	while (writer->edit < writer->block->edits.count) {
		const struct edit *edit = &writer->block->edits.items[writer->edit];
		if (edit->offset > end || (edit->offset == end && !(at_end && edit->len == 0)))
			break;
		strbuf_add(writer->out, slice_sub(text, writer->at, edit->offset));
		if (!writer->plain || !edit->is_echo)
			strbuf_add(writer->out, edit->text);
		writer->at = edit->offset + edit->len;
		writer->edit++;
	}
	if (writer->at < end) {
		strbuf_add(writer->out, slice_sub(text, writer->at, end));
		writer->at = end;
	}
}

static bool is_blank_line(struct slice text, const struct code_line *line)
{
	return line->indent == line->len || text.ptr[line->offset + line->indent] == '\0';
}

static void write_line(struct cell_writer *writer, const struct code_line *line)
{
	struct slice text = writer->block->code.text;
	bool begins_here = writer->at <= line->offset;
	if (begins_here && !line->fixed && !is_blank_line(text, line)) {
		/* A form feed resets the column to 0, so the blanks are put after the last one. */
		uint32_t at = line->indent;
		while (at > 0 && text.ptr[line->offset + at - 1] != '\f')
			at--;
		uint32_t position = line->offset + at;
		strbuf_add(writer->out, slice_sub(text, line->offset, position));
		strbuf_fill(writer->out, ' ', writer->indent);
		writer->at = position;
	}
	write_to(writer, line->offset + line->len, true);
	write_to(writer, line->offset + line->len + line->end_len, false);
}

void python_cell_strings(struct strbuf *out, const struct block *block, unsigned indent)
{
	struct strbuf text;
	strbuf_init(&text, out->arena);
	struct cell_writer writer = {.out = &text, .block = block};
	write_to(&writer, (uint32_t)block->code.text.len, true);
	struct slice line, rest = strbuf_slice(&text);
	while (slice_next_line(&rest, &line)) {
		strbuf_fill(out, ' ', indent);
		python_string(out, arena_printf(out->arena, "%.*s\n", SLICE_ARG(line)));
		strbuf_addc(out, '\n');
	}
}

void python_cell_begin(struct cell_writer *writer, struct strbuf *out, const struct block *block,
                       unsigned indent)
{
	*writer = (struct cell_writer){.out = out, .block = block, .indent = indent};
}

void python_cell_lines(struct cell_writer *writer, size_t end)
{
	const struct code *code = &writer->block->code;
	size_t first = writer->line;
	for (; writer->line < end && writer->line < code->lines.count; writer->line++)
		write_line(writer, &code->lines.items[writer->line]);
	/* After a CR, too: the next line end would join it to one CR LF. */
	if (writer->line > first && writer->out->ptr[writer->out->len - 1] != '\n')
		strbuf_addc(writer->out, '\n');
}
