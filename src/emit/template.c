#include "emit/template.h"

struct slice template_text(struct slice name)
{
	for (size_t i = 0; i < template_file_count; i++) {
		if (slice_eq(template_files[i].name, name))
			return template_files[i].text;
	}
	abort();
}

void template_expand(struct strbuf *out, const char *name, const struct template_value *values,
                     size_t count)
{
	struct slice text = template_text(slice_from(name));
	size_t copied = 0;
	for (size_t at = 0; (at = slice_find(text, '@', at)) < text.len; at++) {
		size_t end = slice_find(text, '@', at + 1), i = 0;
		while (i < count && !slice_eq(values[i].name, slice_sub(text, at + 1, end)))
			i++;
		if (i == count)
			continue;
		strbuf_add(out, slice_sub(text, copied, at));
		strbuf_add(out, values[i].value);
		at = end;
		copied = end + 1;
	}
	strbuf_add(out, slice_tail(text, copied));
}
