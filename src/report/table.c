#include "report/table.h"

#include <math.h>
#include <string.h>

#include "base/quote.h"
#include "base/utf8.h"

enum { GAP = 2 };

void table_text(struct table *table, struct slice text)
{
	struct strbuf shown;
	strbuf_init(&shown, table->arena);
	terminal_text(&shown, text);
	vec_push(table->arena, &table->fields, strbuf_slice(&shown));
}

struct slice table_decimal(struct arena *arena, double value, int decimals)
{
	struct slice text = arena_printf(arena, "%.*f", decimals, value);
	bool is_zero = text.ptr[0] == '-' && strspn(text.ptr + 1, "0.") + 1 == text.len;
	return is_zero ? slice_tail(text, 1) : text;
}

void table_number(struct table *table, double value, int decimals)
{
	struct slice text = SLICE("-");
	if (isfinite(value))
		text = table_decimal(table->arena, value, decimals);
	vec_push(table->arena, &table->fields, text);
}

/* The columns that TEXT takes on a terminal. */
static size_t width_of(struct slice text)
{
	size_t width = 0, len;
	for (; text.len > 0; text = slice_sub(text, len, text.len)) {
		int32_t character = utf8_decode(text, &len);
		width += character == UTF8_INVALID ? 1 : utf8_width(character);
	}
	return width;
}

void table_put(const struct table *table, struct strbuf *out, size_t indent)
{
	if (table->columns == 0)
		return;
	size_t *widths = arena_calloc(table->arena, table->columns, sizeof *widths);
	for (size_t i = 0; i < table->fields.count; i++) {
		size_t width = width_of(table->fields.items[i]),
		       *widest = &widths[i % table->columns];
		*widest = width > *widest ? width : *widest;
	}
	for (size_t i = 0; i < table->fields.count; i++) {
		size_t column = i % table->columns;
		strbuf_fill(out, ' ', column == 0 ? indent : GAP);
		struct slice text = table->fields.items[i];
		bool left = (table->left >> column & 1) != 0;
		size_t missing = widths[column] - width_of(text);
		strbuf_fill(out, ' ', left ? 0 : missing);
		strbuf_add(out, text);
		strbuf_fill(out, ' ', left ? missing : 0);
		if (column + 1 == table->columns) {
			while (out->len > 0 && out->ptr[out->len - 1] == ' ')
				out->len--;
			strbuf_addc(out, '\n');
		}
	}
}
